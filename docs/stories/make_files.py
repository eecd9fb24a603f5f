"""Make the files of the stories, simulated so that the right answers are known.

python docs/stories/make_files.py [FOLDER]    # a second

Each file has a twin with the truth (``gaia.csv``, ``gaia_truth.csv``), which no command
sees before the answers are scored.
"""

import csv
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def gaia(rng):
    """Make 2000 stars, 400 in a cluster, with columns named as in Gaia's archive."""
    n = 2000
    member = rng.permutation(np.arange(n) < 400)
    field = rng.normal([1.2, -1.0, -3.0], [0.8, 5.0, 5.0], size=(n, 3))
    inside = rng.normal([2.4, 4.0, -7.0], [0.03, 0.15, 0.15], size=(n, 3))
    truth = np.where(member[:, None], inside, field)
    # Faint stars have errors up to forty times as large as bright ones.
    magnitude = np.clip(19.5 - rng.exponential(2.2, size=n), 9.0, 19.5)
    size = 0.02 + 0.9 * 10 ** (0.3 * (magnitude - 19.5))
    error = size[:, None] * rng.uniform(0.7, 1.0, size=(n, 3)) * [1.0, 1.1, 0.9]
    # The scans of the sky leave correlated errors, different for each star.
    roots = rng.normal(size=(n, 3, 5))
    roots /= np.linalg.norm(roots, axis=2, keepdims=True)
    correlation = roots @ roots.transpose(0, 2, 1)
    unit = np.linalg.cholesky(correlation) @ rng.normal(size=(n, 3, 1))
    values = truth + error * unit[:, :, 0]
    columns = {"source_id": 4_000_000_000_000_000_000 + 7_919 * np.arange(1, n + 1)}
    columns["phot_g_mean_mag"] = magnitude.round(2)
    names = ("parallax", "pmra", "pmdec")
    for j, name in enumerate(names):
        columns[name] = values[:, j].round(3)
        columns[f"{name}_error"] = error[:, j].round(3)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        columns[f"{names[i]}_{names[j]}_corr"] = correlation[:, i, j].round(2)
    kind = np.where(member, "cluster", "field")
    return columns, {"source_id": columns["source_id"], "kind": kind}


def counties(rng):
    """Make 600 counties of three kinds, with 90% margins of error."""
    n = 600
    kind = rng.integers(3, size=n)
    usual = np.array([[52.0, 0.80, 43.0], [70.0, 1.15, 38.0], [55.0, 1.00, 33.0]])
    truth = usual[kind] + rng.normal(size=(n, 3)) * [3.5, 0.06, 1.3]
    people = np.maximum(rng.lognormal(10.3, 1.4, size=n), 8_000)
    # Few people rent in small counties; ages are known from registers.
    few = np.sqrt(20_000 / people)[:, None]
    error = few * np.column_stack(
        [np.full(n, 7.0), 0.15 * rng.lognormal(0.0, 0.3, size=n), np.full(n, 1.0)]
    )
    values = truth + error * rng.normal(size=(n, 3))
    units, places = [1000, 1000, 1], [0, 0, 1]  # dollars, dollars, years
    names = [f"county {i:03d}" for i in range(n)]
    columns = {"county": names, "people": people.round().astype(int)}
    for j, name in enumerate(("income", "rent", "age")):
        columns[name] = _rounded(values[:, j] * units[j], places[j])
        columns[f"{name}_moe"] = _rounded(1.645 * error[:, j] * units[j], places[j] + 1)
    kinds = np.array(["rural", "suburb", "college"])[kind]
    return columns, {"county": names, "kind": kinds}


def cultures(rng):
    """300 cell cultures of three kinds, measured 3 to 5 times; half the markers hear
    nothing but noise.
    """
    n = 300
    kind = rng.integers(3, size=n)
    usual = np.array([[4.0, 7.5, 5.0], [7.0, 4.5, 5.0], [6.0, 7.5, 8.0]])
    truth = np.c_[usual[kind] + 0.5 * rng.normal(size=(n, 3)), np.full((n, 3), 6.0)]
    counts = rng.integers(3, 6, size=n)
    rows = np.repeat(np.arange(n), counts)
    # Some cultures were handled much worse than others.
    error = rng.lognormal(-0.4, 1.2, size=(n, 1)) * [1.2, 1.2, 1.2, 2.0, 2.0, 2.0]
    values = truth[rows] + error[rows] * rng.normal(size=(len(rows), 6))
    names = np.array([f"C{i:03d}" for i in range(n)])
    columns = {"culture": names[rows]}
    columns["replicate"] = np.concatenate([np.arange(1, c + 1) for c in counts])
    for j, name in enumerate(("CD4", "CD8", "CD19", "CD38", "CD57", "Ki67")):
        columns[name] = values[:, j].round(2)
    kinds = np.array(["helper", "killer", "mixed"])[kind]
    return columns, {"culture": names, "kind": kinds}


