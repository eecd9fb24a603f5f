"""Sentences of the report, from the numbers they are about."""

from incerta.report.summarize import _uncertainty

LITTLE = "single values say little about where an object belongs"


def said(ratios, joint):
    names = [f"x{j}" for j in range(len(ratios))]
    data = {"feature_names": names, "relative_uncertainty": ratios, "joint": joint}
    return " ".join(_uncertainty(data))


def test_single_values_say_little_where_they_do():
    assert LITTLE in said([2.0], joint=False)
    assert "x0 is 2 times the spread" in said([2.0], joint=True)
    # Joint values move together, so that objects may differ in every world.
    assert LITTLE not in said([2.0], joint=True)
    assert LITTLE not in said([0.9], joint=False)


def test_the_most_uncertain_feature_is_named():
    told = said([0.5, 3.0, None], joint=False)
    assert "most uncertain feature is x1: its uncertainty is 3 times" in told
    assert said([None], joint=False) == ""
