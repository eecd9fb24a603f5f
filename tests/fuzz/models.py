"""Damaged model files.

Damage by accident leaves the checksums as they were: such a file is refused, or the
model is what it was. Damage on purpose mends the checksums: the model may then be
another, which nobody can notice, but what goes wrong while it is loaded is a
`ModelFileError`, the memory it takes is what `load` promises, and a model that makes no
sense may fail, though not take the process with it.
"""

import hashlib
import json
import random
import resource
import signal
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import incerta as ic
from incerta.exceptions import ModelFileError
from incerta.models.values import Encoder
from tests.fuzz.children import Case, Finding
from tests.fuzz.damage import damaged
from tests.fuzz.rewriting import in_headers, rewritten, spliced

SECONDS = 2.0  # of the processor, for a model that makes no sense
TABLE = np.array([[0.0, 0.1], [0.3, 0.0], [0.1, 0.4], [5.0, 5.1], [5.3, 5.0], [5.1, 6]])
NEW = np.array([[0.2, 0.1], [5.1, 5.2]])


class Seed(NamedTuple):
    """A model before it is damaged."""

    kind: str
    content: bytes


def prepare() -> None:
    """Write all models and load them once, before children are forked."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    _answers()


def make(seed: int, number: int) -> Case:
    """Damage one of the small models."""
    rng = random.Random(f"{seed} {number}")
    given = rng.choice(seeds())
    other = rng.choice(seeds())
    how = rng.random()
    if how < 0.3:
        content, told = damaged(given.content, rng)
    elif how < 0.4:
        content, told = spliced(given.content, other.content, rng), "spliced"
    elif how < 0.5:
        content, told = in_headers(given.content, rng), "headers"
    else:
        content, told = rewritten(given.content, other.content, rng)
        return Case(f"{given.kind}*", "m.incerta", content, told, True)
    return Case(given.kind, "m.incerta", content, told, False)


def check(case: Case, folder: Path) -> str:
    """Load a damaged model and use it.

    "same", "refused", or, where checksums are right, "changed": it loads, and predicts
    something; "failed": predictions fail; "long": they take too long.
    """
    path = folder / case.name
    path.write_bytes(case.content)
    before = resource.getrlimit(resource.RLIMIT_AS)
    own = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    most = own + 64 * len(case.content) + 2**26  # as `load` promises
    if before[1] == resource.RLIM_INFINITY or most < before[1]:
        resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    try:
        model = ic.load(path)
    except ModelFileError as error:
        if isinstance(error.__cause__, MemoryError):
            raise Finding("memory", case.told) from error
        return "refused"
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
    is_known = answer(model) in _answers()
    if not is_known and not case.about:
        raise Finding("differs", case.told)
    return "same" if is_known else used(model)


def answer(model: Any) -> str:
    """All of what a model holds, to be compared."""
    encoder = Encoder()
    try:
        said = json.dumps(encoder.encode(model), sort_keys=True)
    except Exception:  # a part that makes no sense
        return "something that cannot be written again"
    found = hashlib.blake2b(said.encode())
    for array in encoder.arrays:
        found.update(f"{array.dtype.str}{array.shape}".encode())
        found.update(array.tobytes())
    return found.hexdigest()


def used(model: Any) -> str:
    """Ask a model that may be nonsense; it may only fail as Python does."""
    signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        repr(model)
        getattr(model, "labels_", None)
        new = ic.from_gaussian(NEW, std=0.3)
        (model.predict if hasattr(model, "predict") else model.transform)(new)
    except _TooLong:
        return "long"
    except Exception:
        return "failed"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return "changed"


class _TooLong(BaseException):
    """Not an Exception, which a library could catch."""


def _stop(*_: Any) -> None:
    raise _TooLong


@cache
def seeds() -> tuple[Seed, ...]:
    """Small models of all kinds; fitted once per process, in some seconds."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "m.incerta"
        out = []
        for model in _models():
            ic.save(model, path)
            out.append(Seed(type(model).__name__, path.read_bytes()))
        return tuple(out)


@cache
def _answers() -> frozenset[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.incerta"
        found = []
        for one in seeds():
            path.write_bytes(one.content)
            found.append(answer(ic.load(path)))
        return frozenset(found)


def _models() -> list[Any]:
    rng = np.random.default_rng(0)
    ids = ["ä", "b", "long name", "d", "e", "f"]
    normal = ic.from_gaussian(TABLE, std=0.3, ids=ids, feature_names=["u", "v"])
    values = ic.as_uncertain(
        [rng.normal(row, 0.3, size=(3 + i % 2, 2)) for i, row in enumerate(TABLE)]
    )
    joint = ic.from_worlds(rng.normal(TABLE, 0.3, size=(10, 6, 2)))
    cells = ic.from_distributions(
        [[stats.norm(u, 1), stats.gamma(2.0, v)] for u, v in TABLE]
    )
    towers = ic.from_distributions(
        [stats.multivariate_t(row, np.eye(2), df=4) for row in TABLE]
    )
    clouds = ic.from_distributions(
        [stats.gaussian_kde(rng.normal(row, 1, size=(5, 2)).T) for row in TABLE]
    )
    few: dict[str, Any] = {"n_worlds": 4, "random_state": 0}
    two: dict[str, Any] = {"n_clusters": 2, **few}
    scaled = make_pipeline(StandardScaler(), KMeans(2, n_init=1, random_state=0))
    y = [0, 0, 0, 1, 1, 1]
    return [
        ic.UKMeans(2, random_state=0).fit(normal),
        ic.published.CKMeans(2, random_state=np.random.RandomState(0)).fit(towers),
        ic.UKMedoids(2, random_state=0).fit(values),
        ic.RPC(**two, n_representatives=2).fit(normal),
        ic.FDBSCAN(eps=2.0, min_samples=2, **few).fit(values),
        ic.FOPTICS(min_samples=2, **few).fit(clouds),
        ic.WorldConsensus(scaled, **few).fit(cells),
        ic.published.REP(clusterer=KMeans(2, n_init=1), **few).fit(joint),
        ic.ErrorMixture(2, random_state=0).fit(normal),
        ic.AutoClusterer(2, n_worlds=2, random_state=0).fit(normal),
        ic.ErrorDiscriminant().fit(normal, y),
        ic.UncertainNaiveBayes().fit(values, y),
        ic.UMicro(2).fit(normal),
        ic.Standardizer().fit(normal),
        ic.cluster(normal, k=2, method="UKMeans"),
    ]
