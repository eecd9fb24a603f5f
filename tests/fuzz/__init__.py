"""Damaged files, many of them: what they do to those who read them.

    python -m tests.fuzz tables --n 100000 --seed 0
    python -m tests.fuzz tables --n 1 --first 4711 --keep folder
    python -m tests.fuzz tables --replay

Each target is a module of this package with two functions: ``make(seed, number)``
damages a file and returns a `Case`, the same one every time; ``check(case, folder)``
reads it and returns a word for what came of it, such as "same" or "refused". Whatever
else it raises is a finding (`Finding` for an answer that is wrong), and so is a child
that dies, takes too long or asks for too much memory. If there is a function
``prepare()``, it is called once, before children are forked. Files that made trouble
are kept in ``corpus/<target>``; ``replay(path)`` reads one of them.
"""
