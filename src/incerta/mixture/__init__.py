"""Mixtures of Gaussians seen through errors: what the truth is like, and where it is.

Model: the truth of object i is a draw x_i of a mixture; what was measured is
``w_i = x_i + e_i`` with an error of known covariance. A value that is missing has an
infinite error.
"""

from incerta.mixture.deconvolver import Deconvolver

__all__ = ["Deconvolver"]
