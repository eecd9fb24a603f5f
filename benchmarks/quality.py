"""How well RPC finds the classes of the paper's data, beside two controls.

    INCERTA_DATA=... python benchmarks/quality.py
    INCERTA_DATA=... python benchmarks/quality.py --sets image libras usps waveform

Standardised data; exact sets get Gaussian uncertainty of scale 0.5, mode centered.
Mean and standard deviation over seeds; uncertainty, worlds and k-means starts are drawn
anew for each. No label is seen before the score. NBA and Weather are substitutes for
the paper's sets, of the same kind but other players and stations.
"""

import argparse
import time
import warnings

import numpy as np
from sklearn.cluster import KMeans

import incerta as ic
from incerta import datasets
from incerta.metrics import clustering_accuracy, nmi

SETS = {
    "wine": (datasets.load_wine, (0.9663, 0.8782)),
    "ecoli": (datasets.fetch_ecoli, (0.8055, 0.6871)),
    "nba": (datasets.fetch_nba, (0.6133, 0.1919)),
    "movement": (datasets.fetch_movement, (0.4315, 0.2584)),
    "weather": (datasets.load_weather, (0.7176, 0.5842)),
    "weather joint": (lambda: datasets.load_weather(joint=True), (0.7176, 0.5842)),
    "image": (datasets.fetch_image, (0.8350, 0.7838)),
    "libras": (datasets.fetch_libras, (0.6006, 0.7056)),
    "usps": (datasets.fetch_usps, (0.7658, 0.8082)),
    "waveform": (datasets.fetch_waveform, (0.9618, 0.8400)),
}
DEFAULT = ["wine", "ecoli", "nba", "movement", "weather", "weather joint"]


def methods(k, seed):
    return {
        "RPC": ic.RPC(k, random_state=seed),
        "RPC self-tuning": ic.RPC(k, width="self-tuning", random_state=seed),
        "RPC random worlds": ic.RPC(k, selection="random", random_state=seed),
        "ExpectedSpectral 0.5": ic.ExpectedSpectral(
            k, width_scale=0.5, n_worlds=1, random_state=seed
        ),
        "k-means on means": KMeans(k, n_init=10, random_state=seed),
    }


def score(dataset, seed, wanted):
    data = ic.Standardizer().fit_transform(dataset.data)
    if isinstance(data, np.ndarray):
        data = datasets.make_uncertain(data, scale=0.5, random_state=seed)
    for name, method in methods(len(dataset.target_names), seed).items():
        if wanted and name not in wanted:
            continue
        start = time.process_time()
        X = data.mean() if isinstance(method, KMeans) else data
        labels = method.fit(X).labels_
        yield (
            name,
            clustering_accuracy(dataset.target, labels),
            nmi(dataset.target, labels),
            time.process_time() - start,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=DEFAULT, choices=list(SETS))
    parser.add_argument("--methods", nargs="+", help="names as in the table")
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'set':14} {'method':22} {'ACC':>13} {'NMI':>13} {'CPU s':>7}")
    for name in options.sets:
        load, paper = SETS[name]
        dataset = load()
        found = {}
        for seed in range(options.seeds):
            for method, *numbers in score(dataset, seed, options.methods):
                found.setdefault(method, []).append(numbers)
        for method, rows in found.items():
            acc, info, seconds = np.mean(rows, axis=0)
            acc_sd, info_sd, _ = np.std(rows, axis=0)
            print(
                f"{name:14} {method:22} {acc:.3f} ± {acc_sd:.3f} {info:.3f} ± "
                f"{info_sd:.3f} {seconds:7.1f}",
                flush=True,
            )
        print(f"{name:14} {'paper, RPC':22} {paper[0]:13.4f} {paper[1]:13.4f}")


if __name__ == "__main__":
    main()
