"""`Dataset`: what a loader returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from incerta.data import UncertainData
from incerta.typing import Array, Ids, Indices


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A data set with known classes.

    Attributes
    ----------
    name : str
        Short name.
    data : UncertainData or ndarray of shape (n_objects, n_features)
        The objects; a plain array if they are exact. `make_uncertain` turns exact
        objects into uncertain ones.
    target : ndarray of shape (n_objects,)
        Class of each object, counted from 0.
    target_names : tuple of str
        Name of each class.
    feature_names : tuple of str
        Name of each feature.
    description : str
        Where the data come from, under what licence, and what to cite.
    objects : mapping of str to ndarray of shape (n_objects,)
        What else is known about each object, such as the location of a station.

    Examples
    --------
    >>> import incerta as ic
    >>> ic.datasets.load_wine()
    Dataset 'wine': 178 objects (exact), 13 features, 3 classes
    """

    name: str
    data: UncertainData | Array
    target: Indices
    target_names: tuple[str, ...]
    feature_names: tuple[str, ...]
    description: str
    objects: Mapping[str, Ids] = field(default_factory=dict)

    def __repr__(self) -> str:
        kind = self.data.kind if isinstance(self.data, UncertainData) else "exact"
        return (
            f"Dataset {self.name!r}: {len(self.target)} objects ({kind}), "
            f"{len(self.feature_names)} features, {len(self.target_names)} classes"
        )
