"""What is written into model files comes back, and is refused if it was changed."""

import pytest

from incerta.models.registry import name_of, recipe_for


def changed(thing, **parts):
    """A record as read from a file in which some of its parts are others."""
    recipe = recipe_for(name_of(thing))
    return recipe.make(recipe.state(thing) | parts)


def refused(thing, **parts):
    changed(thing)
    with pytest.raises(ValueError, match=r"\w"):
        changed(thing, **parts)
