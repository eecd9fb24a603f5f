"""Gaussian mixtures of true values x_i observed with errors: ``w_i = x_i + e_i``."""

from incerta.mixture.deconvolver import Deconvolver

__all__ = ["Deconvolver"]
