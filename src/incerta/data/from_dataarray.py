"""`from_xarray`: labeled arrays, whose dimensions are known by name."""

import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from incerta.data.checks import as_feature_names, as_floats, as_ids
from incerta.data.construct import from_array, from_worlds
from incerta.data.container import UncertainData
from incerta.data.grouping import Coded
from incerta.data.laws import Values
from incerta.data.tables.draws import mended_draws
from incerta.data.tables.gaps import complete_rows
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError, IncertaWarning, MissingValueError
from incerta.typing import Array, ArrayLike, Ids, Mask
from incerta.wording import counted, given, unknown_name, verb


def from_xarray(
    array: Any,
    *,
    object: str | Sequence[str] = "object",
    sample: str = "sample",
    feature: str | None = "feature",
    variables: Sequence[str] | None = None,
    joint: bool,
    missing: Literal["error", "drop", "impute"] = "error",
) -> UncertainData:
    """Make data from labeled arrays, whose dimensions are found by name.

    Parameters
    ----------
    array : xarray.DataArray or xarray.Dataset
        A DataArray with the three dimensions, or two for a single feature; or a Dataset
        whose variables are features, each with two dimensions. Other dimensions must
        have length 1.
    object : str or sequence of str, default="object"
        Dimension of the objects; its coordinate gives the ids. With several dimensions,
        such as ``("lat", "lon")``, or a dimension stacked from them, each cell of the
        grid is an object with the id ``"lat=50.0, lon=10.0"``, and the table of a
        `Clustering` has its coordinates.
    sample : str, default="sample"
        Dimension of the draws or values: ensemble members, posterior draws.
    feature : str or None, default="feature"
        Dimension of the features; its coordinate gives their names. None for a
        DataArray with a single feature. Not used for a Dataset.
    variables : sequence of str, optional
        Variables of a Dataset that are features; by default all of them.
    joint : bool
        Whether entry j of `sample` belongs together across objects (a member of an
        ensemble, a draw from one posterior), as in `from_worlds`. Otherwise the values
        of each object are independent, as in `from_array`.
    missing : {"error", "drop", "impute"}, default="error"
        "drop" leaves out draws with a missing value: for their object, or with `joint`
        for all objects. "impute" fills gaps of joint draws, as in `from_frame`, and
        leaves out other draws with gaps. Both leave out grid cells without any value,
        such as land in a map of the sea. A warning gives the numbers.

    Notes
    -----
    The array is copied once. Lazy arrays (dask, files) are loaded.

    Examples
    --------
    >>> import numpy as np
    >>> import xarray as xr
    >>> import incerta as ic
    >>> members = xr.DataArray(
    ...     np.arange(6.0).reshape(1, 2, 3),
    ...     dims=("variable", "station", "member"),
    ...     coords={"station": ["A", "B"], "variable": ["t2m"]},
    ... )
    >>> data = ic.from_xarray(
    ...     members, object="station", sample="member", feature="variable", joint=True
    ... )
    >>> data.ids.tolist(), data.feature_names, data.mean().ravel().tolist()
    (['A', 'B'], ('t2m',), [1.0, 4.0])
    """
    if missing not in ("error", "drop", "impute"):
        msg = f"{given(missing=missing)} must be 'error', 'drop' or 'impute'."
        raise DataError(msg)
    if not isinstance(object, str):
        for name in object:
            _refuse_unknown("object", name, array.dims)
        cells, object = tuple(object), ",".join(object)
        array = array.stack({object: cells}) if len(cells) > 1 else array
    gridded = object in array.indexes and array.indexes[object].nlevels > 1
    if gridded and missing != "error":
        array = _without_empty(array, object)
    if hasattr(array, "data_vars"):
        cube, names = _cube_of_dataset(array, object, sample, variables)
    elif variables is not None:
        msg = f"variables={list(variables)} is for a Dataset, not for a DataArray."
        raise DataError(msg)
    else:
        cube, names = _cube_of_array(array, object, sample, feature)
    ids = array.coords[object].values if object in array.coords else None
    if gridded:
        ids = _names_of_cells(array.indexes[object])
    draws = np.arange(cube.shape[1])
    if sample in array.coords:
        draws = np.asarray(array.coords[sample].values)
    return _from_cube(cube, ids, draws, names, joint, missing)


def _names_of_cells(index: Any) -> list[str]:
    pairs = [zip(index.names, cell, strict=True) for cell in index]
    return [", ".join(f"{name}={at}" for name, at in cell) for cell in pairs]


def dims_of_cells(dataset: Any, id: str | None) -> list[str]:
    """Return the dimensions of a grid of objects, as in "lat,lon"; else none."""
    dims = [name.strip() for name in (id or "").split(",")]
    return dims if len(dims) > 1 and set(dims) <= set(dataset.dims) else []


def _without_empty(array: Any, cells: str) -> Any:
    """Return the cells of a grid that have any value."""
    kept = array.dropna(cells, how="all")
    n = array.sizes[cells] - kept.sizes[cells]
    if n:
        msg = (
            f"{counted(n, 'cell')} without any value {verb(n, 'was', 'were')} left out."
        )
        warnings.warn(msg, IncertaWarning, stacklevel=3)
    return kept


def _refuse_unknown(parameter: str, name: str, dims: Sequence[str]) -> None:
    if name not in dims:
        msg = f"{parameter}: {unknown_name('dimension', name, list(dims))}"
        if parameter == "feature":
            msg += ". For a single feature say feature=None."
        raise DataError(msg)


