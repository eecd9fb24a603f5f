import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import incerta as ic
from incerta.data.grouping import encode, group_codes
from incerta.exceptions import DataError

NAN = float("nan")
PSD = np.eye(2)[None]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        # empty data
        (
            lambda: ic.from_samples(np.empty((0, 2)), []),
            r"values is empty: shape \(0, 2\)",
        ),
        (lambda: ic.from_array(np.empty((3, 0, 2))), r"X is empty: shape \(3, 0, 2\)"),
        (lambda: ic.from_gaussian(np.empty((0, 1)), std=1), "mean is empty"),
        (lambda: ic.from_worlds(np.empty((2, 0, 1))), "worlds is empty"),
        (lambda: ic.from_distributions([]), "rows is empty"),
        (lambda: ic.as_uncertain([]), "X is empty"),
        (lambda: ic.as_uncertain([[[0.0]], np.empty((0, 1))]), r"X\[1\] is empty"),
        # NaN and infinity
        (lambda: ic.from_samples([[1.0], [NAN]], [0, 1]), r"\(nan\) at values\[1, 0\]"),
        (lambda: ic.from_array([[[1.0, np.inf]]]), r"\(inf\) at X\[0, 0, 1\]"),
        (
            lambda: ic.from_gaussian([[1.0]], std=[[NAN]]),
            r"std has 1 value that is NaN",
        ),
        (lambda: ic.from_interval([[NAN]], [[1.0]]), "low has 1 value "),
        (lambda: ic.from_worlds([[[NAN]]]), "worlds has 1 value "),
        (lambda: ic.from_samples([[1.0]], [NAN]), "objects has NaN at position 0"),
        (lambda: ic.from_samples([["a"]], [0]), "values must hold numbers, but it"),
        # weights
        (
            lambda: ic.from_samples([[1.0], [2.0]], [0, 0], [1.0, -0.5]),
            r"must not be negative; weights\[1\] is -0.5",
        ),
        (
            lambda: ic.from_samples([[1.0], [2.0]], ["a", "b"], [1.0, 0.0]),
            "weights of object .*'b'.* sum to 0",
        ),
        (lambda: ic.from_samples([[1.0]], [0], [[1.0]]), "one entry per value"),
        # error bars
        (
            lambda: ic.from_gaussian([[1.0, 2.0]], std=[[1.0, -2.0]]),
            r"std must not be negative; std\[0, 1\] is -2.0",
        ),
        (
            lambda: ic.from_gaussian([[1.0, 2.0]], std=[[1.0] * 3]),
            "must fit the mean's",
        ),
        (
            lambda: ic.from_gaussian(np.eye(2), std=[1.0, 2.0]),
            r"as many objects as features.*std=np.reshape\(std, \(-1, 1\)\)",
        ),
        (lambda: ic.from_gaussian([[1.0]]), "either std or cov, not neither"),
        (
            lambda: ic.from_gaussian([[1.0]], std=1, cov=[[1]]),
            "either std or cov, not both",
        ),
        (
            lambda: ic.from_gaussian([[0.0, 0.0]], cov=[[[1.0, 2.0], [2.0, 1.0]]]),
            r"semi-definite; the correlations of cov\[0\] have the eigenvalue -1",
        ),
        (
            lambda: ic.from_gaussian([[0.0, 0.0]], cov=[[[1.0, 0.5], [0.1, 1.0]]]),
            r"cov must be symmetric; cov\[0\]",
        ),
        (lambda: ic.from_gaussian([[0.0, 0.0]], cov=[[1.0, 1.0]]), "For one deviation"),
        # intervals
        (
            lambda: ic.from_interval([[0.0], [5.0]], [[1.0], [4.0]]),
            r"low\[1, 0\] is 5.0, high\[1, 0\] is 4.0. Are the two swapped",
        ),
        (lambda: ic.from_interval([[0.0]], [[1.0, 2.0]]), "they must agree"),
        # ids
        (
            lambda: ic.from_samples([[1.0], [2.0]], [1, "1"]),
            "objects mixes numbers and text",
        ),
        (
            lambda: ic.from_samples([[1.0], [2.0]], ["a", None]),
            "missing values and text",
        ),
        (
            lambda: ic.from_samples([[1.0]], [0, 1]),
            "objects has 2 entries for 1 values",
        ),
        (
            lambda: ic.from_array(np.zeros((2, 3, 1)), ids=["a", "a"]),
            "'a'.* occurs 2 times",
        ),
        (
            lambda: ic.from_array(np.zeros((2, 1, 1)), feature_names=["a", "b"]),
            r"feature_names=\['a', 'b'\] must be 1 different names",
        ),
        # ragged features
        (
            lambda: ic.as_uncertain([[[0.0, 1.0]], [[1.0]]]),
            r"X\[1\] has shape \(1, 1\), X\[0\] has \(1, 2\)",
        ),
        # worlds taken for values, and the other way round
        (
            lambda: ic.from_worlds(np.zeros((5, 9, 2)), ids=list("abcde")),
            "ids has 5 entries for 9 objects. from_array takes",
        ),
        (
            lambda: ic.from_array(np.zeros((9, 5, 2)), ids=list("abcde")),
            "ids has 5 entries for 9 objects. .*from_worlds takes",
        ),
        (
            lambda: ic.from_worlds(np.zeros((5, 2))),
            "3 dimensions, it has 2.*these are worlds",
        ),
        (
            lambda: ic.from_array(np.zeros((5, 2))),
            "3 dimensions, it has 2.*these are worlds",
        ),
        (lambda: ic.as_uncertain(np.zeros((2, 2, 2, 2))), "these are worlds"),
        (lambda: ic.as_uncertain(np.zeros(3)), r"X.reshape\(-1, 1\)"),
        (lambda: ic.from_gaussian([1.0, 2.0], std=1), r"mean.reshape\(-1, 1\)"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(DataError, match=message):
        call()


def test_long_form_in_any_order():
    data = ic.from_samples([[5.0], [1.0], [7.0], [2.0]], ["b", "a", "b", "a"])
    assert data.ids.tolist() == ["b", "a"]
    np.testing.assert_array_equal(data.mean(), [[6.0], [1.5]])
    np.testing.assert_array_equal(data.values_per_object(), [2, 2])


def test_one_feature_may_be_one_dimensional():
    assert ic.from_samples([1.0, 2.0], [0, 0]).shape == (1, 1)


def test_impossible_values_are_left_out():
    data = ic.from_samples([[1.0], [9.0], [3.0]], [0, 0, 1], weights=[2.0, 0.0, 5.0])
    assert data.kind == "exact"
    np.testing.assert_array_equal(data.mean(), [[1.0], [3.0]])


def test_equal_weights_are_no_weights():
    data = ic.from_samples([[1.0], [9.0], [3.0]], [0, 0, 1], weights=[0.3, 0.3, 7.0])
    assert data.law.weights is None


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30))
def test_grouping_against_a_loop(labels):
    groups = group_codes(encode(np.array(labels)))
    expected = list(dict.fromkeys(labels))
    assert groups.ids.tolist() == expected
    order = np.arange(len(labels)) if groups.order is None else groups.order
    for i, label in enumerate(expected):
        rows = order[groups.starts[i] : groups.starts[i + 1]]
        assert rows.tolist() == [r for r, other in enumerate(labels) if other == label]


