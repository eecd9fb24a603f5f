"""Wide tables: memory grows with the features, or there is a way out."""

import tracemalloc

import numpy as np
import pytest
from sklearn.cluster import KMeans

import incerta as ic
from incerta import estimators

SMALLER = {"n_worlds": 3, "n_representatives": 2, "n_init": 1}


def table(d):
    rng = np.random.default_rng(0)
    classes = rng.integers(3, size=24)
    values = rng.normal(size=(24, d)) + 2.0 * classes[:, None] * (np.arange(d) < 30)
    return ic.from_gaussian(values, std=np.exp(0.3 * rng.normal(size=values.shape)))


def fitted(name, data):
    given = [KMeans(3, n_init=1)] if name == "WorldConsensus" else []
    model = getattr(ic, name)(*given)
    known = model.get_params()
    return model.set_params(**{k: v for k, v in SMALLER.items() if k in known}).fit(
        data
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*estimators.__all__, "Deconvolver", "Directions"])
def test_memory_does_not_grow_as_the_square_of_the_features(name):
    peaks = []
    for d in (500, 2000):
        data = table(d)
        fitted(name, table(20))  # what is imported or compiled then is not counted
        tracemalloc.start()
        fitted(name, data)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 6.0 * peaks[0]  # 4 times as many features; the square is 16
    assert peaks[1] < 2e8


@pytest.mark.parametrize("name", ["ErrorMixture", "Deconvolver"])
@pytest.mark.parametrize("covariance", ["full", "tied"])
def test_matrices_of_wide_tables_are_refused(name, covariance):
    model = getattr(ic, name)(covariance_type=covariance)
    with pytest.raises(ValueError, match=r"above 200 features .* ic\.Directions"):
        model.fit(table(201))


def test_the_discriminant_names_the_way_out():
    data = table(201)
    with pytest.raises(ValueError, match=r"ic\.Directions"):
        ic.ErrorDiscriminant().fit(data, np.arange(24) % 2)


def test_auto_takes_what_objects_can_tell():
    assert ic.Deconvolver().fit(table(30)).covariance_type_ == "diag"
    assert ic.Deconvolver().fit(table(5)).covariance_type_ == "full"
    model = ic.ErrorMixture(2, n_init=1).fit(table(300))
    assert model.covariance_type_ == "diag"
    assert model.covariances_.shape == (2, 300)


@pytest.mark.parametrize("name", ["ErrorMixture", "Deconvolver"])
def test_wide_models_come_back(name, tmp_path):
    data = table(220)
    model = getattr(ic, name)().set_params(n_init=1).fit(data)
    ic.save(model, tmp_path / "model")
    again = ic.load(tmp_path / "model")
    assert again.covariances_.shape == model.covariances_.shape
    one, other = (
        each.predict_proba(data)
        if name == "ErrorMixture"
        else each.transform(data).mean()
        for each in (model, again)
    )
    assert np.array_equal(one, other)
