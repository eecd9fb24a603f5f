"""The calls that most users need.

`load` is here, above all other rooms, because a file may hold an object of any room.
"""

from incerta import classifiers, estimators, published, streams
from incerta.api.answer import cluster
from incerta.api.assess import Assessment, assess
from incerta.api.clustering import Clustering
from incerta.api.members import Members, members
from incerta.models.files import load, save

# Register every class that a model file may name.
for _room in (estimators, published, streams):
    for _name in _room.__all__:
        getattr(_room, _name)
for _name in ("ErrorDiscriminant", "UncertainNaiveBayes"):  # the others are not saved
    getattr(classifiers, _name)

__all__ = [
    "Assessment",
    "Clustering",
    "Members",
    "assess",
    "cluster",
    "load",
    "members",
    "save",
]
