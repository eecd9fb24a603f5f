import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import PCA

import incerta as ic
from tests.strategies import KINDS, make, uncertain_data


def brute_force_moments(law, i):
    """Mean and covariance of object i, summed value by value."""
    rows = range(law.starts[i], law.starts[i + 1])
    weight = [1 / len(rows) if law.weights is None else law.weights[r] for r in rows]
    mean = sum(w * law.values[r] for w, r in zip(weight, rows, strict=True))
    cov = sum(
        w * np.outer(law.values[r] - mean, law.values[r] - mean)
        for w, r in zip(weight, rows, strict=True)
    )
    return mean, cov


@given(uncertain_data(kinds=("exact", "samples", "weighted", "array")))
def test_moments_of_values_against_a_loop(data):
    for i in range(len(data)):
        mean, cov = brute_force_moments(data.law, i)
        np.testing.assert_allclose(data.mean()[i], mean, atol=1e-12)
        np.testing.assert_allclose(data.covariance()[i], cov, atol=1e-12)
        np.testing.assert_allclose(data.variance()[i], np.diag(cov), atol=1e-12)


def test_variance_far_from_the_origin():
    data = ic.from_array(np.array([[[1e9], [1e9 + 1], [1e9 + 2]]]))
    np.testing.assert_allclose(data.variance(), [[2 / 3]])


@given(uncertain_data())
def test_variance_is_the_diagonal_of_covariance(data):
    cov = data.covariance()
    np.testing.assert_allclose(
        np.einsum("nii->ni", cov), data.variance(), rtol=1e-9, atol=1e-12
    )
    assert (np.linalg.eigvalsh(cov) > -1e-9 * (1 + np.abs(cov).max())).all()


@given(uncertain_data(), st.data())
def test_slicing(data, pick):
    index = pick.draw(st.lists(st.integers(0, len(data) - 1), min_size=1, unique=True))
    part = data[index]
    assert part.ids.tolist() == data.ids[index].tolist()
    np.testing.assert_allclose(part.mean(), data.mean()[index])
    np.testing.assert_allclose(part.covariance(), data.covariance()[index])
    assert part.worlds(2, 0).stack().shape == (2, len(index), data.n_features)
    mask = np.zeros(len(data), dtype=bool)
    mask[index] = True
    np.testing.assert_allclose(data[mask].mean(), data.mean()[mask])
    np.testing.assert_allclose(data[-2:].mean(), data.mean()[-2:])


