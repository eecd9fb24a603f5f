"""Counts on the command line: from a table to clusters, and those of new rows."""

import csv

import numpy as np
import pytest

import incerta as ic


@pytest.fixture
def sites(tmp_path):
    rng = np.random.default_rng(0)
    kind = np.arange(60) % 2
    hours = rng.uniform(0.5, 20.0, size=60).round(2)
    rates = np.array([[9.0, 1.0], [1.0, 9.0]])[kind]
    counts = rng.poisson(hours[:, None] * rates)
    path = tmp_path / "sites.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["site", "owl", "fox", "hours"])
        for i in range(60):
            rows.writerow([f"s{i}", *counts[i], hours[i]])
    return path


def test_counts_are_fitted_and_predicted(sites, tmp_path, call):
    out = tmp_path / "out"
    told = ("--kind", "counts", "--exposure", "hours", "--method", "ukmeans")
    call("fit", sites, *told, "-k", "2", "-o", out, "--report")
    result = ic.load(out / "model.incerta")
    assert (result.data.kind, result.spec.exposure) == ("counts", "hours")
    assert ic.metrics.clustering_accuracy(np.arange(60) % 2, result.labels) == 1.0
    # A few new rows are read by the prior of all.
    few = tmp_path / "few.csv"
    few.write_text("".join(sites.read_text().splitlines(keepends=True)[:4]))
    done = call("predict", out / "model.incerta", few)
    rows = list(csv.DictReader(done.stdout.splitlines()))
    found = [[float(row["p_0"]), float(row["p_1"])] for row in rows]
    np.testing.assert_allclose(found, result.predict_proba(result.data[:3]))


def test_a_stream_has_no_prior(sites, call):
    done = call("watch", sites, "--kind", "counts", "--values", "owl,fox", code=2)
    assert "--kind" in done.stderr
    assert "Fit a file of them" in " ".join(done.stderr.split())
