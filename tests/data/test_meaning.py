"""What the uncertainty means, from the constructors on."""

import numpy as np
import pytest
from scipy import stats

import incerta as ic
from incerta.data.meaning import certain, of_errors
from incerta.datasets import load_wine, make_uncertain
from tests.strategies import make

X = np.arange(12.0).reshape(3, 2, 2)
WIDE = {"id": ["a", "b"], "x": [1.0, 2.0], "x_error": [0.1, 0.2]}
BOUNDS = {"id": ["a", "b"], "low": [1.0, 2.0], "high": [2.0, 4.0]}
LONG = {"id": ["a", "b", "a", "b"], "x": [1.0, 2.0, 3.0, 4.0], "draw": [0, 0, 1, 1]}
MADE = {
    "gaussian": (ic.from_gaussian([[1.0]], std=1.0), "error"),
    "samples": (ic.from_samples([1.0, 2.0], ["a", "a"]), "spread"),
    "array": (ic.from_array(X), "spread"),
    "interval": (ic.from_interval([[0.0]], [[1.0]]), "belief"),
    "worlds": (ic.from_worlds(X), "belief"),
    "distributions": (ic.from_distributions([[stats.norm(0, 1)]]), "belief"),
    "exact": (ic.as_uncertain([[1.0]]), "error"),
    "wide": (ic.from_frame(WIDE, id="id", values="x", errors="{}_error"), "error"),
    "bounds": (
        ic.from_frame(
            BOUNDS, id="id", values="x", errors={"x": ("low", "high")}, kind="interval"
        ),
        "belief",
    ),
    "long": (ic.from_frame(LONG, id="id", values="x"), "spread"),
    "joint": (
        ic.from_frame(LONG, id="id", values="x", sample="draw", joint=True),
        "belief",
    ),
    "displaced": (make_uncertain(load_wine().data, mode="displaced"), "error"),
    "centered": (make_uncertain(load_wine().data, mode="centered"), "belief"),
}


@pytest.mark.parametrize("name", MADE)
def test_constructors_know_what_they_make(name):
    data, meaning = MADE[name]
    assert data.meaning == meaning
    for other in (data[:1], data.affine(np.full(data.n_features, 2.0))):
        assert other.meaning == meaning
    assert ic.Standardizer().fit_transform(data).meaning == meaning
    assert (f"{meaning}: " in repr(data)) is not data.exact


def test_it_can_be_said():
    assert ic.from_gaussian([[1.0]], std=1.0, meaning="belief").meaning == "belief"
    assert ic.from_interval([[0.0]], [[1.0]], meaning="error").meaning == "error"
    assert ic.from_worlds(X, meaning="spread").meaning == "spread"
    with pytest.raises(ValueError, match="meaning='truth' is not known"):
        make("gaussian").with_meaning("truth")


def test_parts_must_mean_the_same():
    one = ic.from_gaussian([[0.0]], std=1.0, ids=["a"])
    two = ic.from_interval([[0.0]], [[1.0]], ids=["b"])
    with pytest.raises(ValueError, match=r"different meanings.*\['belief', 'error'\]"):
        ic.concat([one, two])
    assert ic.concat([one.with_meaning("belief"), two]).meaning == "belief"
    exact = ic.from_samples([[5.0]], ["c"])
    assert ic.concat([exact, two]).meaning == "belief"


def test_files_keep_it(tmp_path):
    data = ic.from_gaussian(np.arange(6.0)[:, None], std=1.0)
    model = ic.RPC(2, 5, 2, random_state=0).fit(data)
    model.save(tmp_path / "model.incerta")
    again = ic.load(tmp_path / "model.incerta")
    assert again._model.worlds.data.meaning == "error"


def test_what_is_certain_and_what_has_errors():
    gaps = [[1.0, np.nan], [2.0, 3.0]]
    known = {
        "exact": (ic.as_uncertain([[1.0], [2.0]]), True, False),
        "errors of 0": (ic.from_gaussian([[1.0]], std=0.0), True, True),
        "errors": (ic.from_gaussian([[1.0]], std=[[0.5]]), False, True),
        "gaps": (ic.from_gaussian(gaps, std=0.0, missing="infinite"), False, True),
        "beliefs": (ic.from_interval([[0.0]], [[1.0]]), False, False),
        "no width": (ic.from_interval([[1.0]], [[1.0]]), True, False),
    }
    for name, (data, all_known, has_errors) in known.items():
        assert certain(data) == all_known, name
        assert of_errors(data) == has_errors, name
