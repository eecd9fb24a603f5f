"""Measured values as beliefs, for classifiers that take laws as they are given."""

from incerta.data.container import UncertainData
from incerta.mixture import Deconvolver


def believer_for(data: UncertainData) -> Deconvolver | None:
    """What turns objects like those of a fit into beliefs; None if they are no errors.

    Worlds drawn around measured values would add a second error to each.
    """
    return Deconvolver().fit(data) if data.meaning == "error" else None


def believed(believer: Deconvolver | None, data: UncertainData) -> UncertainData:
    """Beliefs about the truth of objects, of the fit or new ones."""
    return data if believer is None else believer.transform(data)
