import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy import sparse
from scipy.linalg import block_diag
from sklearn.exceptions import ConvergenceWarning

import incerta as ic
from incerta.spectral import (
    Laplacians,
    consistency,
    gaussian_affinity,
    leading_eigenvectors,
    normalized_laplacian,
)
from incerta.spectral.affinity import median_distance, nearness
from incerta.spectral.consistency import (
    common_embedding,
    consistency_sweeps,
    embeddings_alone,
    n_clusters_by_eigengap,
)
from incerta.spectral.embedding import complement, cut, of_unit_length
from incerta.spectral.extension import Embedded, aligned, extend
from tests.spectral import oracle
from tests.stored import changed, refused


def worlds_of(seed, m, n, d, std=0.5):
    rng = np.random.default_rng(seed)
    center = rng.normal(size=(n, d)) + 3 * rng.integers(0, 3, size=(n, 1))
    return ic.from_gaussian(center, std=std).worlds(m, seed)


def laplacians_of(worlds, **how):
    return [normalized_laplacian(gaussian_affinity(w, **how)) for w in worlds]


@st.composite
def problems(draw):
    n = draw(st.integers(3, 40))
    worlds = worlds_of(
        draw(st.integers(0, 2**32 - 1)),
        draw(st.integers(1, 4)),
        n,
        draw(st.integers(1, 30)),
    )
    return laplacians_of(worlds), draw(st.integers(1, min(n, 6)))


# Nearly all eigenvectors of few objects are wanted, and the last of them are hardly
# determined: it takes 250 sweeps, and the warning is right.
SLOW = laplacians_of(worlds_of(0, 2, 5, 1)), 4
may_be_slow = pytest.mark.filterwarnings("ignore:the objective still rises")


@may_be_slow
@given(problems(), st.floats(0.0, 3.0))
@example(SLOW, 1.0)
def test_consistency_against_dense_loops(problem, weight):
    laplacians, k = problem
    found = consistency(laplacians, k, weight=weight, max_iter=200)
    common, objective, gap = oracle.consistency(
        laplacians, k, len(found.objective), weight
    )
    np.testing.assert_allclose(found.objective, objective, rtol=1e-8)
    # Where two eigenvalues meet, the subspace itself is not determined.
    assume(gap > 1e-3)
    np.testing.assert_allclose(found.common @ found.common.T, common, atol=1e-6)


@given(problems(), st.floats(0.0, 3.0))
def test_objective_never_falls_and_is_bounded(problem, weight):
    laplacians, k = problem
    sweeps = consistency_sweeps(laplacians, embeddings_alone(laplacians, k), weight)
    values = [next(sweeps).objective for _ in range(6)]
    assert (np.diff(values) >= -1e-9 * np.abs(values[:-1])).all()
    assert values[-1] <= len(laplacians) * k * (1 + weight) + 1e-9


@may_be_slow
@given(problems())
@example(SLOW)
def test_embeddings_are_orthonormal(problem):
    laplacians, k = problem
    found = consistency(laplacians, k, max_iter=200)
    for U in (found.common, *found.per_world, *found.alone.embeddings):
        np.testing.assert_allclose(U.T @ U, np.eye(k), atol=1e-8)


@pytest.mark.slow
def test_larger_problem_needs_restarts():
    laplacians = laplacians_of(worlds_of(3, 3, 400, 2), width_scale=0.2)
    found = consistency(laplacians, 4)
    common, objective, _ = oracle.consistency(laplacians, 4, len(found.objective))
    np.testing.assert_allclose(found.objective, objective, rtol=1e-9)
    np.testing.assert_allclose(found.common @ found.common.T, common, atol=1e-6)


def test_one_world_is_plain_spectral_embedding():
    (laplacian,) = laplacians_of(worlds_of(1, 1, 50, 3))
    found = consistency([laplacian], 3)
    alone = oracle.top(laplacian, 3)
    np.testing.assert_allclose(
        found.common @ found.common.T, alone @ alone.T, atol=1e-7
    )


def test_without_weight_it_is_the_mean_subspace():
    laplacians = laplacians_of(worlds_of(2, 4, 40, 3))
    found = consistency(laplacians, 3, weight=0.0)
    mean = oracle.top(sum(oracle.top(L, 3) @ oracle.top(L, 3).T for L in laplacians), 3)
    np.testing.assert_allclose(found.common @ found.common.T, mean @ mean.T, atol=1e-7)