def forecast(rng):
    """A front over 90 stations in 30 members of an ensemble; the truth is a 31st."""
    n, n_members = 90, 30
    place = rng.uniform(0.0, 1000.0, size=n)
    # Members differ in the position of the front, and in overall temperature and wind.
    front = 450.0 + 70.0 * rng.normal(size=n_members + 1)
    common = [2.5, 4.0] * rng.normal(size=(n_members + 1, 2))
    behind = place < front[:, None]
    mean = np.where(behind[:, :, None], [6.0, 35.0], [13.0, 18.0])
    local = [0.8, 2.5] * rng.normal(size=(n, 2))
    own = [0.8, 2.5] * rng.normal(size=(n_members + 1, n, 2))
    values = mean + common[:, None] + local + own
    names = np.array([f"S{i:02d}" for i in range(n)])
    columns = {"station": np.tile(names, n_members)}
    columns["member"] = np.repeat(np.arange(1, n_members + 1), n)
    for j, name in enumerate(("temperature", "wind")):
        columns[name] = values[:-1, :, j].ravel().round(1)
    kinds = np.where(behind[-1], "cold", "warm")
    return columns, {"station": names, "kind": kinds}


def embeddings(rng):
    """240 items of four kinds, embedded in 12 passes of a network with dropout."""
    n, n_passes = 240, 12
    kind = rng.integers(4, size=n)
    usual = np.array([[2, 2, 0, 0], [-2, 0, 2, 0], [0, -2, -2, 2], [0, 2, -2, -2]])
    center = usual[kind] + 0.7 * rng.normal(size=(n, 4))
    unsure = 0.8 * rng.lognormal(0.0, 0.8, size=(n, 1, 1))
    draws = center[:, None] + unsure * rng.normal(size=(n, n_passes, 4))
    names = np.array([f"item-{i:03d}" for i in range(n)])
    columns = {"item": np.repeat(names, n_passes)}
    columns["pass"] = np.tile(np.arange(1, n_passes + 1), n)
    for j in range(4):
        columns[f"e{j + 1}"] = draws[:, :, j].ravel().round(2)
    return columns, {"item": names, "kind": np.array(list("ABCD"))[kind]}


def plants(rng):
    """120 plants of three varieties, in a table as people write them."""
    n = 120
    kind = rng.integers(3, size=n)
    usual = np.array([[38.0, 9.0, 21.0], [52.0, 12.5, 20.0], [45.0, 8.0, 31.0]])
    truth = usual[kind] + rng.normal(size=(n, 3)) * [2.5, 0.7, 1.8]
    error = rng.lognormal(0.0, 0.6, size=(n, 3)) * [2.0, 0.5, 1.5]
    values = truth + error * rng.normal(size=(n, 3))
    names = [f"plant {i + 1}" for i in range(n)]
    columns = {"plant": names}
    for j, name in enumerate(("height", "leaf", "petal")):
        cells = [
            f"{v:.1f} ± {e:.1f}".replace(".", ",")
            for v, e in zip(values[:, j], error[:, j], strict=True)
        ]
        for i in np.flatnonzero(rng.random(n) < 0.08):
            cells[i] = "-999" if j == 0 else str(rng.choice(["n/a", "?", ""]))
        columns[name] = cells
    columns["who"] = rng.choice(["Zoë", "Jörg", "Ana"], size=n)
    kinds = np.array(["dwarf", "tall", "large-flowered"])[kind]
    return columns, {"plant": names, "kind": kinds}


MADE = (gaia, counties, cultures, forecast, embeddings, plants)


def _rounded(values, places):
    return values.round().astype(int) if places <= 0 else values.round(places)


def write(path, columns, sep=",", encoding="utf-8"):
    with path.open("w", encoding=encoding, newline="") as out:
        writer = csv.writer(out, delimiter=sep, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def main(folder):
    for seed, make in enumerate(MADE):
        data, truth = make(np.random.default_rng(seed))
        # The spreadsheet of the plants uses decimal commas.
        how = {"sep": ";", "encoding": "cp1252"} if make is plants else {}
        write(folder / f"{make.__name__}.csv", data, **how)
        write(folder / f"{make.__name__}_truth.csv", truth)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
