"""The picture of the front page: incerta beside common methods, in many draws.

python docs/picture.py run     # half an hour; writes picture.csv
python docs/picture.py         # seconds; writes picture.txt and the picture, twice

All methods are told the number of clusters but HDBSCAN and DBSCAN, which find their
own: of these the best of ten settings counts, chosen by the truth, in each draw. The
values are brought to one scale; what is called noise counts as one more cluster.
"""

import argparse
import csv
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.cluster import DBSCAN, HDBSCAN, KMeans
from sklearn.mixture import GaussianMixture

import incerta as ic

HERE = Path(__file__).parent
N_DRAWS, N_OBJECTS = 20, 200
OURS = "incerta"
INK = {"": ("#1f2328", "white"), "-dark": ("#d1d7e0", "#131416")}
BETTER = {"": "#0072B2", "-dark": "#56B4E9"}
WORSE = {"": "#D55E00", "-dark": "#E69F00"}


def measured(truth, error, rng):
    values = truth + error * rng.normal(size=truth.shape)
    return ic.from_gaussian(values, std=error)


def stars(seed, n):
    return ic.datasets.make_uncertain_stars(n, random_state=seed)


def round_groups(seed, n):
    return ic.datasets.make_uncertain_blobs(
        n, 3, 4, uncertainty=1.5, center_box=(-4.0, 4.0), random_state=seed
    )


def exact_groups(seed, n):
    return ic.datasets.make_uncertain_blobs(
        n, 3, 4, uncertainty=0.0, center_box=(-4.0, 4.0), random_state=seed
    )


def long_groups(seed, n):
    rng = np.random.default_rng(seed)
    kind = rng.integers(3, size=n)
    along = 2.5 * rng.normal(size=(n, 1)) * [1.0, 0.8]
    truth = along + 0.3 * rng.normal(size=(n, 2)) + kind[:, None] * [1.6, -2.0]
    return measured(truth, rng.lognormal(-1.2, 0.8, size=(n, 2)), rng), kind


def clump_in_field(seed, n):
    rng = np.random.default_rng(seed)
    inside = rng.random(n) < 0.3
    field = 4.0 * rng.normal(size=(n, 3))
    truth = np.where(inside[:, None], [2.0, -2.0, 1.0] + field / 16, field)
    return measured(truth, rng.lognormal(-1.0, 1.0, size=(n, 1)), rng), 1 * inside


def moons(seed, n):
    return ic.datasets.make_uncertain_moons(n, uncertainty=0.12, random_state=seed)


SHAPES = {
    "three groups,\nunequal errors": stars,
    "four round groups,\nsimilar errors": round_groups,
    "long groups,\nunequal errors": long_groups,
    "a clump in a field,\nunequal errors": clump_in_field,
    "two moons,\nsmall errors": moons,
    "four round groups,\nno errors": exact_groups,
}


def by_ours(data, values, k):
    return [ic.cluster(data, k).labels]


def by_kmeans(data, values, k):
    return [KMeans(k, n_init=10, random_state=0).fit_predict(values)]


def by_weighted_kmeans(data, values, k):
    errors = (data.variance() / data.mean().var(axis=0)).mean(axis=1)
    kmeans = KMeans(k, n_init=10, random_state=0)
    return [kmeans.fit_predict(values, sample_weight=1.0 / (errors + 1.0))]


def by_mixture(data, values, k):
    return [GaussianMixture(k, n_init=10, random_state=0).fit_predict(values)]


def by_density(data, values, k):
    found = [HDBSCAN(size, copy=True) for size in (5, 10, 20, 40)]
    found += [DBSCAN(eps) for eps in (0.1, 0.15, 0.2, 0.3, 0.4, 0.6)]
    answers = [each.fit_predict(values) for each in found]
    return [np.where(labels < 0, labels.max() + 1, labels) for labels in answers]


METHODS = {
    OURS: by_ours,
    "k-means": by_kmeans,
    "k-means, error-weighted": by_weighted_kmeans,
    "Gaussian mixture": by_mixture,
    "(H)DBSCAN, best of ten": by_density,
}


def plain(name):
    return name.replace("\n", " ")


def measure(n_draws, n_objects):
    """Yield rows of shape, draw, method and accuracy."""
    for draw in range(n_draws):
        for shape, make in SHAPES.items():
            data, truth = make(draw, n_objects)
            values = data.mean() / data.mean().std(axis=0)
            k = len(set(truth.tolist()))
            for method, labels_of in METHODS.items():
                accuracy = max(
                    ic.metrics.clustering_accuracy(truth, labels)
                    for labels in labels_of(data, values, k)
                )
                yield plain(shape), draw, method, f"{accuracy:.4f}"


