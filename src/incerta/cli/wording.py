"""Messages of the library in the words of the command line."""

import re

# Parameters that are options of the same name.
_NAMES = (
    "id|values|errors|kind|weight|missing|sample|meaning|batch|sep|decimal|encoding|na"
    "|corr|log|replicates|sheet|layers|method|label"
)
_SAID = re.compile(
    rf"""\b(?P<name>{_NAMES})=(?P<value>'[^']*'|"[^"]*"|\[[^\]]*\]|\([^)]*\)|[\w.+-]*)"""
)
# What has no option, and what to do instead.
_PHRASES = {
    "joint=True": "--joint",
    "joint=False": "--independent",
    "Other files can be loaded by your frame library and passed to from_frame.": (
        "Save the table as csv first."
    ),
    ", or a dict from value to (low, high)": "",
    ", or a dict from value to (upper, lower)": "",
    " Or give a dict from value to column.": "",
}


def as_options(text: str) -> str:
    """Say ``--missing impute`` where a message says ``missing='impute'``.

    Parameters
    ----------
    text : str
        A message for users of Python.

    Returns
    -------
    str
        For users of the command line.

    Examples
    --------
    >>> from incerta.cli.wording import as_options
    >>> as_options("Leave these rows out, or pass missing='impute'.")
    'Leave these rows out, or pass --missing impute.'
    >>> as_options("If this stands for a missing value, pass na='-999'.")
    'If this stands for a missing value, pass --na=-999.'
    """
    for phrase, instead in _PHRASES.items():
        text = text.replace(phrase, instead)
    return _SAID.sub(_option, text)


def _option(match: re.Match[str]) -> str:
    name, value = match["name"], match["value"]
    if value[:1] in ("[", "("):
        value = ",".join(re.findall(r"""['"]([^'"]*)['"]""", value))
    end = "." if value[:1] not in ("'", '"') and value.endswith(".") else ""
    value = value.removesuffix(end).strip("'\"")
    if re.search(r"[^\w.,+/:-]", value):
        value = f"'{value}'"
    joined = "=" if value.startswith("-") else " "
    return f"--{name}{joined}{value}".rstrip() + end
