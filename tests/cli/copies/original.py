"""What is copied: a process that has imported all but the commands themselves.

They are changed by some programs before they run.
"""

import json
import os
import select
import signal
import socket
import sys

import rich.progress  # noqa: F401
import typer  # noqa: F401

import incerta.api
import incerta.data.files.profile
import incerta.report  # noqa: F401


def copied():
    """Wait until a copy is asked for, and return in it what it is to do."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        listening.listen()
        os.write(1, b"ready\n")
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for copies here
        while True:
            asked, _, _ = select.select([sys.stdin, listening], [], [])
            if sys.stdin in asked:  # who started this process has ended
                os._exit(0)
            one, _ = listening.accept()
            if os.fork() == 0:
                break
            one.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    question = b""
    length, streams, _, _ = socket.recv_fds(one, 10, 3)
    while len(question) < int(length):
        question += one.recv(int(length))
    program, folder, environment, heeds = json.loads(question)
    if (copy := os.fork()) != 0:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for stream in (0, 1, 2, *streams):
            os.close(stream)  # who reads from the copy waits for its end alone
        one.sendall(b"%d\n" % copy)
        one.sendall(b"%d\n" % os.waitpid(copy, 0)[1])
        os._exit(0)
    one.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    # Python asks a stream once whether it is a file or a terminal.
    sys.stdin, sys.stdout = os.fdopen(0), os.fdopen(1, "w")
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace")
    heard = signal.default_int_handler if heeds else signal.SIG_IGN
    signal.signal(signal.SIGINT, heard)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    return program


if __name__ == "__main__":
    code, *arguments = copied()
    sys.argv[:] = ["-c", *arguments]
    exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
