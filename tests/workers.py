"""Real worker processes of dask."""

from distributed import LocalCluster


def two_workers():
    """A cluster of two processes on this machine, to be entered."""
    return LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=50,
    )
