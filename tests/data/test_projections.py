"""Values that are combinations of the features: what they tell, and what not."""

import numpy as np
import pytest

import incerta as ic
from incerta.data.partitioned import PartitionedData
from incerta.data.projections import Projected, projected
from incerta.data.reliability import reliability, spread_in_projection, true_spread
from incerta.exceptions import DataError, MissingValueError


def seen(seed=0, n=8, q=2, d=3, **words):
    rng = np.random.default_rng(seed)
    R, w = rng.normal(size=(n, q, d)), rng.normal(size=(n, q))
    roots = rng.normal(size=(n, q, q))
    cov = roots @ np.swapaxes(roots, 1, 2)
    return ic.from_gaussian(w, cov=cov, projection=R, **words)


def information(law):
    """``R' S⁻¹ R``, (n, d, d), and ``R' S⁻¹ w``, (n, d)."""
    P, h = [], []
    for matrix, center, cov in zip(law.matrix, law.center, law.errors, strict=True):
        rows = ~np.isnan(center)
        R, S = matrix[rows], cov[np.ix_(rows, rows)]
        P.append(R.T @ np.linalg.solve(S, R))
        h.append(R.T @ np.linalg.solve(S, center[rows]))
    return np.array(P), np.array(h)


def test_features_that_follow_are_known_and_others_are_missing():
    # x0 and x1 by their sum and difference, x2 not at all.
    data = ic.from_gaussian(
        [[3.0, 1.0]], std=[[0.2, 0.4]], projection=[[1, 1, 0], [1, -1, 0]]
    )
    np.testing.assert_allclose(data.mean(), [[2.0, 1.0, np.nan]])
    np.testing.assert_allclose(data.variance(), [[0.05, 0.05, np.inf]])
    np.testing.assert_allclose(
        data.covariance()[0, :2, :2], [[0.05, -0.03], [-0.03, 0.05]]
    )
    np.testing.assert_array_equal(data.law.missing(), [[False, False, True]])
    known = data.select(["x0", "x1"])
    worlds = np.array([*known.worlds(4000, random_state=0)])[:, 0]
    np.testing.assert_allclose(np.cov(worlds.T), known.covariance()[0], atol=0.01)
    assert "2 combinations of 3 features" in repr(data)


def test_measurements_that_overlap_are_weighted():
    R = [[1, 0], [1, 0], [0, 2]]
    data = ic.from_gaussian([[1.0, 2.0, 6.0]], std=[[1.0, 2.0, 1.0]], projection=R)
    np.testing.assert_allclose(data.mean(), [[(1 + 2 / 4) / (1 + 1 / 4), 3.0]])
    np.testing.assert_allclose(data.variance(), [[1 / (1 + 1 / 4), 0.25]])
    exact = ic.from_gaussian([[1.0, 2.0, 6.0]], std=[[0.0, 2.0, 1.0]], projection=R)
    np.testing.assert_allclose(exact.mean(), [[1.0, 3.0]], atol=1e-9)
    np.testing.assert_allclose(exact.variance(), [[0.0, 0.25]], atol=1e-9)


def test_units_do_not_matter():
    rng = np.random.default_rng(0)
    R = rng.normal(size=(5, 3, 3)) * [1e-8, 1.0, 1e8]
    x = rng.normal(size=(5, 3)) / [1e-8, 1.0, 1e8]
    w = np.einsum("nqd,nd->nq", R, x)
    data = ic.from_gaussian(w, std=[1e-6, 1.0, 1e-3], projection=R)
    np.testing.assert_allclose(data.mean(), x, rtol=1e-6)
    assert data.law.missing() is None
    ic.UKMeans(2, random_state=0).fit(data)  # any method takes it


def test_some_features_only():
    data = seen(1, q=3, d=4, feature_names=["a", "b", "c", "d"])
    P, h = information(data.law)
    kept, gone = [3, 1], [0, 2]
    lost = np.linalg.pinv(P[:, gone][:, :, gone], hermitian=True, rcond=1e-9)
    across = P[:, kept][:, :, gone] @ lost
    expected = P[:, kept][:, :, kept] - across @ P[:, gone][:, :, kept]
    rest = h[:, kept] - np.einsum("nij,nj->ni", across, h[:, gone])
    some = data.select(["d", "b"])
    assert some.feature_names == ("d", "b")
    found = information(some.law)
    np.testing.assert_allclose(found[0], expected, atol=1e-8)
    np.testing.assert_allclose(found[1], rest, atol=1e-8)
    again = some.select(["b"])  # of which nothing is known, twice over
    np.testing.assert_allclose(
        information(again.law)[0], information(data.select(["b"]).law)[0], atol=1e-8
    )
    mapped = data.affine([[0, 0, 0, 1], [0, 1, 0, 0]], feature_names=["d", "b"])
    np.testing.assert_allclose(information(mapped.law)[0], expected, atol=1e-8)


