"""A check that the results of all methods are bit for bit the same.

Writes a digest of the labels, the confidence and the predictions of every method on
every set of the paper (at most 400 objects of each). Run it before and after a change
that must not change any result:

    python benchmarks/fingerprint.py before.json
    python benchmarks/fingerprint.py after.json --against before.json
"""

import argparse
import json
import sys
import time
import warnings
from hashlib import sha256
from pathlib import Path

import numpy as np
from sklearn.cluster import DBSCAN, KMeans

import incerta as ic

sys.path.append(str(Path(__file__).parents[1]))  # paper is beside src
from paper import datasets as fetched

LOADERS = {
    "wine": ic.datasets.load_wine,
    "ecoli": fetched.fetch_ecoli,
    "image": fetched.fetch_image,
    "libras": fetched.fetch_libras,
    "usps": fetched.fetch_usps,
    "waveform": fetched.fetch_waveform,
    "movement": fetched.fetch_movement,
    "nba": fetched.fetch_nba,
    "weather": ic.datasets.load_weather,
    "weather, joint": lambda: ic.datasets.load_weather(joint=True),
}
N_NEW = 40


def methods(k):
    seed = {"random_state": 3}
    fewer = {"n_worlds": 40, **seed}
    return {
        "UKMeans": ic.UKMeans(k, **seed),
        "UKMeans, euclidean": ic.UKMeans(k, metric="euclidean", n_init=2, **seed),
        "CKMeans": ic.published.CKMeans(k, **seed),
        "UKMedoids": ic.UKMedoids(k, **seed),
        "UKMedoids, euclidean": ic.UKMedoids(k, metric="euclidean", **seed),
        "MMVar": ic.published.MMVar(k, **seed),
        "UCPC": ic.published.UCPC(k, **seed),
        "FDBSCAN": ic.FDBSCAN(distances="fast", **fewer),
        "PDBSCAN": ic.published.PDBSCAN(distances="fast", **fewer),
        "FOPTICS": ic.FOPTICS(n_clusters=k, **fewer),
        "SC": ic.published.SC(**fewer),
        "RP-SC": ic.published.SC(n_representatives=10, **fewer),
        "REP": ic.published.REP(**fewer),
        "RP-REP": ic.published.REP(DBSCAN(1.5), n_representatives=10, **fewer),
        "RPC": ic.RPC(k, **fewer),
        "RPC, random": ic.RPC(k, selection="random", normalize_rows=True, **fewer),
        "RPC, energy": ic.RPC(k, divergence="energy", gamma="self-tuning", **fewer),
        "RPC, sparse": ic.RPC(k, selection="central", n_neighbors=12, **fewer),
        "ExpectedSpectral": ic.ExpectedSpectral(k, **fewer),
        "PossibleWorldConsistency": ic.published.PossibleWorldConsistency(
            k, n_worlds=10, n_representatives=5, **seed
        ),
        "WorldConsensus": ic.WorldConsensus(KMeans(k, n_init=2), **fewer),
        "WorldConsensus, kept": ic.WorldConsensus(
            KMeans(k, n_init=2), n_representatives=10, **fewer
        ),
    }


def problem(name, most):
    found = LOADERS[name]()
    data = ic.Standardizer("means").fit_transform(found.data)
    if not isinstance(data, ic.UncertainData):
        data = ic.datasets.make_uncertain(data, scale=0.5, random_state=0)
    every = np.linspace(0, len(data) - 1, min(most, len(data)))
    return data[np.round(every).astype(int)], len(found.target_names)


def digest(array):
    array = np.ascontiguousarray(array)
    return sha256(array.tobytes() + str(array.shape).encode()).hexdigest()[:16]


def results(names, most):
    for name in names:
        data, k = problem(name, most)
        for method, estimator in methods(k).items():
            start = time.process_time()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fitted = estimator.fit(data)
                new = data[:N_NEW]
                yield (
                    f"{name} | {method}",
                    {
                        "labels": digest(fitted.labels_.astype(np.int64)),
                        "confidence": digest(fitted.confidence_),
                        "predict": digest(fitted.predict(new).astype(np.int64)),
                        "predict_proba": digest(fitted.predict_proba(new)),
                        "seconds": time.process_time() - start,
                    },
                )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--against", type=Path)
    parser.add_argument("--small", action="store_true")
    args = parser.parse_args()
    before = json.loads(args.against.read_text()) if args.against else {}
    found = dict(results(["wine"], 40) if args.small else results(LOADERS, 400))
    if args.out is not None:
        args.out.write_text(json.dumps(found, indent=1))
    n_other = 0
    for name, facts in found.items():
        old = before.get(name, facts)
        other = [f for f in facts if f != "seconds" and old.get(f) != facts[f]]
        n_other += bool(other)
        for field in other:
            print(f"{name}: other {field}")
    seconds = sum(facts["seconds"] for facts in found.values())
    print(f"{len(found)} results, {n_other} of them other than before")
    print(f"{seconds:.0f} s of CPU time")


if __name__ == "__main__":
    main()
