"""``python -m tests.metamorphic table``: write the table of laws into the docs."""

import sys

from tests.metamorphic.table import PAGE, table

if sys.argv[1:] != ["table"]:
    sys.exit("usage: python -m tests.metamorphic table")
PAGE.write_text(table(), encoding="utf-8")