def test_blocks_shared_by_all_worlds_are_recovered():
    sizes = [4, 3, 5]
    block = block_diag(*(np.ones((s, s)) for s in sizes))
    found = consistency([normalized_laplacian(block)] * 3, 3)
    expected = block_diag(*(np.full((s, s), 1 / s) for s in sizes))
    np.testing.assert_allclose(found.common @ found.common.T, expected, atol=1e-8)


def test_order_of_worlds_and_objects_does_not_matter():
    laplacians = laplacians_of(worlds_of(3, 4, 30, 2))
    one = consistency(laplacians, 3).common
    other = consistency(laplacians[::-1], 3).common
    np.testing.assert_allclose(one @ one.T, other @ other.T, atol=1e-6)
    order = np.random.default_rng(0).permutation(30)
    moved = consistency([L[np.ix_(order, order)] for L in laplacians], 3).common
    np.testing.assert_allclose(
        moved @ moved.T, (one @ one.T)[np.ix_(order, order)], atol=1e-6
    )


def test_too_few_sweeps_are_told():
    laplacians = laplacians_of(worlds_of(4, 5, 40, 2, std=2.0))
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        consistency(laplacians, 3, tol=0.0, max_iter=2)


def test_common_embedding_is_that_of_the_sum():
    U = embeddings_alone(laplacians_of(worlds_of(5, 4, 20, 2)), 3).embeddings
    found = common_embedding(U)
    expected = oracle.top(sum(u @ u.T for u in U), 3)
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-8)


# affinity and Laplacian ------------------------------------------------------------


@given(st.integers(0, 2**32 - 1), st.integers(2, 20), st.integers(1, 4))
def test_affinity_against_a_loop(seed, n, d):
    X = np.random.default_rng(seed).normal(size=(n, d))
    distance = np.array([[np.linalg.norm(a - b) for b in X] for a in X])
    g = np.median(distance[np.triu_indices(n, 1)] ** 2) ** 0.5
    W = gaussian_affinity(X)
    np.testing.assert_allclose(W, np.exp(-(distance**2) / (2 * g**2)), atol=1e-7)
    np.testing.assert_array_equal(np.diag(W), 1.0)
    narrow = gaussian_affinity(X, width=2.0, width_scale=0.25)
    np.testing.assert_allclose(narrow, np.exp(-(distance**2) * 2.0), atol=1e-7)


def test_self_tuning_scales():
    X = np.random.default_rng(0).normal(size=(30, 2))
    distance = np.linalg.norm(X[:, None] - X, axis=2)
    sigma = np.sort(distance, axis=1)[:, 7]
    W = gaussian_affinity(X, width="self-tuning")
    np.testing.assert_allclose(W, np.exp(-(distance**2) / np.outer(sigma, sigma)))


def test_neighbor_graph_keeps_near_pairs():
    X = np.random.default_rng(0).normal(size=(40, 2))
    full, graph = gaussian_affinity(X), gaussian_affinity(X, n_neighbors=5).toarray()
    kept = graph > 0
    np.testing.assert_allclose(graph[kept], full[kept], rtol=1e-6)
    np.testing.assert_array_equal(graph, graph.T)
    assert kept.sum(axis=1).min() >= 6  # five neighbors and itself


@pytest.mark.parametrize("width", ["median", "self-tuning"])
@pytest.mark.parametrize("n_neighbors", [None, 3])
def test_identical_objects_are_not_nan(width, n_neighbors):
    W = gaussian_affinity(np.ones((12, 2)), width=width, n_neighbors=n_neighbors)
    W = W.toarray() if sparse.issparse(W) else W
    assert set(np.unique(W)) <= {0.0, 1.0}


def test_mostly_identical_objects_take_the_distance_of_the_others():
    X = np.array([[0.0]] * 10 + [[3.0]])
    W = gaussian_affinity(X)
    assert W[0, -1] == pytest.approx(np.exp(-0.5))


def test_isolated_objects_have_an_empty_row():
    W = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    for matrix in (W, sparse.csr_array(W)):
        L = normalized_laplacian(matrix)
        L = L.toarray() if sparse.issparse(L) else L
        np.testing.assert_allclose(L, [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 0]])
        found = consistency([L, L], 2)
        assert np.isfinite(found.common).all()


