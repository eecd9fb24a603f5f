"""CPU time and likelihood of ErrorMixture, beside astroML, pygmmis and scikit-learn.

    python benchmarks/bench_mixture.py            # 2000 objects, all peers installed
    python benchmarks/bench_mixture.py --large    # 1,000,000 objects: time and memory

CPU time on one BLAS thread. The data are five Gaussian clusters in six features, with
values displaced by independent errors of very unequal size. By default ErrorMixture
chooses between full and diagonal covariances and tries eight starts. The peers use full
covariances and one start. Log-likelihoods are those of the measured values, per object,
by one function for all. astroML and pygmmis use their default starts, and are left out
if they are not installed.
"""

import argparse
import os
import resource
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402


def problem(n, d, k, seed=0):
    rng = np.random.default_rng(seed)
    target = rng.integers(k, size=n)
    truth = 3.0 * rng.normal(size=(k, d))[target] + rng.normal(size=(n, d))
    std = rng.lognormal(-0.5, 0.8, size=(n, 1)) * rng.lognormal(0.0, 0.27, size=(n, d))
    return target, truth + std * rng.normal(size=(n, d)), std


def score(weights, means, covariances, values, std):
    from incerta.mixture.expectation import log_densities
    from incerta.mixture.model import Components, Measured

    components = Components(*map(np.asarray, (weights, means, covariances)))
    measured = Measured(values.T.copy(), (std**2).T.copy())
    return float(log_densities(measured, components).totals.mean())


def ours(values, std, k, **how):
    import incerta as ic

    data = ic.from_gaussian(values, std=std)
    found = ic.ErrorMixture(k, random_state=0, **how).fit(data)
    return found.weights_, found.means_, found.covariances_


def one_start(values, std, k):
    return ours(values, std, k, covariance_type="full", n_init=1)


def astroml(values, std, k):
    from astroML.density_estimation import XDGMM

    found = XDGMM(k, max_iter=100, random_state=0)
    found.fit(values, std[:, :, None] ** 2 * np.eye(values.shape[1]))
    return found.alpha, found.mu, found.V


def pygmmis_peer(values, std, k):
    import pygmmis

    found = pygmmis.GMM(K=k, D=values.shape[1])
    covar = std[:, :, None] ** 2 * np.eye(values.shape[1])
    rng = np.random.RandomState(0)
    pygmmis.fit(found, values, covar=covar, init_method="kmeans", w=0.1, rng=rng)
    return found.amp, found.mean, found.covar


def sklearn_peer(values, std, k):
    from sklearn.mixture import GaussianMixture

    found = GaussianMixture(k, n_init=5, random_state=0).fit(values)
    return found.weights_, found.means_, found.covariances_


PEERS = {
    "ErrorMixture, one start": one_start,
    "ErrorMixture": ours,
    "astroML XDGMM": astroml,
    "pygmmis": pygmmis_peer,
    "GaussianMixture (no errors)": sklearn_peer,
}


def compare(n, d, k):
    from incerta.metrics import clustering_accuracy
    from incerta.mixture.expectation import log_densities
    from incerta.mixture.model import Components, Measured

    target, values, std = problem(n, d, k)
    print(f"{n} objects, {d} features, {k} components")
    own = None
    ours(values, std, k)  # imports are not timed
    for name, fit in PEERS.items():
        start = time.process_time()
        try:
            found = fit(values, std, k)
        except ImportError:
            print(f"  {name:<28} not installed")
            continue
        seconds = time.process_time() - start
        own = seconds if own is None else own
        measured = Measured(values.T.copy(), (std**2).T.copy())
        shares = log_densities(measured, Components(*map(np.asarray, found))).shares
        acc = clustering_accuracy(target, shares.argmax(axis=0))
        logs = score(*found, values, std)
        print(
            f"  {name:<28} {seconds:8.2f} s = {seconds / own:7.1f} × ours, "
            f"log-likelihood {logs:.4f}, ACC {acc:.3f}"
        )


def large(n, d, k, covariance):
    import incerta as ic

    _target, values, std = problem(n, d, k)
    data = ic.from_gaussian(values, std=std)
    start = time.perf_counter(), time.process_time()
    found = ic.ErrorMixture(k, covariance_type=covariance, random_state=0).fit(data)
    wall, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    falls = np.diff(found.objective_).min(initial=0.0)
    print(
        f"{n:>9} objects, {covariance}: {wall:6.1f} s, CPU {cpu:6.1f} s, "
        f"peak {peak:.2f} GiB, {found.n_iter_} rounds, lowest gain {falls:.1e}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="a size for tests")
    parser.add_argument("--large", action="store_true", help="up to 1,000,000 objects")
    options = parser.parse_args()
    if options.large:
        for covariance in ("auto", "full"):
            for n in (10_000, 100_000, 1_000_000):
                large(n, 6, 10, covariance)
    else:
        compare(*(200, 3, 2) if options.small else (2000, 6, 5))


if __name__ == "__main__":
    main()