@given(uncertain_data(), st.integers(0, 99))
def test_linear_maps(data, seed):
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(3, data.n_features)), rng.normal(size=3)
    mapped = data.affine(A, b)
    np.testing.assert_allclose(mapped.mean(), data.mean() @ A.T + b, atol=1e-8)
    np.testing.assert_allclose(
        mapped.covariance(), A @ data.covariance() @ A.T, atol=1e-7
    )
    again = mapped.affine([2.0, 1.0, 1.0], [0.0, 0.0, 5.0]).affine(np.ones((1, 3)))
    factor = np.array([2.0, 1.0, 1.0]) @ A
    np.testing.assert_allclose(
        again.variance()[:, 0],
        np.einsum("j,njk,k->n", factor, data.covariance(), factor),
        atol=1e-7,
    )


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "gaussian"])
def test_worlds_of_a_mapped_set_are_mapped_worlds(kind):
    # A diagonal Gaussian becomes one with a full factor, drawn all the same.
    data = make(kind, n=4, d=3)
    A = np.random.default_rng(0).normal(size=(2, 3))
    np.testing.assert_allclose(
        data.affine(A, 1.0).worlds(3, 5).stack(),
        data.worlds(3, 5).stack() @ A.T + 1.0,
        atol=1e-9,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_select_features(kind):
    data = make(kind, n=4, d=3)
    part = data.select(["x2", "x0"])
    assert part.feature_names == ("x2", "x0")
    np.testing.assert_allclose(part.mean(), data.mean()[:, [2, 0]])
    np.testing.assert_allclose(
        part.covariance(), data.covariance()[:, [2, 0]][:, :, [2, 0]], atol=1e-12
    )
    assert part.worlds(2, 0).stack().shape == (2, 4, 2)


def test_principal_components_are_one_call_away():
    data = make("correlated", n=30, d=4)
    pca = PCA(2).fit(data.mean())
    mapped = data.affine(pca.components_, -pca.components_ @ pca.mean_)
    np.testing.assert_allclose(mapped.mean(), pca.transform(data.mean()))


@pytest.mark.parametrize("kind", KINDS)
def test_concatenation_of_alike(kind):
    a, b = make(kind, n=3, seed=1), make(kind, n=4, seed=2)
    b = dataclasses.replace(b, ids=b.ids + 100)
    both = ic.concat([a, b])
    assert both.ids.tolist() == [*a.ids, *b.ids]
    np.testing.assert_allclose(both.mean(), np.vstack([a.mean(), b.mean()]))
    np.testing.assert_allclose(
        both.covariance(), np.concatenate([a.covariance(), b.covariance()])
    )
    assert both.worlds(5, 0).stack().shape == (5, 7, 2)


def test_concatenation_goes_on_counting():
    both = ic.concat([make("gaussian", n=2), make("gaussian", n=3)])
    assert both.ids.tolist() == [0, 1, 2, 3, 4]


def test_concatenated_joint_data_keep_their_draws():
    a, b = make("worlds", seed=1), make("worlds", seed=2)
    np.testing.assert_array_equal(
        ic.concat([a, b]).worlds(6)[4], np.vstack([a.worlds(6)[4], b.worlds(6)[4]])
    )


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (lambda: [], "parts is empty"),
        (lambda: [make("worlds"), make("gaussian")], "cannot be mixed with"),
        (lambda: [make("gaussian"), make("gaussian", d=3)], "select or rename"),
        (
            lambda: [make("gaussian")[1:], make("gaussian")[1:]],
            "parts share object ids",
        ),
        (
            lambda: [make("worlds"), ic.from_worlds(np.zeros((2, 1, 2)))],
            r"parts have \[2, 6\] joint draws",
        ),
    ],
)
def test_concatenation_refuses(parts, message):
    with pytest.raises(ValueError, match=message):
        ic.concat(parts())


def test_frozen():
    data = make("gaussian")
    with pytest.raises(dataclasses.FrozenInstanceError):
        data.ids = None
    with pytest.raises(ValueError, match="read-only"):
        data.ids[0] = 9
    mean = data.mean()
    mean[:] = 0.0
    assert data.mean().any()


@given(uncertain_data())
def test_pickle(data):
    back = pickle.loads(pickle.dumps(data))
    np.testing.assert_array_equal(back.mean(), data.mean())


@pytest.mark.parametrize("kind", KINDS)
def test_description_tells_what_it_is(kind):
    data = make(kind)
    text, html = repr(data), data._repr_html_()
    assert data.kind in text
    assert "objects            4" in text
    assert "features           2: x0, x1" in text
    if kind == "exact":
        assert "uncertainty        none" in text
    else:
        assert "× the spread between objects\n  by feature         x0 " in text
    if kind == "array":
        assert "5 (20 in all)" in text
    assert "<table>" in html
    assert max(map(len, text.splitlines())) < 80


def test_description_escapes_names():
    data = ic.from_gaussian([[0.0]], std=1, ids=["<b>"], feature_names=["<script>"])
    assert "<script>" not in data._repr_html_()
    assert "<b>" not in data._repr_html_()


def test_relative_uncertainty():
    data = ic.from_gaussian([[0.0, 1.0, 1.0], [2.0, 1.0, 1.0]], std=[[0.5, 0.5, 0.0]])
    np.testing.assert_allclose(data.relative_uncertainty(), [0.5, np.inf, 0.0])


@pytest.mark.parametrize("key", ["a", 1.5, [0.5], np.array([True])])
def test_bad_keys(key):
    with pytest.raises(IndexError):
        make("gaussian")[key]


def test_out_of_range():
    with pytest.raises(IndexError):
        make("gaussian")[10]


def test_unknown_feature_names_the_nearest():
    data = ic.from_gaussian([[0.0]], std=1, feature_names=["temperature"])
    with pytest.raises(ValueError, match="no feature 'temprature'; did you mean"):
        data.select(["temprature"])


def test_wrong_map_is_refused():
    with pytest.raises(ValueError, match=r"shape \(1, 3\) does not fit .* 2 features"):
        make("gaussian").affine(np.ones((1, 3)))
