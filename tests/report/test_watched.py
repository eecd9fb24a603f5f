"""The page about a stream."""

import pytest

from incerta.report.watched import HEIGHT, WIDTH, page_of_stream, picture
from tests.extras import needs

HISTORY = {
    "rows": [10, 20, 30, 40],
    "centers": [
        {"0": [1.0]},
        {"0": [2.0], "1": [5.0]},
        {"1": [5.0]},
        {"0": [3.0], "1": [None]},
    ],
}


def test_lines_have_gaps_where_a_cluster_was_not_there():
    found = picture(HISTORY, 0)
    pieces = {line["cluster"]: line["pieces"] for line in found["lines"]}
    assert [len(piece) for piece in pieces[0]] == [2, 1]
    assert [len(piece) for piece in pieces[1]] == [2]
    points = [p for each in pieces.values() for piece in each for p in piece]
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in points)
    (low, high), (alone,) = pieces[0]
    assert low[0] < high[0] < alone[0]
    assert low[1] > high[1] > alone[1]  # upwards is less


def test_lines_of_a_picture_are_in_the_order_of_the_looks():
    clusters = [7, 3, 11, 2, 19, 5, 23]
    look = {str(c): [1.0] for c in clusters}
    found = picture({"rows": [1, 2], "centers": [look, look]}, 0)
    assert [line["cluster"] for line in found["lines"]] == clusters


@pytest.mark.parametrize(
    "history",
    [
        {"rows": [], "centers": []},
        {"rows": [5], "centers": [{"3": [0.0]}]},
    ],
)
def test_little_to_draw(history):
    found = picture(history, 0)
    assert len(found["lines"]) == len(history["rows"])
    assert len(found["ticks"]) == 3


@needs("jinja2", "report")
def test_texts_are_escaped():
    bad = "<script>alert(1)</script>"
    one = {"cluster": 0, "share": 1.0, "since": 1, "rows": 9}
    one |= {"center": [1.0], "error": [0.1], "spread": [1.0]}
    page = page_of_stream(
        {
            "source": bad,
            "rows": 9,
            "left_out": 30,
            "bad_rows": [{"line": 4, "why": bad}],
            "features": [bad],
            "clusters": [one],
            "gone": [{**one, "cluster": 1, "until": 8}],
            "counts": {"new": 2, "moved": 0, "gone": 1},
            "events": [{"rows": 3, "kind": "new", "cluster": 0, "told": bad}],
            "history": HISTORY,
            "command": f"incerta watch {bad}",
            "versions": {"incerta": "1"},
        }
    )
    assert "<script" not in page
    assert "and 29 more" in page
    assert page.count("<polyline") == 3
