"""Values that are missing, and methods that cannot do without them."""

from incerta.data.container import UncertainData
from incerta.data.projections import projected
from incerta.exceptions import MissingValueError
from incerta.wording import counted, given, verb


def refuse_missing(data: UncertainData) -> None:
    """Raise if values are missing."""
    gaps = data.law.missing()
    if gaps is not None and projected(data.law) is not None:
        n, first = int(gaps.any(axis=1).sum()), data.ids[int(gaps.any(axis=1).argmax())]
        msg = (
            f"{counted(n, 'object')} {verb(n, 'was', 'were')} measured in projection, "
            f"the first {first!s}: not all features follow from what was measured. "
            "AutoClusterer and ErrorMixture take them as they are; for other methods "
            "let Deconvolver().fit_transform(data) say what they probably are."
        )
        raise MissingValueError(msg)
    if gaps is not None:
        n, first = int(gaps.sum()), data.ids[int(gaps.any(axis=1).argmax())]
        msg = (
            f"{counted(n, 'value')} {verb(n, 'is', 'are')} missing, the first of "
            f"object {first!s}. AutoClusterer and ErrorMixture take them as they are; "
            f"for other methods read the table with {given(missing='impute')} or "
            f"{given(missing='drop')}, or let Deconvolver().fit_transform(data) say "
            "what they probably are."
        )
        raise MissingValueError(msg)
