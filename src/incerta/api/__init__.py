"""Calls for people who want an answer."""

from incerta.api.choose_k import KChoice, choose_k

__all__ = ["KChoice", "choose_k"]
