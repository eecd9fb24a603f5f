"""List the versions of the pages in a folder, which has a subfolder for each.

    sphinx-build -b html docs site/0.1.0 && python docs/versions.py site

writes ``versions.js``, from which the pages of every version learn of the others, and
an ``index.html`` that leads to the newest release. The pages need no server.
"""

import json
import re
import sys
from pathlib import Path

RELEASE = re.compile(r"\d+(\.\d+)*")
INDEX = """\
<!doctype html>
<meta charset="utf-8">
<title>incerta</title>
<meta http-equiv="refresh" content="0; url={0}/index.html">
<a href="{0}/index.html">incerta {0}</a>
"""


def versions_in(site):
    """Return the names of versions: releases, newest first, then others such as dev."""
    names = [page.parent.name for page in site.glob("*/index.html")]
    releases = [name for name in names if RELEASE.fullmatch(name)]
    others = sorted(set(names) - set(releases))
    newest_first = sorted(releases, key=lambda n: [*map(int, n.split("."))])[::-1]
    return newest_first + others


def publish(site):
    """Write the index page and the list of versions."""
    names = versions_in(site)
    if not names:
        sys.exit(f"{site} holds no pages; build them into a folder in it first.")
    script = f"showVersions({json.dumps(names)});\n"
    (site / "versions.js").write_text(script, encoding="utf-8")
    (site / "index.html").write_text(INDEX.format(names[0]), encoding="utf-8")
    (site / ".nojekyll").touch()  # or folders whose names begin with _ are left out


if __name__ == "__main__":
    publish(Path(sys.argv[1]))
