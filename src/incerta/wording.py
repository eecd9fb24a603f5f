"""Numbers in sentences."""


def counted(n: int, thing: str) -> str:
    """Number of things: "1 object", "1,200 objects".

    Examples
    --------
    >>> from incerta.wording import counted
    >>> counted(1, "missing value"), counted(1200, "object")
    ('1 missing value', '1,200 objects')
    """
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def verb(n: int, of_one: str, of_many: str) -> str:
    """The form of a word that goes with a number: "is" or "are"."""
    return of_one if n == 1 else of_many
