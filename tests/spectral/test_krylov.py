"""Leading eigenvectors from spaces that grow, against LAPACK."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incerta.spectral.embedding import lanczos, leading_eigenvectors


def matrix_with(values, seed=0):
    """A symmetric matrix with these eigenvalues, and its eigenvectors."""
    n = len(values)
    vectors = np.linalg.qr(np.random.default_rng(seed).normal(size=(n, n)))[0]
    return (vectors * values) @ vectors.T, vectors


def path(n):
    """The normalized Laplacian of a chain: its eigenvalues are close to each other."""
    steps = np.eye(n, k=1) + np.eye(n, k=-1)
    degrees = steps.sum(axis=0)
    return steps / np.sqrt(degrees[:, None] * degrees)


def residuals(matrix, values, vectors):
    return np.linalg.norm(matrix @ vectors - vectors * values, axis=0)


# Eigenvalues that repeat, also the one at the end of what is wanted; none but zeros.
spectra = st.lists(
    st.sampled_from([1.0, 1.0 - 1e-9, 0.9, 0.5, 0.0, -1.0]), min_size=1, max_size=30
)


@given(spectra, st.integers(0, 2**32 - 1), st.floats(-6.0, 6.0), st.data())
def test_eigenvalues_that_repeat(values, seed, log_scale, pick):
    scale = 10.0**log_scale
    k = pick.draw(st.integers(1, len(values)))
    matrix, _ = matrix_with(scale * np.sort(values)[::-1], seed)
    start = np.random.default_rng(seed).normal(size=(len(values), k))
    found, vectors = lanczos(lambda b: matrix @ b, start, 1e-9 * scale, 500)
    wanted = np.sort(values)[::-1][:k]
    np.testing.assert_allclose(found / scale, wanted, atol=1e-8)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-10)


def test_a_matrix_of_few_eigenvalues_ends_the_search():
    """What is left is noise then, which must not be taken for vectors."""
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(10, 31))
        values = np.sort(rng.choice([1.0, 0.9, 0.5, 0.0, -1.0], size=n))[::-1]
        k = int(rng.integers(1, 6))
        matrix, _ = matrix_with(values, seed)
        found, vectors = lanczos(lambda b: matrix @ b, rng.normal(size=(n, k)), 0.0, 40)  # noqa: B023
        np.testing.assert_allclose(found, values[:k], atol=1e-9)
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-10)


@pytest.mark.parametrize("tol", [1e-3, 1e-4, 1e-9])
@pytest.mark.parametrize(("n", "k"), [(300, 1), (300, 3), (600, 7)])
def test_a_space_that_is_cut_back_many_times(n, k, tol):
    matrix = path(n)
    values, vectors = leading_eigenvectors(matrix, k, tol=tol, max_steps=3000)
    assert residuals(matrix, values, vectors).max() <= tol * 1.001
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-11)
    exact = np.linalg.eigvalsh(matrix)[::-1][:k]
    # An error of r in a vector is one of up to r in its value.
    np.testing.assert_allclose(values, exact, atol=tol)


def test_vectors_are_orthonormal_from_a_start_that_is_nearly_right():
    values = np.linspace(1.0, -1.0, 200)
    matrix, vectors = matrix_with(values)
    noise = np.random.default_rng(1).normal(size=(200, 4))
    for size in (1e-5, 1e-7, 1e-9):
        start = vectors[:, :4] + size * noise
        found, now = lanczos(lambda b: matrix @ b, start, 1e-12, 500)
        np.testing.assert_allclose(now.T @ now, np.eye(4), atol=1e-13)
        np.testing.assert_allclose(found, values[:4], atol=1e-12)


@pytest.mark.parametrize("max_steps", [1, 2, 3, 5])
def test_after_too_few_steps_the_best_so_far(max_steps):
    matrix = path(300)
    products = []

    def times(block):
        products.append(block.shape[1])
        return matrix @ block

    start = np.random.default_rng(0).normal(size=(300, 4))
    values, vectors = lanczos(times, start, 1e-9, max_steps)
    assert products == [4] * max_steps
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(4), atol=1e-12)
    # Ritz values are those of the matrix within the space, never above the leading.
    np.testing.assert_allclose(
        vectors.T @ matrix @ vectors, np.diag(values), atol=1e-12
    )
    assert (values <= np.linalg.eigvalsh(matrix)[::-1][:4]).all()


CLEAR = np.concatenate([[1.0, 0.9, 0.8], np.linspace(0.4, -0.4, 297)])


@pytest.mark.parametrize(
    ("matrix", "late"), [(path(300), 6), (matrix_with(CLEAR)[0], 4)]
)
def test_residuals_are_looked_at_in_time(matrix, late):
    """Hardly more products than if they were looked at after each."""
    start = np.random.default_rng(0).normal(size=(300, 3))

    def steps_until(tol, max_steps=2000):
        products = []

        def times(block):
            products.append(1)
            return matrix @ block

        found = lanczos(times, start, tol, max_steps)
        return len(products), residuals(matrix, *found).max()

    for tol in (1e-2, 1e-3, 1e-5):
        needed, _ = steps_until(tol)
        # Stopped a little earlier, they are not yet small enough.
        assert steps_until(0.0, needed - late)[1] > tol
