"""Runs that are stopped and started, and what comes out of them."""

import warnings

import numpy as np
import pytest

from incerta import RPC
from incerta.exceptions import IncertaWarning
from incerta.metrics import clustering_accuracy
from paper import running, sweeps
from paper.cells import Cell, Found, SearchTask, Task
from paper.methods import TUNED
from paper.running import cells_of, points_for
from paper.search import N_PARTS, points_of
from paper.sensitivity import sensitivity
from paper.sets import Setting, problem
from paper.sweeps import CLAIMS, claims, figure2, paired_interval
from paper.table2 import summarized, table2, tasks_of
from paper.timing import figure3
from paper.variants import (
    PAPER,
    Variant,
    VariantCell,
    VariantTask,
    compute_variants,
)


def made_up(task, acc=0.5):
    return Cell(*task, acc, 0.25, 3, 0.1, 0.9, 1.5)


@pytest.fixture
def counted(monkeypatch):
    """Cells and searches that take no time, and how often each is made."""
    made = []

    def cells(tasks, points):
        made.extend(zip(tasks, points, strict=True))
        return [made_up(task, 0.5 + task.seed / 10) for task in tasks]

    def searched(task):
        made.append(task)
        return [
            Found(*task, method, *point, point.level, 0.1, 2, 0.0)
            for point in points_of(task.family, task.part)
            for method in TUNED[task.family]
        ]

    monkeypatch.setattr(running, "compute_group", cells)
    monkeypatch.setattr(running, "compute_search", searched)
    return made


def test_cells_are_computed_once(counted, tmp_path):
    tasks = tasks_of(["wine"], ["UK-means"], n_seeds=3)
    first = cells_of(tasks[:4], tmp_path, n_jobs=1)
    assert [cell.task for cell in first] == tasks[:4]
    assert len(counted) == 4
    # Stopped there, and begun again.
    whole = cells_of(tasks, tmp_path, n_jobs=1)
    assert [cell.task for cell in whole] == tasks
    assert len(counted) == len(tasks)
    assert len((tmp_path / "cells.csv").read_text().splitlines()) == 1 + len(tasks)


def test_searches_come_first_and_once(counted, tmp_path):
    task = Task("wine", "uncertain", "centered", 0.5, "RP-SC", "labels", 1)
    cells_of([task], tmp_path, n_jobs=1)
    assert [type(each) for each in counted[:-1]] == [SearchTask] * N_PARTS
    # The best of all parts is what the cell gets.
    assert counted[-1] == (task, (3, 0.975))
    cells_of([task._replace(seed=2, method="REP")], tmp_path, n_jobs=1)
    assert len(counted) == N_PARTS + 2
    assert points_for([task], tmp_path, n_jobs=1) == {
        ("wine", "centered", 0.5, "RP-SC"): (3, 0.975)
    }


def test_a_search_cut_off_is_done_again(counted, tmp_path):
    task = Task("wine", "uncertain", "centered", 0.5, "SC", "labels", 0)
    points_for([task], tmp_path, n_jobs=1)
    path = tmp_path / "searches.csv"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines)[:-7])
    points_for([task], tmp_path, n_jobs=1)
    assert len(counted) == N_PARTS + 1
    # Once it was done again, it is done.
    points_for([task], tmp_path, n_jobs=1)
    assert len(counted) == N_PARTS + 1


def test_lines_tell_the_tuned_draw_from_the_others():
    task = Task("wine", "uncertain", "centered", 0.5, "SC", "labels", 0)
    cells = [
        made_up(task._replace(seed=s), acc) for s, acc in enumerate([0.9, 0.6, 0.4])
    ]
    labels, kept = summarized(cells)
    assert (labels.tuning, labels.n_seeds, labels.acc) == ("labels", 1, 0.9)
    assert np.isnan(labels.acc_sd)
    assert (kept.tuning, kept.n_seeds, kept.acc) == ("kept", 2, 0.5)
    assert kept.acc_sd == pytest.approx(np.std([0.6, 0.4], ddof=1))
    assert kept.paper_acc == 0.7079


def test_the_whole_table_is_asked_for():
    tasks = tasks_of()
    assert len(tasks) == len(set(tasks)) == 9 * 10 * (13 * 3 + 7)
    assert not [t for t in tasks if t.tuning == "labels" and t.input != "uncertain"]


