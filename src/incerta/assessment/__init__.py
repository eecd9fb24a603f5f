"""Probabilities of given labels, and valleys between them."""
