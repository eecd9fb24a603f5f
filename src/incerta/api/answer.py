"""`cluster`: from data to clusters in one call."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from incerta import settings
from incerta.api.clustering import Clustering, reworded
from incerta.api.methods import Method, asked
from incerta.api.notes import crumbs, in_views, skewed, unlike
from incerta.data.coerce import as_uncertain
from incerta.data.container import UncertainData
from incerta.data.meaning import certain, of_errors
from incerta.data.reliability import reliability, told_of
from incerta.data.standardize import Standardizer
from incerta.directions import Directions
from incerta.directions.transformer import directions_for
from incerta.estimators import AutoClusterer
from incerta.exceptions import IncertaWarning
from incerta.labels import most_probable
from incerta.mixture import Deconvolver
from incerta.number.choose import NumberOfClusters, choose_k
from incerta.typing import Seed
from incerta.wording import counted, given, verb
from incerta.worlds.streams import checked_seed

# How the uncertainty was interpreted, and when this would be wrong.
TAKEN_AS = {
    "error": "Values are measurements with errors; the true values behind them were "
    "clustered. If the error bars mean something else, set",
    "belief": "The distribution of an object shows where its true value probably is. "
    "If these are errors of measurements, set",
    "spread": "Objects have many values, and none is the true one. If these are "
    "repeated measurements of one quantity, set",
}
OF_OTHER_ERRORS = "Errors that are not Gaussian count by their mean and covariance."
GAUSSIAN = {
    "gaussian",
    "correlated gaussian",
    "projected gaussian",
    "counts",
    "exact",
}


def cluster(
    data: Any,
    k: int | str = "auto",
    method: Any = "auto",
    random_state: Seed = 0,
    scale: bool = True,
    params: Mapping[str, Any] | None = None,
    directions: int | str | None = "auto",
) -> Clustering:
    """Cluster uncertain data, and say how sure each label is.

    Parameters
    ----------
    data : UncertainData or anything `as_uncertain` takes
        The objects: from `from_frame`, `from_gaussian`, `read_table` and so on.
    k : int or "auto", default="auto"
        Number of clusters. "auto" calls `choose_k` for 1 to 30 clusters; density
        methods find the number themselves.
    method : "auto", name or estimator, default="auto"
        "auto" is `AutoClusterer`. A name in upper or lower case is that of an
        estimator, such as ``"fdbscan"``, or of a scikit-learn clusterer, which
        `WorldConsensus` runs in every world: ``"kmeans"``, ``"gmm"``,
        ``"agglomerative"``, ``"spectral"``, ``"birch"``, ``"hdbscan"``, ``"dbscan"``,
        ``"optics"``, ``"meanshift"``. An estimator is used with its own parameters,
        except for `random_state` and, if given, `k`. A scikit-learn clusterer is run in
        every world.
    random_state : int, RandomState, Generator or None, default=0
        The same seed always gives the same answer. None uses a new seed.
    scale : bool, default=True
        Whether to divide all features by the spread of their values first. Use False if
        features have the same unit and the same importance.
    params : mapping of str, optional
        Parameters of the estimator by name, such as ``{"eps": 0.3}``. For a clusterer
        that is run in every world, parameters of the clusterer and of `WorldConsensus`.
        Distances are measured after scaling, and in the directions.
    directions : "auto", int or None, default="auto"
        Number of `Directions` in which objects are compared. With many features, "auto"
        uses the directions that are beyond chance. None uses the features.

    Notes
    -----
    Measurements with errors (``data.meaning``) are first turned into beliefs about the
    true values by `Deconvolver`. `AutoClusterer` and `ErrorMixture` do not need this
    step.

    The label of an object is always its most probable cluster. If a published method
    defines its labels differently (``result.estimator.labels_``), the reasons report
    for how many objects the two differ.

    The cost is that of the method, plus that of `choose_k` on at most 1000 objects with
    ``k="auto"``.

    Examples
    --------
    >>> import incerta as ic
    >>> data, truth = ic.datasets.make_uncertain_blobs(90, 2, 3, random_state=1)
    >>> result = ic.cluster(data)
    >>> result
    <Clustering: 90 objects in 3 clusters by AutoClusterer, mean confidence 1.00>
    """
    objects = as_uncertain(data)
    seed = checked_seed(random_state)
    wanted = asked(method, params)
    model, reasons = wanted.estimator, [wanted.reason]
    texts: list[str] = []
    with _noted(texts):
        scaler, scaled = scaled_by(objects, scale)
        if scaler is not None:
            reasons.append("Features were scaled by the spread of their values.")
        finder, there = in_directions(scaled, directions, seed)
        if finder is not None:
            reasons += finder.sentences()
        deconvolver, seen = believed(there, model)
        known = certain(objects)
        if not known:
            meaning, other = objects.meaning, given(meaning="error")
            other = given("meaning") if meaning == "error" else other
            reasons.append(f"{TAKEN_AS[meaning]} {other}.")
        if of_errors(objects) and not known and len(objects) > 1:
            reasons += told_of(reliability(objects), objects.feature_names)
            if set(objects.kind.split(" + ")) - GAUSSIAN:
                reasons.append(OF_OTHER_ERRORS)
        skew = skewed(objects)
        if skew is not None:
            warnings.warn(skew, IncertaWarning, stacklevel=2)
        own = not isinstance(method, str)
        model, choice, why = _with_number(wanted, k, own, seen, seed, directions)
        reasons += why
        if isinstance(model, AutoClusterer) and finder and finder.n_directions_:
            model.set_params(one_shape=True)
        if "random_state" in model.get_params():
            model.set_params(random_state=seed)
        model.fit(seen)
    n = int((most_probable(model.labels_, model.membership_) != model.labels_).sum())
    if n:
        reasons.append(
            f"{counted(n, 'object')} {verb(n, 'has', 'have')} a label other than "
            f"{type(model).__name__}'s own: {verb(n, 'its', 'their')} most probable "
            "cluster."
        )
    if objects.joint:
        reasons.append("The draws are joint: every world is one of them.")
    elif known:
        reasons.append("The data have no uncertainty: every world is the same.")
    result = Clustering(
        data=objects,
        estimator=model,
        method=wanted.name,
        reasons=tuple(reasons),
        seed=seed,
        scaler=scaler,
        directions=finder,
        deconvolver=deconvolver,
        choice=choice,
        warnings=tuple(dict.fromkeys(texts)),
    )
    notes = crumbs(result.ids, result.labels, wanted.finds_number)
    notes += in_views(len(result.ids), model._facts().views)
    notes += unlike(result.ids, result.novelty)
    return reworded(result, reasons=(*result.reasons, *notes))


def _with_number(
    method: Method,
    k: int | str,
    own: bool,
    data: UncertainData,
    seed: int,
    directions: int | str | None,
) -> tuple[Any, NumberOfClusters | None, list[str]]:
    """Set the number of clusters, and return the sentence that explains it."""
    if k == "auto":
        if method.finds_number:
            why = [f"{method.name} finds the number of clusters itself."]
            return method.estimator, None, why
        if own:
            return method.estimator, None, []
        choice = chosen_number(data, seed, directions)
        if choice is None:
            return method.with_number(1), None, ["A single object."]
        return method.with_number(choice.k), choice, [" ".join(choice.sentences())]
    if isinstance(k, (bool, str)) or not isinstance(k, (int, np.integer)) or k < 1:
        msg = f"k={k!r} must be a whole number of at least 1, or 'auto'."
        raise ValueError(msg)
    if not method.numbers:
        msg = f"k={k} cannot be set for {method.name}, which finds its own number."
        raise ValueError(msg)
    if k > len(data):
        msg = f"k={k} exceeds the number of objects ({len(data)}); lower k."
        raise ValueError(msg)
    return method.with_number(int(k)), None, [f"{counted(k, 'cluster')}, as requested."]


def chosen_number(
    data: UncertainData, seed: int, directions: int | str | None
) -> NumberOfClusters | None:
    """Choose the number of clusters of prepared data; None for one object.

    More numbers are tried while the largest is the best.
    """
    if len(data) < 2:
        return None
    few, most = None if directions is None else "auto", settings.MOST_CLUSTERS
    while True:
        tried = range(1, min(most, len(data)) + 1)
        choice = choose_k(data, tried, random_state=seed, directions=few)
        if choice.k < tried[-1] or tried[-1] == len(data):
            return choice
        most *= 2


def scaled_by(
    data: UncertainData, scale: bool
) -> tuple[Standardizer | None, UncertainData]:
    """Scale the data, and return the scaler as well."""
    if not scale:
        return None, data
    scaler = Standardizer().fit(data)
    scaled = scaler.transform(data)
    assert isinstance(scaled, UncertainData)
    return scaler, scaled


def in_directions(
    data: UncertainData, directions: int | str | None, seed: int
) -> tuple[Directions | None, UncertainData]:
    """Project the data onto `Directions`, and return these; None if not requested."""
    if directions is None:
        return None, data
    finder = directions_for(directions, seed).fit(data)
    return finder, finder.transform(data)


def believed(
    data: UncertainData, model: Any
) -> tuple[Deconvolver | None, UncertainData]:
    """Turn measurements into beliefs, unless the method handles errors itself."""
    if not of_errors(data) or model._knows_errors:
        return None, data
    deconvolver = Deconvolver().fit(data)
    return deconvolver, deconvolver.transform(data)


@contextmanager
def _noted(texts: list[str]) -> Iterator[None]:
    """Collect the texts of warnings, and issue them again."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for w in caught:
        texts.append(str(w.message))
        warnings.warn_explicit(w.message, w.category, w.filename, w.lineno)