def test_a_map_and_its_inverse():
    data = seen(2)
    rng = np.random.default_rng(0)
    M, c = rng.normal(size=(3, 3)), rng.normal(size=3)
    law = data.affine(M, c).law
    back = np.linalg.inv(M)
    np.testing.assert_allclose(law.matrix, data.law.matrix @ back, atol=1e-10)
    x = rng.normal(size=3)
    off = data.law.center - data.law.matrix @ x
    np.testing.assert_allclose(law.center - law.matrix @ (M @ x + c), off, atol=1e-10)
    scaled = data.affine([2.0, 0.5, -1.0], 1.0).law
    np.testing.assert_allclose(scaled.matrix, data.law.matrix / [2.0, 0.5, -1.0])


def test_together_with_other_objects():
    names = ["a", "b", "c"]
    one = seen(3, n=2, feature_names=names, ids=["p", "q"])
    R, w = np.ones((1, 1, 3)), [[2.0]]
    two = ic.from_gaussian(w, std=0.3, projection=R, feature_names=names, ids=["r"])
    three = ic.from_gaussian(
        [[1.0, np.nan, 3.0]],
        std=0.1,
        feature_names=names,
        ids=["s"],
        missing="infinite",
    )
    both = ic.concat([three, one, two])
    law = projected(both.law)
    assert law.matrix.shape == (4, 3, 3)
    np.testing.assert_array_equal(law.measured.sum(axis=1), [2, 2, 2, 1])
    np.testing.assert_allclose(law.matrix[0], np.diag([1.0, 0.0, 1.0]))
    np.testing.assert_allclose(law.matrix[1:3, :2], one.law.matrix)
    np.testing.assert_allclose(law.errors[0], np.diag([0.01, 0.0, 0.01]))
    np.testing.assert_allclose(law.errors[3, 0, 0], 0.09)
    np.testing.assert_allclose(both.mean()[0], [1.0, np.nan, 3.0])
    again = projected(both[[3, 1]].law)
    np.testing.assert_allclose(again.center[0, 0], 2.0)
    np.testing.assert_allclose(again.matrix[1, :2], law.matrix[1, :2])
    assert projected(ic.concat([seen(0, n=1, ids=["a"]), seen(1, n=1, ids=["b"])]).law)


def test_a_scale_for_features_that_nobody_saw():
    rng = np.random.default_rng(0)
    mean, std = np.array([5.0, -2.0, 100.0]), np.array([1.0, 3.0, 20.0])
    x = mean + std * rng.normal(size=(4000, 3))
    R = rng.normal(size=(4000, 2, 3)) / std
    w = np.einsum("nqd,nd->nq", R, x) + 0.5 * rng.normal(size=(4000, 2))
    data = ic.from_gaussian(w, std=0.5, projection=R)
    scaler = ic.Standardizer().fit(data)
    np.testing.assert_allclose(scaler.center_, mean, atol=0.1 * std.max())
    np.testing.assert_allclose(scaler.scale_, std, rtol=0.1)
    again = ic.Standardizer().fit(scaler.transform(data))
    np.testing.assert_allclose(again.center_, 0.0, atol=1e-8)
    np.testing.assert_allclose(again.scale_, 1.0, rtol=1e-6)
    shares = reliability(data)
    # Two of three features are told at most.
    assert 0.4 < shares.features.mean() < 2 / 3
    np.testing.assert_allclose(data.relative_uncertainty() ** 2, 1 - shares.features)
    with pytest.raises(MissingValueError, match="feature 'x1' is missing in every"):
        ic.Standardizer().fit(
            ic.from_gaussian([[1.0], [2.0]], std=0.1, projection=[[1, 0, 1]])
        )


