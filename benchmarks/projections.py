"""Accuracy of means from measurements in projection, and the cost of projections.

    python benchmarks/projections.py  # minutes; docs/measured/projections.txt

There are two problems in the setting of Bovy, Hogg and Roweis (2011): a mixture of
Gaussians whose objects are measured only along some directions, with different errors.
Deviations of the fitted means from the true ones are in standard errors (by the scores
of all parameters). CPU time is that of one thread, memory the peak of a process.
"""

import argparse
import os
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import permutations
from multiprocessing import get_context
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402

import incerta as ic  # noqa: E402
from incerta.metrics import clustering_accuracy  # noqa: E402
from incerta.mixture.expectation import log_densities  # noqa: E402
from incerta.mixture.model import Components, measured  # noqa: E402
from incerta.mixture.under import under  # noqa: E402

OUT = Path(__file__).parents[1] / "docs" / "measured" / "projections.txt"


def drawn(rng, n, weights, means, covariances):
    which = rng.choice(len(weights), p=weights, size=n)
    roots = np.linalg.cholesky(covariances)[which]
    off = np.einsum("nij,nj->ni", roots, rng.normal(size=(n, means.shape[1])))
    return which, means[which] + off


def seen(rng, x, R, std):
    return np.einsum("nqd,nd->nq", R, x) + std * rng.normal(size=std.shape)


def plane(seed, n):
    """Draw three Gaussians in a plane; two thirds of objects are seen along a line."""
    rng = np.random.default_rng(seed)
    law = Components(
        np.array([0.5, 0.3, 0.2]),
        np.array([[0.0, 0.0], [4.0, 1.0], [1.0, 4.0]]),
        np.array([[[1.0, 0.5], [0.5, 1.0]], [[0.4, 0.0], [0.0, 1.5]], np.eye(2) * 0.5]),
    )
    which, x = drawn(rng, n, *law[:3])
    R = np.linalg.qr(rng.normal(size=(n, 2, 2)))[0]
    std = rng.lognormal(-1.0, 0.6, size=(n, 2))
    w = seen(rng, x, R, std)
    w[rng.random(n) < 2 / 3, 1] = np.nan
    return which, law, ic.from_gaussian(w, std=std, projection=R, missing="infinite")


def sky(seed, n):
    """Draw motions of four groups of stars, measured only across the sky."""
    rng = np.random.default_rng(seed)
    V = np.array([[15, 10, 8], [6, 5, 5], [6, 6, 6], [30, 20, 20]]) ** 2.0
    law = Components(
        np.array([0.4, 0.2, 0.15, 0.25]),
        np.array([[10, -5, -7], [-40, -20, 0], [45, 5, -10], [-20, -70, -5]], float),
        V[:, :, None] * np.eye(3),
    )
    which, x = drawn(rng, n, *law[:3])
    R = np.linalg.qr(rng.normal(size=(n, 3, 3)))[0][:, :2]  # stars all over the sky
    std = rng.lognormal(1.0, 0.5, size=(n, 1)) * np.ones(2)
    data = ic.from_gaussian(seen(rng, x, R, std), std=std, projection=R)
    return which, law, data


def standard_errors(data, components):
    """Return standard errors of the means (k, d), by the scores of all parameters."""
    some, (k, d) = measured(data), components.means.shape
    shares = np.exp(log_densities(some, components).shares)
    upper, scores = np.triu_indices(d), []
    for c in range(k):
        _, pulls, roots = under(some, components, c)
        bends = pulls[:, None] * pulls - np.einsum("qin,qjn->ijn", roots, roots)
        scores += [shares[c] * pulls, 0.5 * shares[c] * bends[upper]]
    ratios = shares / components.weights[:, None]
    table = np.concatenate([*scores, ratios[:-1] - ratios[-1]])
    variances = np.diag(np.linalg.inv(table @ table.T))
    step = d + len(upper[0])
    return np.sqrt([variances[c * step : c * step + d] for c in range(k)])