def stored(path):
    """Read accuracies of shape (shapes, methods, draws)."""
    with path.open(encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    found = {tuple(row[:3]): float(row[3]) for row in rows}
    n_draws = 1 + max(int(row[1]) for row in rows)
    return np.array(
        [
            [
                [found[plain(shape), str(d), method] for d in range(n_draws)]
                for method in METHODS
            ]
            for shape in SHAPES
        ]
    )


def against(found):
    """Count the draws in which we are better, and worse, by more than 0.005."""
    gain = found[:, :1] - found[:, 1:]
    return gain, (gain > 0.005).sum(axis=2), (gain < -0.005).sum(axis=2)


def table(found):
    """Format mean accuracies, and the draws in which ours is better and worse."""
    _, better, worse = against(found)
    lines = [
        f"{found.shape[2]} draws of each shape: mean accuracy, and the draws",
        "in which incerta is better : worse, by more than half a per cent",
        "",
    ]
    heads = ["k-means", "weighted", "mixture", "density"]
    lines.append(f"{'incerta':>41}" + "".join(f"{head:>12}" for head in heads))
    for shape, means, more, less in zip(
        SHAPES, found.mean(axis=2), better, worse, strict=True
    ):
        cells = [f"{means[0]:7.2f}"]
        cells += [
            f"{mean:.2f} {f'{a}:{b}':>5}".rjust(12)
            for mean, a, b in zip(means[1:], more, less, strict=True)
        ]
        lines.append(f"{plain(shape):<34}" + "".join(cells))
    return "\n".join(lines) + "\n"


def draw(found, theme):
    """Draw a panel for each other method, a row for each shape, a dot for each draw."""
    ink, paper = INK[theme]
    gain, better, worse = against(found)
    fig = Figure(figsize=(7.6, 7.6), layout="constrained", facecolor=paper)
    panels = fig.subplots(2, 2, sharex=True, sharey=True).ravel()
    jitter = np.random.default_rng(0).uniform(-0.22, 0.22, found.shape[2])
    for m, (ax, name) in enumerate(zip(panels, list(METHODS)[1:], strict=True)):
        ax.set_facecolor(paper)
        ax.axvline(0.0, color=ink, linewidth=0.8)
        for s in range(len(SHAPES)):
            dots = gain[s, m]
            color = np.where(dots < 0, WORSE[theme], BETTER[theme])
            ax.scatter(dots, s + jitter, s=16, c=color, alpha=0.8, linewidths=0)
            ax.plot([dots.mean()] * 2, [s - 0.3, s + 0.3], color=ink, linewidth=2)
            told = f"{better[s, m]} : {worse[s, m]}"
            ax.text(0.72, s, told, color=ink, ha="right", va="center", fontsize=10)
        ax.set_title(f"against {name}", color=ink, fontsize=11)
        ax.tick_params(colors=ink, labelsize=10, length=0)
        ax.set_xlim(-0.42, 0.74)
        ax.set_xticks([-0.3, 0.0, 0.3], ["−0.3", "0", "+0.3"])
        ax.grid(axis="x", color=ink, alpha=0.15)
        for side in ax.spines.values():
            side.set_visible(False)
    panels[0].set_yticks(range(len(SHAPES)), list(SHAPES))
    panels[0].invert_yaxis()
    fig.supxlabel(
        "accuracy of incerta minus that of the other: a dot is a draw, a bar the mean\n"
        "numbers: draws in which incerta is better : worse",
        color=ink,
        fontsize=11,
    )
    fig.savefig(HERE / f"picture{theme}.png", dpi=100, facecolor=paper)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", choices=("run", "draw"), default="draw")
    parser.add_argument("--draws", type=int, default=N_DRAWS)
    parser.add_argument("--objects", type=int, default=N_OBJECTS)
    parser.add_argument("--csv", type=Path, default=HERE / "measured" / "picture.csv")
    given = parser.parse_args()
    if given.what == "run":
        with given.csv.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("shape", "draw", "method", "accuracy"))
            for row in measure(given.draws, given.objects):
                writer.writerow(row)
                file.flush()
        return
    found = stored(given.csv)
    text = table(found)
    (HERE / "measured" / "picture.txt").write_text(text, encoding="utf-8")
    print(text, end="")
    for theme in INK:
        draw(found, theme)


if __name__ == "__main__":
    main()
