"""Settings of all tests."""

import os

from hypothesis import settings

# Machines are shared: how long an example takes says nothing. On CI examples are the
# same every time, so that what turns red has its cause in the change.
settings.register_profile(
    "incerta",
    deadline=None,
    max_examples=50,
    derandomize="CI" in os.environ,
)
settings.load_profile("incerta")
