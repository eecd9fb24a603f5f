"""What ``--param`` says: parameters of methods, by name."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from incerta.cli.options import refuse
from incerta.estimators.named import spelled

WORDS = {"true": True, "false": False, "none": None}


def parsed(said: Sequence[str] | None) -> dict[str, Any]:
    """Parameters from ``name=value``.

    Values are numbers, true, false and none, in upper or lower case; all else is text.
    """
    found: dict[str, Any] = {}
    for text in said or ():
        name, equals, value = (part.strip() for part in text.partition("="))
        if not name or not equals:
            refuse("--param", f"{text!r} is not NAME=VALUE, such as eps=0.3.")
        if name in found:
            refuse("--param", f"{name!r} is given twice.")
        found[name] = value_of(value)
    return found


def value_of(text: str) -> Any:
    """A number, a truth value or None, where a text is one."""
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def check(method: str, params: Mapping[str, Any]) -> None:
    """Refuse parameters that a method does not have."""
    from incerta.api.methods import asked

    try:
        asked(method, params)
    except ValueError as error:
        refuse("--param", str(error).removeprefix("params: "))


def for_each(
    params: Mapping[str, Any], methods: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """Parameters of each method.

    Parameters
    ----------
    params : mapping of str
        ``METHOD.name`` is for one method, and goes first; ``name`` for all that have
        it.
    methods : sequence of str

    Returns
    -------
    dict of str to dict
    """
    found: dict[str, dict[str, Any]] = {method: {} for method in methods}
    for_one: dict[str, dict[str, Any]] = {method: {} for method in methods}
    known = _known(methods) if params else {}
    for name, value in params.items():
        method, dot, short = name.partition(".")
        if dot:
            one = spelled(method)
            if one not in for_one:
                why = f"{method!r} is not among the methods: {', '.join(methods)}."
                refuse("--param", why)
            check(one, {short: value})
            for_one[one][short] = value
            continue
        having = [method for method in methods if name in known[method]]
        if not having:
            _refuse_unknown(name, known)
        for method in having:
            found[method][name] = value
    return {method: found[method] | for_one[method] for method in methods}


def _known(methods: Sequence[str]) -> dict[str, dict[str, str]]:
    from incerta.api.methods import asked, parameters_of

    return {method: parameters_of(asked(method)) for method in methods}


def _refuse_unknown(name: str, known: Mapping[str, Mapping[str, str]]) -> None:
    names = sorted({each for parameters in known.values() for each in parameters})
    near = get_close_matches(name, names, 1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    why = f"no method has a parameter {name!r}.{hint} They have {', '.join(names)}."
    refuse("--param", why)