@given(st.integers(1, 12), st.integers(0, 999))
def test_laplacian_of_any_graph_dense_or_not(n, seed):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.5))
    W = W + W.T
    root = np.where(W.sum(axis=1) > 0.0, np.maximum(W.sum(axis=1), 1e-9) ** -0.5, 0.0)
    graph = sparse.csr_array(W)
    for found in (normalized_laplacian(graph).toarray(), normalized_laplacian(W)):
        np.testing.assert_allclose(found, root[:, None] * W * root, atol=1e-12)
    np.testing.assert_array_equal(graph.toarray(), W)  # what was given stays


# A dense method takes matrices of up to 256 rows.
@pytest.mark.parametrize("size", [20, 160])
@pytest.mark.parametrize("n_parts", [2, 5, 9])
def test_disconnected_graph_gives_eigenvectors_of_one(n_parts, size):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(size * n_parts, 2)) + 1000 * np.repeat(
        np.arange(n_parts), size
    ).reshape(-1, 1)
    L = normalized_laplacian(gaussian_affinity(X, width=1.0, n_neighbors=6))
    values, vectors = leading_eigenvectors(L, 5)
    n_ones = min(n_parts, 5)
    np.testing.assert_allclose(values[:n_ones], 1.0, atol=1e-9)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(5), atol=1e-9)
    assert np.abs(L @ vectors - vectors * values).max() < 1e-8
    if n_parts <= 5:  # then the space of the leading vectors is that of the parts
        parts = np.repeat(np.arange(n_parts), size)
        rows = vectors[:, :n_parts]
        for part in range(n_parts):
            inside = rows[parts == part]
            assert np.linalg.matrix_rank(inside, tol=1e-6) == 1


@given(st.integers(1, 30) | st.just(300), st.integers(0, 2**32 - 1), st.data())
def test_leading_eigenvectors_of_any_symmetric_matrix(n, seed, pick):
    k = pick.draw(st.integers(1, min(n, 30)))
    A = np.random.default_rng(seed).normal(size=(n, n))
    A = A + A.T
    values, vectors = leading_eigenvectors(A, k)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(A)[::-1][:k], atol=1e-6)
    np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-6)


def test_lazy_laplacians_are_the_same_kept_or_not(monkeypatch):
    worlds = worlds_of(6, 3, 25, 2)
    kept = Laplacians(worlds)
    monkeypatch.setattr("incerta.spectral.laplacians.KEPT_BYTES", 0)
    again = Laplacians(worlds)
    assert again[1] is not again[1]
    assert kept[1] is kept[1]
    for j, expected in enumerate(laplacians_of(worlds)):
        np.testing.assert_allclose(kept[j], expected)
        np.testing.assert_array_equal(kept[j], again[j])
    assert len(kept[1:]) == 2


