"""How many clusters there are."""

from incerta.number.choose import KChoice, choose_k

__all__ = ["KChoice", "choose_k"]
