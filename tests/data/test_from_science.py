"""xarray, uncertainties and astropy."""

import numpy as np
import pytest

import incerta as ic
from incerta.api.result import coordinates_of
from incerta.data import as_uncertain, from_distribution_array
from incerta.exceptions import DataError, IncertaWarning, MissingValueError

SHAPE = (4, 3, 2)  # objects, draws, features


@pytest.fixture
def cube():
    return np.random.default_rng(0).normal(size=SHAPE)


def labeled(cube, order=("station", "member", "variable")):
    xr = pytest.importorskip("xarray")
    array = xr.DataArray(
        cube.copy(),
        dims=("station", "member", "variable"),
        coords={"station": list("dcba"), "variable": ["t", "p"]},
        name="weather",
    )
    return array.transpose(*order)


NAMES = {"object": "station", "sample": "member", "feature": "variable"}
SAID = {"id": "station", "sample": "member", "joint": True}


class TestXarray:
    @pytest.mark.parametrize(
        "order",
        [("station", "member", "variable"), ("variable", "member", "station")],
    )
    def test_dimensions_are_found_by_name(self, cube, order):
        data = ic.from_xarray(labeled(cube, order), **NAMES, joint=True)
        assert data.joint
        assert data.ids.tolist() == list("dcba")
        assert data.feature_names == ("t", "p")
        np.testing.assert_array_equal(data.worlds(3)[1], cube[:, 1])

    def test_independent_values(self, cube):
        data = ic.from_xarray(labeled(cube), **NAMES, joint=False)
        assert not data.joint
        np.testing.assert_allclose(data.covariance(), covariances(cube))

    def test_a_single_feature(self, cube):
        array = labeled(cube).isel(variable=0, drop=True)
        data = ic.from_xarray(array, **(NAMES | {"feature": None}), joint=True)
        assert data.feature_names == ("weather",)
        np.testing.assert_array_equal(data.worlds(3)[2], cube[:, 2, :1])

    def test_without_coordinates(self, cube):
        xr = pytest.importorskip("xarray")
        array = xr.DataArray(cube, dims=("object", "sample", "feature"))
        data = ic.from_xarray(array, joint=True)
        assert data.ids.tolist() == [0, 1, 2, 3]
        assert data.feature_names == ("x0", "x1")

    def test_dataset(self, cube):
        dataset = labeled(cube).to_dataset("variable")
        dims = {"object": "station", "sample": "member"}
        data = ic.from_xarray(dataset, **dims, joint=True)
        assert data.feature_names == ("t", "p")
        np.testing.assert_array_equal(data.worlds(3)[0], cube[:, 0])
        one = ic.from_xarray(dataset, **dims, variables=["p"], joint=False)
        np.testing.assert_allclose(one.mean(), cube[:, :, 1:].mean(axis=1))

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"object": "statoin"}, "object: .*'statoin'; did you mean 'station'"),
            ({"sample": "draw"}, "sample: there is no dimension 'draw'"),
            ({"feature": "x"}, "feature: .*single feature say feature=None"),
            ({"feature": None}, r"has the dimension 'variable' beside.*isel"),
            ({"variables": ["t"]}, "is for a Dataset"),
            ({"missing": "keep"}, "missing='keep' must be 'error', 'drop' or 'impute'"),
        ],
    )
    def test_what_does_not_fit(self, cube, changes, message):
        with pytest.raises(DataError, match=message):
            ic.from_xarray(labeled(cube), **(NAMES | changes), joint=True)

    def test_unknown_variable(self, cube):
        dataset = labeled(cube).to_dataset("variable")
        with pytest.raises(DataError, match="variables: there is no variable 'q'"):
            ic.from_xarray(
                dataset,
                object="station",
                sample="member",
                variables=["q"],
                joint=True,
            )
        with pytest.raises(DataError, match="no variables"):
            ic.from_xarray(dataset[[]], object="station", sample="member", joint=True)

    def test_missing_values(self, cube):
        cube[1, 2, 0] = np.nan
        array = labeled(cube)
        with pytest.raises(MissingValueError, match=r"1 of 12 draws.*object c"):
            ic.from_xarray(array, **NAMES, joint=True)
        with pytest.warns(IncertaWarning, match="1 of 3 joint draws"):
            joint = ic.from_xarray(array, **NAMES, joint=True, missing="drop")
        np.testing.assert_array_equal(
            joint.worlds(2).stack(), cube[:, :2].swapaxes(0, 1)
        )
        with pytest.warns(IncertaWarning, match="1 of 12 rows"):
            apart = ic.from_xarray(array, **NAMES, joint=False, missing="drop")
        assert apart.values_per_object().tolist() == [3, 2, 3, 3]
        np.testing.assert_allclose(apart.mean()[1], cube[1, :2].mean(axis=0))

    def test_object_without_complete_draw(self, cube):
        cube[1, :, 0] = np.nan
        with pytest.raises(MissingValueError, match=r"1 object has.*first is c"):
            ic.from_xarray(labeled(cube), **NAMES, joint=False, missing="drop")

    def test_through_from_frame(self, cube):
        array = labeled(cube)
        data = ic.from_frame(array, **SAID, values="variable")
        np.testing.assert_array_equal(data.worlds(3)[1], cube[:, 1])
        dataset = array.to_dataset("variable")
        data = ic.from_frame(dataset, **SAID, values=["p", "t"])
        np.testing.assert_array_equal(data.worlds(3)[1], cube[:, 1, ::-1])
        data = ic.from_frame(array.to_dataset(), **SAID, values="weather")
        np.testing.assert_array_equal(data.worlds(3)[1], cube[:, 1])

    def test_through_from_frame_what_does_not_fit(self, cube):
        array = labeled(cube)
        with pytest.raises(DataError, match="to the one that holds the draws"):
            ic.from_frame(array, id="station", values="variable")
        with pytest.raises(DataError, match="to the one that holds the draws"):
            ic.from_frame(array.to_dataset(), id="station", values="weather")
        with pytest.raises(DataError, match="must be the dimension of the features"):
            ic.from_frame(array, **SAID, values=["t", "p"])
        with pytest.raises(DataError, match="weight='t' cannot be used with xarray"):
            ic.from_frame(
                array, **(SAID | {"joint": False}), values="variable", weight="t"
            )

    def test_cells_of_a_grid(self):
        xr = pytest.importorskip("xarray")
        rng = np.random.default_rng(0)
        cells = rng.normal(size=(5, 1, 3, 4)) + np.arange(4) // 2 * 9.0
        grid = xr.DataArray(
            cells,
            dims=("member", "level", "lat", "lon"),
            coords={"lat": [50.0, 50.5, 51.0], "lon": np.arange(4) / 4},
            name="t",
        )
        dims = {"object": ("lat", "lon"), "sample": "member", "feature": None}
        data = ic.from_xarray(grid, **dims, joint=True)
        assert data.ids[:2].tolist() == ["lat=50.0, lon=0.0", "lat=50.0, lon=0.25"]
        np.testing.assert_array_equal(data.worlds(5)[1].ravel(), cells[1].ravel())
        stacked = grid.to_dataset().stack(cell=("lat", "lon"))
        same = ic.from_xarray(stacked, object="cell", sample="member", joint=True)
        assert same.ids.tolist() == data.ids.tolist()
        framed = ic.from_frame(
            grid.to_dataset(), id="lat, lon", values="t", sample="member", joint=True
        )
        np.testing.assert_array_equal(framed.mean(), data.mean())
        result = ic.cluster(data, 2, "UKMeans")
        columns = result.columns()
        assert columns["lat"].tolist() == np.repeat([50.0, 50.5, 51.0], 4).tolist()
        assert columns["lon"].tolist() == np.tile(np.arange(4) / 4, 3).tolist()
        with pytest.raises(DataError, match="object: there is no dimension 'lot'"):
            ic.from_xarray(grid, **(dims | {"object": ("lat", "lot")}), joint=True)

    def test_cells_without_any_value_are_left_out(self):
        xr = pytest.importorskip("xarray")
        sea = np.arange(24.0).reshape(2, 3, 4)
        sea[:, 1] = np.nan
        grid = xr.DataArray(sea, dims=("member", "lat", "lon"), name="t")
        dims = {"object": ("lat", "lon"), "sample": "member", "feature": None}
        with pytest.raises(MissingValueError, match="of object lat=1, lon=0"):
            ic.from_xarray(grid, **dims, joint=True)
        with pytest.warns(IncertaWarning, match="4 cells without any value were left"):
            data = ic.from_xarray(grid, **dims, joint=True, missing="drop")
        assert data.ids.tolist()[4] == "lat=2, lon=0"

    @pytest.mark.parametrize(
        "ids", [["a=1, b=2", "a=1"], ["a=1", "a=2"], ["a", "b"], [1, 2]]
    )
    def test_other_ids_have_no_coordinates(self, ids):
        assert coordinates_of(np.array(ids)) == {}

    def test_dataset_as_a_table(self):
        xr = pytest.importorskip("xarray")
        table = xr.Dataset(
            {"x": ("star", [1.0, 2.0]), "x_e": ("star", [0.1, 0.2])},
            coords={"star": ["a", "b"]},
        )
        data = ic.from_frame(table, id="star", values="x", errors="{}_e")
        assert data.ids.tolist() == ["a", "b"]
        np.testing.assert_allclose(data.variance().ravel(), [0.01, 0.04])

    def test_as_uncertain_asks_for_names(self, cube):
        with pytest.raises(DataError, match="use from_xarray"):
            as_uncertain(labeled(cube))


