"""Do the tests notice? Faults are put into the code, one at a time.

    python -m tests.mutation                       # all rooms, some hours on one core
    python -m tests.mutation worlds selection      # two rooms
    python -m tests.mutation --record docs/mutation.csv   # go on where it stopped

A fault is killed by its own room if a test in the folder of that room fails, or in the
one file of it that has the tests of the module, and in the end if one does in the rooms
that build on it (``WIDER``). `faults` has the list; each is a line that somebody could
have written.
"""
