"""Real worker processes of dask."""

from contextlib import contextmanager

# A process that dies is replaced. Where that takes longer, as on a busy machine, dask
# gives up, and there is one process less; it waits a quarter of a minute by itself.
PATIENT = {"distributed.deploy.lost-worker-timeout": "10 minutes"}


@contextmanager
def two_workers():
    """A cluster of two processes on this machine."""
    import dask
    from distributed import LocalCluster

    with (
        dask.config.set(PATIENT),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as cluster,
    ):
        yield cluster