@pytest.mark.slow
def test_table_of_a_small_set(tmp_path):
    lines = table2(tmp_path, ["wine"], ["UK-means", "RPC"], n_seeds=1, n_jobs=1)
    of = {(line.input, line.method): line for line in lines}
    assert of["uncertain", "UK-means"].acc > 0.95
    # Errors around the values leave k-means on the means as it is.
    assert of["values", "UK-means"].acc == of["uncertain", "UK-means"].acc
    assert of["uncertain", "RPC"].paper_acc == 0.9663
    assert np.isnan(of["values", "RPC"].paper_acc)


def test_variants_share_worlds_and_are_rpc():
    task = VariantTask("wine", "centered", 0.5, 0, (PAPER, Variant(selection="random")))
    given = problem(Setting("wine", 0, 0.5))
    for cell in compute_variants(task):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IncertaWarning)
            rpc = RPC(3, selection=cell.selection, random_state=0).fit(given.data)
        assert cell.acc == clustering_accuracy(given.target, rpc.labels_)


def test_other_agreements_find_wine():
    others = (
        Variant(agreement="affinities"),
        Variant(agreement="expected"),
        Variant(agreement="means"),
        Variant("random", agreement="affinities"),
    )
    cells = compute_variants(VariantTask("wine", "centered", 0.5, 1, others))
    assert min(cell.acc for cell in cells) > 0.9
    assert [cell.variant for cell in cells] == list(others)


@pytest.fixture
def quick_variants(monkeypatch):
    """Variants without any clustering: random ones are a tenth worse."""

    def cells(task):
        return [
            VariantCell(
                *task[:4], *v, 0.6 + task.seed / 100 - worse, 0.5 - worse, 0.6, 0.1
            )
            for v in task.variants
            for worse in [0.1 + task.seed / 1000 if v.selection == "random" else 0.0]
        ]

    monkeypatch.setattr(sweeps, "compute_variants", cells)


def test_claims_are_paired(quick_variants, tmp_path):
    found = claims(tmp_path, ["wine", "nba"], n_seeds=4, n_sweep_seeds=3, n_jobs=1)
    assert [each.n_seeds for each in found[:4]] == [3, 4, 3, 4]
    assert len(found) == len(CLAIMS) * (3 + 1)
    for each in found:
        if each.claim == "selection":
            # Means of 0.1, 0.101, ...
            assert each.acc == pytest.approx(0.1 + (each.n_seeds - 1) / 2000)
            assert 0.09 < each.acc_low < each.acc < each.acc_high < 0.11
        else:
            assert (each.acc, each.acc_low, each.acc_high) == (0.0, 0.0, 0.0)
    again = claims(tmp_path, ["wine", "nba"], n_seeds=4, n_jobs=1)
    assert [each[:5] for each in again] == [each[:5] for each in found]


def test_figure2_has_all_numbers(quick_variants, tmp_path):
    points = figure2(tmp_path, ["nba"], n_seeds=2, n_jobs=1)
    assert len(points) == 9 * 3 + 1
    assert {p.n_kept for p in points} == set(range(10, 101, 10))
    assert points[0].acc == pytest.approx(0.605)
    assert np.isnan(figure2(tmp_path, ["nba"], n_seeds=1, n_jobs=1)[0].acc_sd)


def test_intervals():
    rng = np.random.default_rng(0)
    draws = rng.normal(0.3, 1.0, (2000, 8))
    inside = [low < 0.3 < high for low, high in map(paired_interval, draws)]
    assert 0.93 < np.mean(inside) < 0.97
    assert np.isnan(paired_interval(np.array([1.0]))).all()


def test_sensitivity_sees_no_label(counted, tmp_path):
    found = sensitivity(tmp_path, ["wine", "nba"], ["SC", "RPC"], n_seeds=2, n_jobs=1)
    assert {task.tuning for task, _ in counted} == {"auto", "none"}
    assert [(f.set, f.method, f.mode, f.noise) for f in found[:4]] == [
        ("wine", "SC", "displaced", 0.25),
        ("wine", "SC", "displaced", 0.5),
        ("wine", "SC", "displaced", 1.0),
        ("wine", "RPC", "displaced", 0.25),
    ]
    assert found[-1].mode == "as is"
    assert found[0].acc == pytest.approx(0.55)
    assert found[0].confidence == pytest.approx(0.9)


def test_durations():
    (one,) = figure3(["wine"], ["UK-means"], n_runs=3)
    assert 0.0 < one.least <= one.milliseconds <= one.most
