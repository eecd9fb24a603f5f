"""Real worker processes of dask."""

from contextlib import contextmanager
from multiprocessing import forkserver

SETTINGS = {
    # A process that dies is replaced. Where that takes longer, as on a busy machine,
    # dask gives up, and there is one process less; it waits a quarter of a minute by
    # itself.
    "distributed.deploy.lost-worker-timeout": "10 minutes",
    # Imports take seconds; here one process has done them, and all others are copies.
    "distributed.worker.multiprocessing-method": "forkserver",
}
IMPORTED = ["distributed", "pandas", "incerta.estimators._auto"]


@contextmanager
def two_workers():
    """A cluster of two processes on this machine."""
    import dask
    from distributed import LocalCluster
    from distributed.utils import get_mp_context

    with dask.config.set(SETTINGS), _copied_from_here():
        get_mp_context().set_forkserver_preload(IMPORTED)
        with LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as cluster:
            yield cluster


@contextmanager
def _copied_from_here():
    """Stop the process that is copied, before and after: others import other things.

    Python has one for all, and no public way to begin anew.
    """
    forkserver._forkserver._stop()
    yield
    forkserver._forkserver._stop()
