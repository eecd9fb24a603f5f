"""On other devices pairs of values are decided as on the CPU, to the last bit."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import incerta as ic
from incerta.data.laws import Values
from incerta.density import value_pairs
from incerta.density.within import within, within_between

SAME_FOR_ALL = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@st.composite
def laws(draw, weighted):
    """Objects of one to forty values, on a grid where distances tie with eps or not."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    counts = rng.integers(1, draw(st.sampled_from([2, 5, 40])), size=7)
    values = rng.normal(size=(counts.sum(), draw(st.integers(1, 9))))
    if draw(st.booleans()):
        values = np.round(3 * values)
    far = draw(st.sampled_from([0.0, 1e3, 1e9]))
    scale = draw(st.sampled_from([1e-100, 1.0, 1e30]))
    starts = np.concatenate([[0], np.cumsum(counts)])
    weights = rng.uniform(size=len(values))
    weights /= np.repeat(np.add.reduceat(weights, starts[:-1]), counts)
    law = Values((values + far) * scale, starts, weights if weighted else None)
    return law, scale


@pytest.mark.parametrize("weighted", [False, True])
@given(data=st.data(), eps=st.sampled_from([0.0, 0.5, 1.0, np.sqrt(2), 3.0, 1e6]))
@settings(suppress_health_check=SAME_FOR_ALL, max_examples=10)
def test_tables(weighted, where, data, eps):
    law, scale = data.draw(laws(weighted))
    some, eps = law.take(np.arange(3)), eps * scale
    with np.errstate(all="ignore"), pytest.MonkeyPatch.context() as patched:
        patched.setattr(value_pairs, "DEVICE_BYTES", 2000)  # in several blocks
        pairs = [
            (within(law, eps, device=at), within_between(some, law, eps, device=at))
            for at in ("cpu", where)
        ]
    for here, there in zip(*pairs, strict=True):
        if weighted:  # sums of weights are rounded
            np.testing.assert_allclose(there.toarray(), here.toarray(), atol=1e-12)
        else:
            np.testing.assert_array_equal(there.toarray(), here.toarray())


@pytest.mark.parametrize("variant", ["marginal", "exact", "threshold"])
def test_fdbscan(variant, where):
    data, _ = ic.datasets.make_uncertain_moons(40, random_state=0)
    data = ic.from_array(np.stack(list(data.worlds(6, 0)), axis=1))
    how = {"variant": variant, "random_state": 0}
    one = ic.FDBSCAN(0.4, **how).fit(data)
    other = ic.FDBSCAN(0.4, device=where, **how).fit(data)
    assert one.n_clusters_ > 0
    np.testing.assert_array_equal(other.labels_, one.labels_)
    np.testing.assert_array_equal(other.core_probabilities_, one.core_probabilities_)