def test_the_spread_of_features_that_were_measured():
    rng = np.random.default_rng(1)
    errors = rng.lognormal(-1.0, 0.5, size=(3000, 2))
    w = rng.normal(size=(3000, 2)) * [1.0, 3.0] + np.sqrt(errors) * rng.normal(
        size=(3000, 2)
    )
    unit = np.broadcast_to(np.eye(2), (3000, 2, 2))
    found = spread_in_projection(w, errors[:, :, None] * np.eye(2), unit, 0.05)
    known = true_spread(w.T, errors.T, np.ones((2, 3000)), 0.05)
    np.testing.assert_allclose(found.means, known.means, atol=1e-6)
    np.testing.assert_allclose(found.variances, known.variances, rtol=1e-6)
    shares = known.variances / (known.variances + errors)
    np.testing.assert_allclose(found.shares, shares, rtol=1e-5)


def test_one_matrix_for_all_and_rows_of_nothing():
    w = np.arange(6.0).reshape(3, 2)
    data = ic.from_gaussian(w, std=0.1, projection=[[1, 1, 0], [0, 0, 0]])
    assert isinstance(data.law, Projected)
    np.testing.assert_array_equal(data.law.measured, [[True, False]] * 3)
    np.testing.assert_array_equal(data.law.matrix, [[[1, 1, 0], [0, 0, 0]]] * 3)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            {"projection": np.ones((2, 3, 3))},
            r"has shape \(2, 3, 3\); it must be \(2, 1, n",
        ),
        ({"projection": [[1, np.nan]]}, "projection has 1 value that is NaN"),
        ({"projection": [[1, 1]], "meaning": "belief"}, r"Deconvolver\(\)"),
    ],
)
def test_what_cannot_be(words, said):
    with pytest.raises(DataError, match=said):
        ic.from_gaussian([[1.0], [2.0]], std=0.1, **words)


def test_an_exact_measurement_that_is_repeated():
    w, R = [[1.0, 1.0]], [[1, 1], [2, 2]]
    with pytest.raises(DataError, match=r"projection\[0\] measures one thing twice"):
        ic.from_gaussian(w, std=0.0, projection=R)
    ic.from_gaussian(w, std=[[0.0, 0.1]], projection=R)


def test_methods_that_cannot_use_it_name_the_way_out():
    data = seen(n=30)
    with pytest.raises(
        MissingValueError, match="30 objects were measured in projection"
    ):
        ic.UKMeans(2).fit(data)
    parts = PartitionedData((data[:9], data[9:]), data.feature_names)
    with pytest.raises(MissingValueError, match="were measured in projection"):
        ic.UKMeans(2).fit(parts)
    with pytest.raises(DataError, match="measured in projection"):
        ic.Directions(2).fit(data)
    assert ic.Directions().fit_transform(data) is data
    ic.UKMeans(2, random_state=0).fit(ic.Deconvolver().fit_transform(data))


def test_it_is_kept_in_files(tmp_path):
    data = seen()
    mixture = ic.ErrorMixture(1, random_state=0).fit(data)
    result = ic.cluster(data, 1, mixture)
    result.save(tmp_path / "run.incerta")
    again = ic.load(tmp_path / "run.incerta")
    for name in ("matrix", "center", "factor"):
        np.testing.assert_array_equal(
            getattr(again.data.law, name), getattr(data.law, name)
        )
    np.testing.assert_array_equal(again.predict_proba(data), result.predict_proba(data))


@pytest.mark.parametrize("correlated", [False, True])
def test_projections_onto_features_are_measurements_of_these(correlated):
    rng = np.random.default_rng(0)
    orders = np.array([rng.permutation(3) for _ in range(5)])
    matrix = np.eye(3)[orders]
    matrix[3, 1] = 0.0  # nothing is measured there
    values, roots = rng.normal(size=(5, 3)), rng.normal(size=(5, 3, 3))
    cov = roots @ np.swapaxes(roots, 1, 2) + np.eye(3)
    cov = cov if correlated else cov * np.eye(3)
    said = {"cov": cov} if correlated else {"std": np.sqrt(np.einsum("nii->ni", cov))}
    found = ic.from_gaussian(values, **said, projection=matrix)
    places = np.argsort(orders, axis=1)
    expected = np.take_along_axis(values, places, axis=1)
    gap = 3, orders[3, 1]
    expected[gap] = np.nan
    np.testing.assert_allclose(found.mean(), expected)
    turned = np.array([c[np.ix_(p, p)] for c, p in zip(cov, places, strict=True)])
    known = np.isfinite(expected)
    both = known[:, :, None] & known[:, None]
    np.testing.assert_allclose(found.covariance()[both], turned[both])
    assert not hasattr(found.law, "matrix")
