"""A cell of a table: one method on one draw of one set, compared with the classes."""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

from incerta.metrics import clustering_accuracy
from paper.methods import TUNED, Point, is_tuned, tuned, usual
from paper.quiet import quietly
from paper.search import cut_at, ordered, search
from paper.selected import chooses_worlds, fitted, selection_of
from paper.sets import Problem, Setting, problem

# Choice of parameters: none to choose, without labels, with labels.
TUNINGS = ("none", "auto", "labels")
FIRST_SEED = 0


class Task(NamedTuple):
    """The identity of a cell."""

    set: str
    input: str
    mode: str
    noise: float
    method: str
    tuning: str
    seed: int

    @property
    def setting(self) -> Setting:
        """The data of the task."""
        return Setting(self.set, self.seed, self.noise, self.mode, self.input)


class Cell(NamedTuple):
    """The scores of a method; the first seven fields are those of its `Task`."""

    set: str
    input: str
    mode: str
    noise: float
    method: str
    tuning: str
    seed: int
    acc: float
    nmi: float
    n_clusters: int
    noise_share: float
    confidence: float  # mean over the objects; nan if parameters used labels
    cpu_seconds: float  # of the fit alone

    @property
    def task(self) -> Task:
        """The task of the cell."""
        return Task(*self[:7])


class SearchTask(NamedTuple):
    """A part of a search for parameters, with labels, on the data of the first seed."""

    set: str
    mode: str
    noise: float
    family: str
    part: int


class Found(NamedTuple):
    """A trial of a search; the first five fields are those of its `SearchTask`."""

    set: str
    mode: str
    noise: float
    family: str
    part: int
    method: str
    min_samples: int
    level: float
    acc: float
    nmi: float
    n_clusters: int
    noise_share: float

    @property
    def task(self) -> SearchTask:
        """The search that the trial is part of."""
        return SearchTask(*self[:5])


def family_of(method: str) -> str:
    """Return the family of methods that a tuned method is searched with."""
    return next(family for family, names in TUNED.items() if method in names)


def compute_search(task: SearchTask) -> list[Found]:
    """Try a part of the grid of a family.

    Parameters
    ----------
    task : SearchTask

    Returns
    -------
    list of Found
    """
    setting = Setting(task.set, FIRST_SEED, task.noise, task.mode)
    with quietly():
        trials = search(task.family, task.part, problem(setting))
    return [Found._make((*task, *trial)) for trial in trials]


def compute_group(tasks: Sequence[Task], points: Sequence[Point | None]) -> list[Cell]:
    """Compute cells that share a choice of worlds."""
    return [compute(*each) for each in zip(tasks, points, strict=True)]


def compute(task: Task, point: Point | None = None) -> Cell:
    """Fit a method, and compare its labels with the classes.

    Parameters
    ----------
    task : Task
    point : Point, optional
        Parameters chosen with labels, for tasks with ``tuning="labels"``.

    Returns
    -------
    Cell

    Examples
    --------
    >>> from paper.cells import Task, compute
    >>> task = Task("wine", "values", "centered", 0.5, "UK-means", "none", 0)
    >>> round(compute(task).acc, 2)
    0.97
    """
    given = problem(task.setting)
    with quietly():
        shared = 0.0
        if chooses_worlds(task.method) and not given.data.exact:
            shared = selection_of(given.setting).cpu_seconds
        start = time.process_time()
        found = _fitted(task.method, given, point)
        if point is not None and task.method == "FOPTICS":
            labels = cut_at(found, point.level)
        else:
            labels = found.labels_
        seconds = shared + time.process_time() - start
        sure = np.nan if point is not None else float(np.mean(found.confidence_))
    return Cell(
        *task,
        clustering_accuracy(given.target, labels),
        normalized_mutual_info_score(given.target, labels),
        len(np.unique(labels[labels >= 0])),
        float((labels < 0).mean()),
        sure,
        seconds,
    )


def tunings_of(method: str) -> tuple[str, ...]:
    """Return the ways to choose the parameters of a method, one per cell."""
    return ("auto", "labels") if is_tuned(method) else ("none",)


def _fitted(method: str, given: Problem, point: Point | None) -> Any:
    if point is None:
        return fitted(method, usual(method, given), given)
    if method == "FOPTICS":
        return ordered(given, point.min_samples)
    return fitted(method, tuned(method, given, point), given)
