from ._discriminant import ErrorDiscriminant
from ._naive_bayes import UncertainNaiveBayes
from ._support import SupportMeasureClassifier
from ._worlds import WorldsClassifier

# In the order in which the command line and the pages list them.
__all__ = [
    "ErrorDiscriminant",
    "UncertainNaiveBayes",
    "SupportMeasureClassifier",
    "WorldsClassifier",
]