def covariances(cube):
    return np.array([np.cov(values.T, bias=True) for values in cube])


class TestUncertainties:
    def test_independent_features(self):
        unumpy = pytest.importorskip("uncertainties.unumpy")
        array = unumpy.uarray([[1.0, 2.0], [3.0, 4.0]], [[0.1, 0.2], [0.3, 0.4]])
        data = ic.from_uncertainties(array)
        assert data.kind == "gaussian"
        np.testing.assert_allclose(data.mean(), [[1, 2], [3, 4]])
        np.testing.assert_allclose(data.variance(), [[0.01, 0.04], [0.09, 0.16]])
        assert as_uncertain(array).kind == "gaussian"

    def test_correlated_features(self):
        uncertainties = pytest.importorskip("uncertainties")
        rows, expected = [], []
        for seed in range(3):
            rng = np.random.default_rng(seed)
            a, b = (uncertainties.ufloat(*rng.uniform(1, 2, 2)) for _ in range(2))
            rows.append([a * b, a / b, a - 2 * b])
            expected.append(uncertainties.covariance_matrix(rows[-1]))
        data = ic.from_uncertainties(rows)
        assert data.kind == "correlated gaussian"
        np.testing.assert_allclose(data.covariance(), expected, atol=1e-12)

    def test_plain_numbers_are_exact(self):
        ufloat = pytest.importorskip("uncertainties").ufloat
        data = ic.from_uncertainties([ufloat(1.0, 0.1), 2.0], ids=["a", "b"])
        np.testing.assert_allclose(data.variance().ravel(), [0.01, 0.0])
        assert data.ids.tolist() == ["a", "b"]

    def test_shared_sources_are_warned_of(self):
        ufloat = pytest.importorskip("uncertainties").ufloat
        offset = ufloat(0.0, 1.0)
        with pytest.warns(IncertaWarning, match="1 sources of error are shared"):
            ic.from_uncertainties([[ufloat(1.0, 0.1) + offset], [offset]])

    @pytest.mark.parametrize("array", [np.empty((0, 2)), np.ones((2, 2, 2))])
    def test_shape(self, array):
        with pytest.raises(DataError, match=r"must be \(n_objects, n_features\)"):
            ic.from_uncertainties(array)

    def test_nan(self):
        ufloat = pytest.importorskip("uncertainties").ufloat
        with pytest.raises(DataError, match="NaN"):
            ic.from_uncertainties([[ufloat(float("nan"), 1.0)]])

    @pytest.mark.parametrize("library", ["dict", "pandas"])
    def test_columns_of_a_frame(self, library):
        ufloat = pytest.importorskip("uncertainties").ufloat
        a = ufloat(1.0, 0.3)
        table = {"id": ["p", "q"], "x": [a, ufloat(2.0, 0.1)], "y": [2 * a, 5.0]}
        if library == "pandas":
            table = pytest.importorskip("pandas").DataFrame(table)
        data = ic.from_frame(table, id="id", values=["x", "y"])
        np.testing.assert_allclose(data.covariance()[0], [[0.09, 0.18], [0.18, 0.36]])
        with pytest.raises(DataError, match="weight='y' cannot be used here"):
            ic.from_frame(table, id="id", values="x", weight="y")