def test_input_is_copied():
    mean = np.zeros((2, 1))
    data = ic.from_gaussian(mean, std=0.0)
    mean[:] = 9.0
    np.testing.assert_array_equal(data.mean(), 0.0)


def test_one_covariance_for_all_objects():
    data = ic.from_gaussian(np.zeros((3, 2)), cov=[[1.0, 0.5], [0.5, 2.0]])
    np.testing.assert_allclose(data.covariance()[2], [[1.0, 0.5], [0.5, 2.0]])


def test_singular_covariance_is_welcome():
    data = ic.from_gaussian([[0.0, 0.0]], cov=[[[1.0, 1.0], [1.0, 1.0]]])
    worlds = data.worlds(20, 0).stack()
    np.testing.assert_allclose(worlds[..., 0], worlds[..., 1], atol=1e-12)


@pytest.mark.parametrize(
    ("X", "shape", "kind"),
    [
        ([[1.0, 2.0], [3.0, 4.0]], (2, 2), "exact"),
        ([[[1.0, 2.0]], [[3.0, 4.0]]], (2, 2), "exact"),
        ([[[1.0], [2.0]], [[3.0]]], (2, 1), "samples"),
        ([np.zeros((2, 3)), np.zeros((4, 3))], (2, 3), "samples"),
        ([[1.0, 2.0], [3.0]], (2, 1), "samples"),
        (np.zeros((4, 5, 3)), (4, 3), "samples"),
        (np.zeros((4, 3), dtype=np.float32), (4, 3), "exact"),
    ],
)
def test_door(X, shape, kind):
    data = ic.as_uncertain(X)
    assert data.shape == shape
    assert data.kind == kind
    assert ic.as_uncertain(data) is data


def test_door_keeps_the_names_of_a_frame():
    pd = pytest.importorskip("pandas", reason="the frame is of pandas")
    assert ic.as_uncertain(pd.DataFrame({"mass": [1.0]})).feature_names == ("mass",)


@pytest.mark.parametrize(
    ("cov", "message"),
    [
        (np.diag([1e12, -9999.0]), r"cov\[0, 1, 1\] is -9999"),
        ([[1e12, 1.5], [1.5, 1e-12]], "eigenvalue -0.5"),
        ([[1.0, 0.5], [0.5, 0.0]], "eigenvalue"),
    ],
)
def test_small_variances_count_next_to_large_ones(cov, message):
    with pytest.raises(DataError, match=message):
        ic.from_gaussian([[0.0, 0.0]], cov=cov)


@pytest.mark.parametrize("rank", [2, 6])
@pytest.mark.parametrize("scale", [1e-12, 1e-8, 1.0, 1e8])
def test_covariances_of_features_in_different_units(scale, rank):
    rng = np.random.default_rng(0)
    root = rng.normal(size=(50, 4, rank)) * [[scale], [1.0], [1.0 / scale], [0.0]]
    cov = root @ np.swapaxes(root, 1, 2)
    data = ic.from_gaussian(np.zeros((50, 4)), cov=cov)
    deviations = np.sqrt(np.einsum("nii->ni", cov))
    of_one_size = deviations[:, :, None] * deviations[:, None] + (cov == 0.0)
    np.testing.assert_allclose(
        data.covariance() / of_one_size, cov / of_one_size, atol=1e-7
    )
    np.testing.assert_allclose(data.variance(), deviations**2, rtol=1e-7)


@pytest.mark.parametrize("size", [1e308, 1.0, 1e-320])
def test_only_shares_of_weights_count(size):
    weights = np.array([1.0, 0.25, 0.0, 1.0]) * size
    data = ic.from_samples([[1.0], [2.0], [8.0], [9.0]], [0, 0, 0, 1], weights)
    np.testing.assert_allclose(data.mean().ravel(), [1.2, 9.0], rtol=1e-3)
