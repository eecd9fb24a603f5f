"""Values below a detection limit."""

import numpy as np
import pytest

import incerta as ic
from incerta.data.tables.censored import below_limits
from incerta.data.tables.errors import DEVIATION_OF, ERROR_OF
from incerta.exceptions import DataError, IncertaWarning


@pytest.mark.parametrize("kind", DEVIATION_OF)
def test_errors_of_every_kind_come_back(kind):
    deviations = np.array([0.1, 1.0, 7.0])
    np.testing.assert_allclose(
        DEVIATION_OF[kind](ERROR_OF[kind](deviations)), deviations
    )


@pytest.mark.parametrize("kind", ERROR_OF)
def test_a_limit_means_the_same_in_every_kind(tmp_path, kind):
    path = tmp_path / "limits.csv"
    path.write_text("id,h,e\na,1.5,0.1\nb,<0.6,\n")
    with pytest.warns(IncertaWarning, match="below a limit"):
        data = ic.read_table(path, id="id", values="h", errors="e", kind=kind)
    assert data.meaning == "error"
    assert data.mean()[1, 0] == pytest.approx(0.3)
    assert data.variance()[1, 0] == pytest.approx(0.6**2 / 12)


def test_without_errors_it_is_a_belief(tmp_path):
    path = tmp_path / "limits.csv"
    path.write_text("id,h,g\na,1.5,0.1\nb,<0.6,2\nc,,3\n")
    with pytest.warns(IncertaWarning, match="below a limit"):
        data = ic.read_table(path, id="id", values=["h", "g"], missing="infinite")
    assert data.meaning == "error"  # as missing values have infinite errors
    path.write_text("id,h,g\na,1.5,0.1\nb,<0.6,2\nc,4,3\n")
    with pytest.warns(IncertaWarning, match="below a limit"):
        data = ic.read_table(path, id="id", values=["h", "g"])
    assert data.meaning == "belief"
    drawn = np.stack(list(data.worlds(50, random_state=0)))
    assert (np.ptp(drawn, axis=0) > 0).tolist() == [
        [False] * 2,
        [True, False],
        [False] * 2,
    ]


def test_a_column_shared_by_two_values(tmp_path):
    path = tmp_path / "limits.csv"
    path.write_text("id,h,g,e\na,1.5,0.1,0.2\nb,<0.6,2,0\n")
    with pytest.warns(IncertaWarning, match="below a limit"):
        data = ic.read_table(path, id="id", values=["h", "g"], errors=["e", "e"])
    expected = [[0.04, 0.04], [0.03, 0.0]]
    np.testing.assert_allclose(data.variance(), expected, atol=1e-12)


@pytest.mark.parametrize("kind", ERROR_OF)
def test_logarithms_take_the_log_normal_below_the_limit(tmp_path, kind):
    path = tmp_path / "limits.csv"
    rows = "a,10,0.1\nb,100,1\nc,1000,2\nd,<10,\ne,<1000,\n"
    path.write_text("id,h,e\n" + rows)
    said = {"id": "id", "values": "h", "errors": "e", "kind": kind, "log": "h"}
    with pytest.warns(IncertaWarning, match="2 in 'h'.* part below L of its column's"):
        data = ic.read_table(path, **said)
    assert data.feature_names == ("log10(h)",)
    mean, std = below_limits(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0]))
    np.testing.assert_allclose(data.mean()[3:, 0], mean)
    np.testing.assert_allclose(data.variance()[3:, 0], std**2)


def test_logarithms_need_values(tmp_path):
    path = tmp_path / "limits.csv"
    path.write_text("id,h\na,<10\nb,<100\nc,1000\n")
    with pytest.raises(DataError, match=r"fewer than two .* Leave it out of log="):
        ic.read_table(path, id="id", values="h", log=True)
    path.write_text("id,h\na,<10\nb,0\nc,1000\nd,100\n")
    with (
        pytest.warns(IncertaWarning, match="below a limit"),
        pytest.raises(DataError, match=r"line 3, object b: 0.0 has no logarithm"),
    ):
        ic.read_table(path, id="id", values="h", log=True)