class TestAstropy:
    def test_distribution(self, cube):
        unc = pytest.importorskip("astropy.uncertainty")
        dist = unc.Distribution(np.moveaxis(cube, 1, -1).copy())
        data = from_distribution_array(dist)
        assert data.shape == (4, 2)
        np.testing.assert_allclose(data.covariance(), covariances(cube))
        joint = from_distribution_array(dist, joint=True)
        np.testing.assert_array_equal(joint.worlds(3)[2], cube[:, 2])
        np.testing.assert_allclose(as_uncertain(dist).mean(), cube.mean(axis=1))

    def test_units_are_taken_off(self):
        unc = pytest.importorskip("astropy.uncertainty")
        units = pytest.importorskip("astropy.units")
        dist = unc.Distribution(np.array([[1.0, 3.0]]) * units.m)
        np.testing.assert_allclose(from_distribution_array(dist).mean(), [[2.0]])

    def test_shape(self):
        unc = pytest.importorskip("astropy.uncertainty")
        with pytest.raises(DataError, match=r"dist has shape \(1, 1, 1\)"):
            from_distribution_array(unc.Distribution(np.ones((1, 1, 1, 4))))

    def test_table(self):
        table = pytest.importorskip("astropy.table").Table(
            {
                "star": np.array([b"a", b"b", b"c"]),
                "x": np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False]),
                "n": np.ma.array([1, 2, 3], mask=[False, False, True]),
                "e": np.array([0.1, 0.2, 0.3], dtype=">f4"),
            }
        )
        data = ic.from_frame(table, id="star", values="e")
        assert data.ids.tolist() == ["a", "b", "c"]
        with pytest.raises(MissingValueError, match="1 in 'x'; the first object is b"):
            ic.from_frame(table, id="star", values="x", errors="e", missing="error")
        with pytest.raises(MissingValueError, match="1 in 'n'; the first object is c"):
            ic.from_frame(table, id="star", values="n")

    def test_masked_ids(self):
        ids = np.ma.array(["a", "b"], mask=[False, True])
        table = pytest.importorskip("astropy.table").Table({"id": ids, "x": [1.0, 2.0]})
        with pytest.raises(MissingValueError, match="id='id' is missing in 1 row"):
            ic.from_frame(table, id="id", values="x")

    def test_table_with_units(self):
        units = pytest.importorskip("astropy.units")
        masked = pytest.importorskip("astropy.utils.masked").Masked
        table = pytest.importorskip("astropy.table").QTable()
        table["x"] = [1.0, 2.0] * units.m
        table["y"] = masked([1.0, 2.0] * units.s, mask=[False, True])
        data = ic.from_frame(table, values="x")
        np.testing.assert_allclose(data.mean().ravel(), [1.0, 2.0])
        with pytest.raises(MissingValueError, match="1 in 'y'"):
            ic.from_frame(table, values="y")

    @pytest.mark.parametrize("unit", [True, False])
    def test_table_of_distributions(self, unit):
        unc = pytest.importorskip("astropy.uncertainty")
        units = pytest.importorskip("astropy.units")
        draws = np.array([[1.0, 3.0], [5.0, 5.0]])
        table = pytest.importorskip("astropy.table").QTable()
        table["id"] = ["a", "b"]
        table["x"] = unc.Distribution(draws * units.m if unit else draws)
        table["y"] = unc.Distribution(-draws * units.s if unit else -draws)
        data = ic.from_frame(table, id="id", values=["x", "y"])
        np.testing.assert_allclose(data.covariance()[0], [[1, -1], [-1, 1]])
        table["z"] = [1.0, 2.0]
        with pytest.raises(DataError, match="must all be Distributions"):
            ic.from_frame(table, id="id", values=["x", "z"])