@pytest.mark.parametrize("k", [2, 3, 5])
def test_eigengap_counts_separated_clusters(k):
    rng = np.random.default_rng(k)
    angle = 2 * np.pi * np.arange(k) / k
    centers = 10 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    X = centers[np.arange(120) % k] + rng.normal(size=(120, 2))
    worlds = ic.from_gaussian(X, std=0.3).worlds(5, 0)
    assert n_clusters_by_eigengap(worlds, None) == k


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: consistency([], 2), "laplacians is empty"),
        (lambda: consistency([np.eye(3)], 4), "4 leading eigenvectors"),
        (lambda: consistency([np.ones((3, 2))], 1), r"shape \(3, 2\)"),
        (lambda: gaussian_affinity(np.eye(3), width="mean"), "width='mean' must be"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# steps on their own ----------------------------------------------------------------


def test_the_median_of_many_objects_is_not_that_of_the_first():
    X = np.arange(3000.0)[:, None]
    # Half of all pairs of a stretch are nearer than this part of its length.
    assert median_distance(X) == pytest.approx(3000 * (1 - 0.5**0.5), rel=0.1)


@pytest.mark.parametrize("n", [1, 2, 40])
@pytest.mark.parametrize("n_neighbors", [3, 12])
def test_nearness_is_the_affinity_by_one_search(n_neighbors, n):
    X = np.random.default_rng(0).normal(size=(n, 2))
    expected = gaussian_affinity(X, width="self-tuning", n_neighbors=n_neighbors)
    found = nearness(X, n_neighbors).toarray()
    np.testing.assert_allclose(found, expected.toarray())


def test_near_is_who_is_near_from_either_side():
    W = gaussian_affinity([[0.0], [1.0], [1.1], [3.0]], width=1.0, n_neighbors=1)
    near = W.toarray() > 0
    assert near[3, 2]
    assert near[2, 3]


@pytest.mark.filterwarnings("ignore:the objective still rises")
def test_the_common_embedding_is_that_of_the_last_embeddings():
    laplacians = laplacians_of(worlds_of(3, 4, 30, 2, std=2.0))
    found = consistency(laplacians, 3, max_iter=1)
    np.testing.assert_array_equal(found.common, common_embedding(found.per_world))


def test_centers_are_in_the_order_of_the_labels():
    rows = np.repeat([[5.0, 0.0], [0.0, 5.0], [-5.0, 0.0], [0.0, -5.0]], 3, axis=0)
    for seed in range(5):
        labels, centers = cut(rows, 4, 5, seed)
        assert labels.tolist() == np.repeat(np.arange(4), 3).tolist()
        np.testing.assert_allclose(centers[labels], rows)


def test_rows_of_unit_length():
    rows = np.array([[3.0, 4.0], [0.0, 0.0]])
    np.testing.assert_allclose(of_unit_length(rows), [[0.6, 0.8], [0.0, 0.0]])


def test_some_laplacians_are_like_all():
    worlds = worlds_of(6, 3, 25, 2)
    for how in ({"width": 0.3}, {"width_scale": 2.0}, {"n_neighbors": 4}):
        every = Laplacians(worlds, **how)
        one, other = every[1:][0], every[1]
        assert abs(one - other).max() == 0.0


@pytest.mark.parametrize("n_neighbors", [None, 9])
def test_new_values_with_scales_of_their_own(n_neighbors):
    rng = np.random.default_rng(0)
    values, new = rng.normal(size=(40, 2)), rng.normal(size=(15, 2))
    new[0] = 1e3  # far from everything: it goes with the nearest
    scales, roots = rng.uniform(0.5, 2.0, 40), rng.uniform(0.1, 1.0, 40)
    world = Embedded(
        values=values, scales=scales, roots=roots, targets=rng.normal(size=(40, 3))
    )
    found = extend(new, world, "self-tuning", n_neighbors)
    for value, row in zip(new, found, strict=True):
        squares = np.square(values - value).sum(axis=1)
        near = squares.argsort()[:n_neighbors]
        own = np.sqrt(np.sort(squares)[6] / 2)
        logs = -squares[near] / (2 * own * scales[near])
        affinity = np.exp(logs - logs.max())
        sums = affinity @ (roots[near, None] * world.targets[near])
        np.testing.assert_allclose(row, sums / np.sqrt(affinity.sum()))


def test_embeddings_are_turned_onto_the_common_one():
    rng = np.random.default_rng(0)
    common = np.linalg.qr(rng.normal(size=(20, 3)))[0]
    rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    embedding = common @ rotation
    turned = embedding @ aligned(embedding, common)
    np.testing.assert_allclose(turned, common, atol=1e-12)


def test_stored_embeddings_are_of_their_worlds():
    data = ic.from_gaussian(np.random.default_rng(0).normal(size=(12, 2)), std=0.1)
    model = ic.RPC(2, 4, 3, random_state=0).fit(data)._model
    changed(model, n_neighbors=1)
    refused(model, targets=model.targets[:2])
    refused(model, common_target=model.common_target[:9])
    refused(model, n_neighbors=0)


def test_complement_of_a_block():
    basis = np.eye(5)[:, :2]
    block = np.column_stack([np.zeros(5), np.arange(5.0), np.ones(5), 3.0 * np.ones(5)])
    found = complement(block, basis)
    assert found.shape[1] <= 3
    np.testing.assert_allclose(found.T @ found, np.eye(found.shape[1]), atol=1e-12)
    np.testing.assert_allclose(basis.T @ found, 0.0, atol=1e-12)
    rest = block - basis @ (basis.T @ block)
    np.testing.assert_allclose(found @ (found.T @ rest), rest, atol=1e-9)