def _cube_of_array(
    array: Any, object: str, sample: str, feature: str | None
) -> tuple[Array, list[str]]:
    dims = [object, sample] + ([] if feature is None else [feature])
    for parameter, name in zip(("object", "sample", "feature"), dims, strict=False):
        _refuse_unknown(parameter, name, array.dims)
    array = array.squeeze(
        [d for d in array.dims if d not in dims and array.sizes[d] == 1]
    )
    rest = [str(name) for name in array.dims if name not in dims]
    if rest:
        msg = (
            f"the array has the dimension {rest[0]!r} besides {dims}; pick one entry "
            f"with array.isel({rest[0]}=0), or name it among those of object=."
        )
        raise DataError(msg)
    cube = as_floats(array.transpose(object, sample, *dims[2:]).values, "array")
    if feature is None:
        return cube[:, :, None], [str(array.name or "x0")]
    if feature not in array.coords:
        return cube, [f"x{j}" for j in range(cube.shape[2])]
    return cube, [str(name) for name in array.coords[feature].values]


def _cube_of_dataset(
    dataset: Any, object: str, sample: str, variables: Sequence[str] | None
) -> tuple[Array, list[str]]:
    names = [str(name) for name in dataset.data_vars]
    chosen = names if variables is None else list(variables)
    for name in chosen:
        if name not in names:
            msg = f"variables: {unknown_name('variable', name, names)}"
            raise DataError(msg)
    if not chosen:
        msg = "the Dataset has no variables; there is nothing to cluster."
        raise DataError(msg)
    tables = [_cube_of_array(dataset[n], object, sample, None)[0] for n in chosen]
    return np.concatenate(tables, axis=2), chosen


def _from_cube(
    cube: Array,
    ids: ArrayLike | None,
    draws: Ids,
    names: Sequence[str],
    joint: bool,
    missing: str,
) -> UncertainData:
    """Make data from an array (n_objects, n_draws, n_features) with or without gaps."""
    gaps: Mask = np.asarray(np.isnan(cube).any(axis=2))
    if not gaps.any():
        if joint:
            return from_worlds(cube.swapaxes(0, 1), ids=ids, feature_names=names)
        return from_array(cube, ids=ids, feature_names=names)
    labels = as_ids(ids, len(cube))
    if missing == "error":
        msg = (
            f"{gaps.sum()} of {gaps.size} draws have missing values, the first of "
            f"object {labels[gaps.any(axis=1).argmax()]!s}. {given(missing='drop')} "
            f"leaves them out, {given(missing='impute')} fills them if they are joint."
        )
        raise MissingValueError(msg)
    features = as_feature_names(names, cube.shape[2])
    if joint:
        fill = missing == "impute"
        worlds = mended_draws(cube.swapaxes(0, 1), labels, draws, features, fill=fill)
        return from_worlds(worlds, ids=ids, feature_names=names)
    codes = np.repeat(np.arange(len(cube)), cube.shape[1])
    kept = complete_rows(Coded(labels, codes), gaps.ravel())
    starts = np.concatenate([[0], np.cumsum((~gaps).sum(axis=1))])
    values = cube.reshape(-1, cube.shape[2])[kept]
    return UncertainData(Values(values, starts), labels, features, meaning="spread")


def from_dimensions(array: Any, spec: TableSpec) -> UncertainData:
    """Make data from xarray objects, as described by the arguments of `from_frame`."""
    if spec.weight is not None:
        msg = f"{given(weight=spec.weight)} cannot be used with xarray data."
        raise DataError(msg)
    if spec.logs:
        msg = (
            f"{given(log=sorted(spec.logs))} cannot be used with draws along a "
            "dimension; take the logarithm of the data first, e.g. numpy.log10(df)."
        )
        raise DataError(msg)
    assert spec.id is not None
    assert spec.sample is not None
    alone = spec.id in array.dims or "," not in spec.id
    objects = (spec.id,) if alone else tuple(map(str.strip, spec.id.split(",")))
    feature, variables = None, None
    if not hasattr(array, "data_vars"):
        feature = spec.values[0]
        if len(spec.values) > 1:
            msg = (
                f"{given(values=list(spec.values))} must be the dimension of the "
                "features, as df is a DataArray; pick features with df.sel(...)."
            )
            raise DataError(msg)
    elif len(spec.values) == 1 and spec.values[0] in array.data_vars:
        # A single variable may have the dimension of the features.
        array = array[spec.values[0]]
        rest = [str(d) for d in array.dims if d not in (*objects, spec.sample)]
        feature = rest[0] if len(rest) == 1 else None
    else:
        variables = spec.values
    return from_xarray(
        array,
        object=spec.id if alone else objects,
        sample=spec.sample,
        feature=feature,
        variables=variables,
        joint=bool(spec.joint),
        missing="error" if spec.missing_rule == "infinite" else spec.missing_rule,
    )


def columns_of_dataset(dataset: Any, id: str | None) -> dict[str, Any]:
    """Return variables with the same dimension, or grid, as columns."""
    several = f"df is a DataArray with the dimensions {list(dataset.dims)}"
    if hasattr(dataset, "data_vars"):
        if dims := dims_of_cells(dataset, id):
            single = [d for d, n in dataset.sizes.items() if n == 1 and d not in dims]
            cells = dataset.squeeze(single, drop=True).stack({id: dims})
            names = _names_of_cells(cells.indexes[id])
            dataset = cells.reset_index(id).assign_coords({id: (id, names)})
        flat = {str(name): v for name, v in dataset.variables.items() if v.ndim == 1}
        all_flat = len(flat) == len(dataset.variables)
        if all_flat and len({v.dims for v in flat.values()}) == 1:
            return {name: v.values for name, v in flat.items()}
        several = f"the Dataset has the dimensions {dict(dataset.sizes)}"
    msg = (
        f"{several}; set {given('sample')} to the one that holds the draws, and "
        f"{given('joint')}. Or name those of a grid: {given(id='lat,lon')}."
    )
    raise DataError(msg)
