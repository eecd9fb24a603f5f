"""Mixtures of Gaussians seen through errors: ``w_i = x_i + e_i``, x_i of a mixture."""

from incerta.mixture.deconvolver import Deconvolver

__all__ = ["Deconvolver"]
