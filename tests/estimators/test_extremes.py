"""Data in units far from 1: the same labels, or a refusal that says what to do."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

import incerta as ic
import incerta.estimators
from incerta.data.refused import LARGEST, SMALLEST, refuse_extremes
from incerta.exceptions import DataError
from tests.strategies import KINDS, make

RNG = np.random.default_rng(0)
MEAN = np.repeat([[0.0, 0.0], [6.0, 6.0], [0.0, 9.0]], 8, axis=0)
MEAN = MEAN + RNG.normal(size=MEAN.shape)


def data_of(scale, offset=0.0):
    return ic.from_gaussian(scale * (MEAN + offset), std=0.3 * scale)


def estimator_of(name):
    few = {"n_worlds": 10, "n_clusters": 3, "n_components": 3, "random_state": 0}
    if name in ("FDBSCAN", "FOPTICS"):
        del few["n_clusters"]
    in_worlds = {"clusterer": KMeans(3, n_init=1)} if name == "WorldConsensus" else {}
    model = getattr(ic, name)(**in_worlds)
    return model.set_params(**{k: few[k] for k in few.keys() & model.get_params()})


@pytest.mark.parametrize("name", incerta.estimators.__all__)
def test_the_unit_changes_no_label(name):
    labels = estimator_of(name).fit(data_of(1.0)).labels_
    for scale, offset in [(SMALLEST * 8, 50.0), (LARGEST / 80, -50.0)]:
        model = estimator_of(name).fit(data_of(scale, offset))
        np.testing.assert_array_equal(model.labels_, labels)


@pytest.mark.parametrize("name", [*incerta.estimators.__all__, "Standardizer"])
@pytest.mark.parametrize("scale", [1e-200, 1e-150, 1e150, 1e300])
def test_beyond_reach(name, scale):
    model = getattr(ic, name)() if name == "Standardizer" else estimator_of(name)
    message = r"feature 'x0' has values .*; give it in another unit"
    for data in (data_of(scale), data_of(scale, 50.0), scale * MEAN):
        with pytest.raises(DataError, match=message):
            model.fit(data)


@pytest.mark.parametrize("scale", [1e-200, 1e300])
def test_other_ways_in(scale):
    data = data_of(scale)
    for call in (ic.cluster, ic.choose_k, ic.Deconvolver().fit, ic.UMicro().fit):
        with pytest.raises(DataError, match="give it in another unit"):
            call(data)
    # The way out.
    ic.UKMeans(3).fit(data.affine([1.0 / scale] * 2))


@pytest.mark.parametrize("name", ["UKMeans", "ErrorMixture", "AutoClusterer"])
@pytest.mark.parametrize("errors", [None, ["e"]])
def test_partitions(name, errors, tmp_path):
    pa = pytest.importorskip("pyarrow", reason="needs the extra io")
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra io")
    for part, scale in enumerate([1.0, 1e200]):
        names = [f"{part} {row}" for row in range(len(MEAN))]
        table = {"id": names, "x": scale * MEAN[:, 0], "e": [0.3 * scale] * len(MEAN)}
        parquet.write_table(pa.table(table), tmp_path / f"{part}.parquet")
    data = ic.read_table(tmp_path, id="id", values="x", errors=errors, lazy=True)
    with pytest.raises(DataError, match="give it in another unit"):
        estimator_of(name).fit(data)


def test_new_objects():
    model = ic.UKMeans(2, random_state=0).fit([[0.0], [9.0]])
    np.testing.assert_array_equal(model.predict([[1e-200], [2e-200]]), [0, 0])
    with pytest.raises(DataError, match=r"up to 1e\+200, .* multiply it by 1e-200"):
        model.predict([[1e200]])


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_data(kind):
    data = make(kind, n=5)
    refuse_extremes(data)
    for factor in (1e-120, 1e120, 1e250):
        with pytest.raises(DataError, match="in another unit"):
            refuse_extremes(data.affine([1.0, factor]))


def test_what_is_equal_or_missing_is_not_extreme():
    refuse_extremes(ic.as_uncertain([[0.0, 1e-300], [0.0, 1e-300]]))
    gaps = ic.from_gaussian([[np.nan, 1.0], [np.nan, 2.0]], 1.0, missing="infinite")
    refuse_extremes(gaps)
    with pytest.raises(DataError, match=r"'x1' has values of up to inf, .* unit\."):
        refuse_extremes(gaps.affine([1.0, 1e200]))


@pytest.mark.parametrize("width", [1e-300, 1e-160, 1e200, 1e300])
@pytest.mark.parametrize("name", ["ExpectedSpectral", "RPC"])
def test_widths_beyond_reach(name, width):
    for given in ({"gamma": 1.0 / width}, {"width_scale": width}):
        model = estimator_of(name).set_params(**given)
        with pytest.raises(ValueError, match=r"a kernel of width .* between 1e-70 and"):
            model.fit(data_of(1.0))


def test_nothing_is_as_steep_as_1():
    with pytest.raises(ValueError, match=r"'xi' .* in the range \[0.0, 1.0\)"):
        ic.FOPTICS(xi=1.0).fit(data_of(1.0))
    assert not ic.FOPTICS(xi=1.0 - 1e-16).fit(data_of(1.0)).labels_.any()