def recovery(made, n, seeds):
    off, falls, missed, found, best = [], 0, 0, [], []
    for seed in range(seeds):
        which, law, data = made(seed, n)
        k = law.n_components
        fit = ic.ErrorMixture(k, covariance_type="full", random_state=seed).fit(data)
        falls += int((np.diff(fit.objective_) < -1e-9).sum())
        gaps = np.square(fit.means_[:, None] - law.means).sum(axis=2)
        order = list(
            min(permutations(range(k)), key=lambda p: gaps[range(k), list(p)].sum())
        )
        fitted = Components(fit.weights_, fit.means_, fit.covariances_)
        errors = standard_errors(data, fitted)
        true = log_densities(measured(data), law)
        if fit.score(data) < true.totals.mean():
            missed += 1  # the starts led to another maximum of the likelihood
        else:
            off.append((fit.means_ - law.means[order]) / errors)
        found.append(clustering_accuracy(which, fit.labels_))
        best.append(clustering_accuracy(which, true.shares.argmax(axis=0)))
    off = np.abs(off)
    return (
        f"{np.sqrt(np.square(off).mean()):8.2f} {(off < 2.0).mean():10.2f} "
        f"{off.max():8.1f} {missed:7} {falls:6} {np.mean(found):7.3f} "
        f"{np.mean(best):7.3f}"
    )


def timed(how, n):
    """Return CPU seconds, seconds per round, rounds and GiB of a fit."""
    rng = np.random.default_rng(0)
    d, k = 6, 4
    roots = rng.normal(size=(k, d, d))
    law = Components(
        np.ones(k) / k,
        3.0 * rng.normal(size=(k, d)),
        0.3 * roots @ np.swapaxes(roots, 1, 2) + 0.1 * np.eye(d),
    )
    which, x = drawn(rng, n, *law[:3])
    std = rng.lognormal(-1.0, 0.5, size=(n, d))
    R = np.linalg.qr(rng.normal(size=(n, d, d)))[0]
    start = time.process_time()
    if how == "five combinations of six":
        w = seen(rng, x, R[:, :5], std[:, :5])
        data = ic.from_gaussian(w, std=std[:, :5], projection=R[:, :5])
    elif how == "correlated errors":
        w = np.einsum("nqd,nq->nd", R, seen(rng, x, R, std))
        cov = np.swapaxes(R, 1, 2) @ (np.square(std)[:, :, None] * R)
        data = ic.from_gaussian(w, cov=cov)
    else:
        data = ic.from_gaussian(x + std * rng.normal(size=x.shape), std=std)
    fit = ic.ErrorMixture(k, covariance_type="full", random_state=0).fit(data)
    seconds = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    right = clustering_accuracy(which, fit.labels_)
    return f"{seconds:7.1f} {fit.n_iter_:7} {memory:7.2f} {right:7.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="seconds; for the tests")
    small = parser.parse_args().small
    n, seeds = (400, 2) if small else (2000, 20)
    many = 2000 if small else 100_000
    lines = [
        f"Means of components, in standard errors; {seeds} seeds of {n:,} objects",
        "",
        f"{'rms':>33}  within 2  largest  missed  falls     ACC    best",
    ]
    for title, made in (
        ("plane, 1 of 2 directions", plane),
        ("space motions, 2 of 3", sky),
    ):
        lines.append(f"{title:24} {recovery(made, n, seeds)}")
        print(lines[-1], flush=True)
    lines += [
        "",
        f"Four components in six features, {many:,} objects",
        "",
        "                            CPU s  rounds     GiB     ACC",
    ]
    for how in ("independent errors", "correlated errors", "five combinations of six"):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
            lines.append(f"{how:24} {alone.submit(timed, how, many).result()}")
        print(lines[-1], flush=True)
    text = "\n".join(line.rstrip() for line in lines) + "\n"
    if small:
        print(text)
    else:
        OUT.write_text(text)


if __name__ == "__main__":
    main()
