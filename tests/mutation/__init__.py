"""Do the tests notice? Small mistakes are made in the code, one at a time.

    python -m tests.mutation --changed             # in modules changed since HEAD
    python -m tests.mutation --random 200 --seed 1 # anywhere
    python -m tests.mutation --random 20 views     # in one room

A mistake is an operator, a constant, a comparison or a term that is another, or missing
(`mutants`). It is noticed by its own room if a test fails in the folder of tests with
the name of the room, and in the end if any test does that is not slow. Mistakes that
change nothing are listed with the reason in ``equivalent.csv``, and do not count.
"""
