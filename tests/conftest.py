"""Settings of all tests."""

from hypothesis import settings

# Machines are shared: how long an example takes says nothing.
settings.register_profile("incerta", deadline=None, max_examples=50)
settings.load_profile("incerta")
