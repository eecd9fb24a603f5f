"""What is left where a command is killed? Nothing that is half-written.

    python -m tests.endings --n 50            # all jobs, some 20 minutes
    python -m tests.endings fit --n 10

Each job is run once to its end. Then it is started again and again, and killed (-9) at
a random moment, from its first moment to its last. What is there then is complete and
old, or complete and new; and the same command, run once more, ends as the first did.
"""
