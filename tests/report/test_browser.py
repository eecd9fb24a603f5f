"""The page in a browser: it works, it is closed, and hostile names do nothing."""

import csv
import json
import os
import shutil
from itertools import product

import numpy as np
import pytest

import incerta as ic
from incerta.api.answer import cluster
from incerta.report import summarize, write
from incerta.wording import SURE
from tests.report.examples import (
    HOSTILE,
    by_rpc,
    groups,
    hostile_labels,
    hostile_objects,
    with_choice,
)

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
# The page says for which width it was drawn last.
DRAWN = (
    "return document.documentElement.dataset.drawn"
    " === String(document.documentElement.clientWidth)"
)
FITS = "return document.documentElement.scrollWidth <= innerWidth"
# Tables of which a part is out of sight.
CLIPPED = (
    "return [...document.querySelectorAll('.scrolling')]"
    ".filter(e => e.scrollWidth > e.clientWidth + 1)"
    ".map(e => e.getAttribute('aria-label'))"
)
# Drivers leave sockets to the garbage collector.
pytestmark = [pytest.mark.filterwarnings("ignore::ResourceWarning"), pytest.mark.slow]


FORMULAS = ["=cmd|' /C calc'!A0", "@SUM(1)", "+1+1", "-1.5"]
FORMULAS += ['a "quoted", name', "two\nlines"]


def several(n):
    rng = np.random.default_rng(0)
    means = rng.normal(size=(n, 2)) + 4.0 * np.eye(3, 2)[rng.integers(0, 3, n)]
    return ic.from_gaussian(means, std=np.full_like(means, 0.5))


def missing(what):
    """Skip, or fail where a browser is said to be there."""
    if os.environ.get("INCERTA_NEEDS_BROWSER"):
        pytest.fail(f"INCERTA_NEEDS_BROWSER is set, but there is no {what}.")
    pytest.skip(f"there is no {what} on this machine")


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    try:
        from selenium import webdriver
    except ImportError:
        missing("selenium")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    if chromium is None or driver is None:
        missing("chromium" if chromium is None else "chromedriver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability(
        "goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"}
    )
    made = webdriver.Chrome(options, webdriver.ChromeService(driver))
    yield made
    made.quit()


@pytest.fixture(scope="module")
def results():
    return {
        "rpc": by_rpc(hostile_objects()),
        "noise": cluster(groups(40), method=ic.FDBSCAN(eps=0.35, n_worlds=10)),
        "foptics": cluster(groups(), method=ic.FOPTICS(n_worlds=10)),
        "choice": with_choice(cluster(groups(8, 1), k=2, method="UKMeans")),
        "exact": cluster(groups(n_features=3).mean(), k=3, method="UKMeans"),
        "many": cluster(several(4000), k=3, method="UKMeans"),
        "formulas": cluster(
            groups(ids=[*FORMULAS, *map(str, range(34))]), 3, "UKMeans"
        ),
        # What the first command of the README leaves behind.
        "demo": cluster(ic.datasets.make_uncertain_stars(random_state=3)[0], k=3),
    }


@pytest.fixture(scope="module")
def pages(results, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    return {
        name: write(result, folder / f"{name}.html").as_uri()
        for name, result in results.items()
    }


@pytest.fixture
def resize(browser):
    """Make pages as wide, and give them the colors, as is asked for."""

    def resized(width, scheme):
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {
                "width": width,
                "height": 800,
                "deviceScaleFactor": 1,
                "mobile": width < 500,
            },
        )
        browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {
                "features": [
                    {"name": "prefers-color-scheme", "value": scheme},
                    {"name": "prefers-reduced-motion", "value": "reduce"},
                ]
            },
        )

    return resized


@pytest.fixture
def show(browser, pages, resize):
    """Open a page, as wide and in the colors that are asked for."""

    def opened(name, width=1200, scheme="light"):
        resize(width, scheme)
        for kind in ("browser", "performance"):
            browser.get_log(kind)
        browser.get(pages[name])
        wait_for(browser, DRAWN)
        return browser

    return opened


def complaints(browser):
    return [entry["message"] for entry in browser.get_log("browser")]


def requests(browser):
    """Addresses that pages from files asked for."""
    events = [
        json.loads(entry["message"])["message"]
        for entry in browser.get_log("performance")
    ]
    return [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
        and event["params"]["documentURL"].startswith("file:")
    ]


def texts(browser, column):
    """Texts of a column of the table of objects, as they are drawn."""
    return browser.execute_script(
        "return [...document.querySelectorAll('#table tbody tr')]"
        ".map(row => row.children[arguments[0]].textContent)",
        column,
    )


def wait_for(browser, condition):
    """Wait until a script or a function returns something true.

    How late depends on what else the machine does; the limit only ends what hangs.
    """
    from selenium.webdriver.support.wait import WebDriverWait

    def holds(b):
        return condition() if callable(condition) else b.execute_script(condition)

    WebDriverWait(browser, 120, 0.1).until(holds)


def heading(browser, key):
    return browser.find_element("css selector", f"#table th[data-key={key}]")


@pytest.mark.parametrize("name", ["demo", "rpc", "noise", "foptics", "choice", "exact"])
def test_page_is_quiet_and_fits(show, resize, pages, name):
    # The other tests open pages that are wide and light.
    browser = show(name, 360, "dark")
    assert browser.execute_script(FITS)
    assert browser.execute_script(CLIPPED) == []
    resize(1200, "light")
    wait_for(browser, f"return innerWidth === 1200 && (() => {{ {DRAWN} }})()")
    assert browser.execute_script(FITS)
    n_plots, n_drawn = browser.execute_script(
        "return ['.plot', '.plot:has(.marks > *)']"
        ".map(what => document.querySelectorAll(what).length)"
    )
    assert n_drawn == n_plots > 0
    assert complaints(browser) == []
    assert set(requests(browser)) <= {pages[name], "data:,"}


def test_nothing_sticks_out_of_a_narrow_page(show):
    browser = show("rpc", 360)
    wide = browser.execute_script(
        "return [...document.querySelectorAll('section > *, .controls > *, td, th')]"
        ".filter(e => e.getBoundingClientRect().right > 361).length"
    )
    assert wide == 0


def test_prints_light_and_whole(show):
    browser = show("noise", 800, "dark")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    ink = browser.execute_script(
        "return [getComputedStyle(document.body).backgroundColor,"
        " getComputedStyle(document.querySelector('#scatter .x')).fill]"
    )
    assert ink == ["rgb(255, 255, 255)", "rgb(28, 30, 33)"]
    assert browser.execute_script(FITS)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_colors_follow_the_scheme(show):
    ink = {}
    for scheme in ("light", "dark"):
        browser = show("rpc", scheme=scheme)
        ink[scheme] = browser.execute_script(
            "return [getComputedStyle(document.body).backgroundColor,"
            " getComputedStyle(document.querySelector('#scatter .x')).fill]"
        )
    assert ink["light"] == ["rgb(247, 247, 245)", "rgb(28, 30, 33)"]
    assert ink["dark"] == ["rgb(20, 22, 26)", "rgb(232, 234, 237)"]


def test_colors_change_while_the_page_is_open(show):
    browser = show("rpc")
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": "dark"}]},
    )
    wait_for(
        browser,
        "return getComputedStyle(document.querySelector('#scatter .x')).fill"
        " === 'rgb(232, 234, 237)'",
    )


def test_table_sorts(show, results):
    browser = show("noise")
    result = results["noise"]
    columns = {
        "id": result.ids,
        "cluster": result.labels,
        "confidence": result.confidence,
    }
    keys = product(columns, ("ascending", "descending", "ascending"))
    for key, way in keys:
        column, position = columns[key], list(columns).index(key)
        heading(browser, key).find_element("tag name", "button").click()
        assert heading(browser, key).get_attribute("aria-sort") == way
        sign = 1 if way == "ascending" else -1
        order = np.argsort(sign * column, kind="stable")[:25]
        found = texts(browser, 0)
        assert found == [str(i) for i in result.ids[order]]
        assert len(texts(browser, position)) == 25
    others = browser.find_elements("css selector", "#table th[aria-sort]")
    assert len(others) == 1


def test_table_sorts_by_keyboard(show, results):
    from selenium.webdriver.common.keys import Keys

    browser = show("noise")
    button = heading(browser, "confidence").find_element("tag name", "button")
    button.send_keys(Keys.ENTER)
    least = results["noise"].confidence.argmin()
    assert texts(browser, 0)[0] == str(results["noise"].ids[least])
    button.send_keys(Keys.SPACE)
    assert heading(browser, "confidence").get_attribute("aria-sort") == "descending"


def test_search_and_filter(show, results):
    browser = show("noise")
    result = results["noise"]
    count = browser.find_element("id", "count")
    n = len(result.labels)
    assert count.text == f"{n} of {n} objects, the first 25 below"
    search = browser.find_element("id", "search")
    search.send_keys("12")
    wanted = [str(i) for i in result.ids if "12" in str(i)]
    assert texts(browser, 0) == wanted[:25]
    assert count.text == f"{len(wanted)} of {n} objects"
    search.clear()
    search.send_keys("no such object")
    assert texts(browser, 0) == []
    assert count.text == f"0 of {n} objects"
    browser.execute_script(
        "const s = document.getElementById('search'); s.value = '';"
        "const o = document.getElementById('only'); o.value = '-1';"
        "o.dispatchEvent(new Event('change'))"
    )
    noise = [str(i) for i in result.ids[result.labels == -1]]
    assert texts(browser, 0) == noise[:25]


def test_more_rows_on_demand(show, results):
    browser = show("noise")
    more = browser.find_element("id", "more")
    assert len(texts(browser, 0)) == 25
    more.click()
    n = len(results["noise"].labels)
    assert len(texts(browser, 0)) == min(n, 125)
    assert more.is_displayed() == (n > 125)


def test_hostile_names_are_inert(show):
    browser = show("rpc")
    state = browser.execute_script(
        "return [typeof window.hacked, document.scripts.length,"
        " document.querySelectorAll('a[href^=javascript], img, svg[onload]').length]"
    )
    assert state == ["undefined", 2, 0]
    found = texts(browser, 0)
    assert found[0] == HOSTILE[0]
    assert found[3] == HOSTILE[3]
    assert found[7] == "x" * 59 + "…"
    isolated = browser.find_elements("css selector", "#table tbody th bdi")
    assert len(isolated) == len(found)
    assert isolated[7].get_attribute("title") == "x" * 999 + "…"


def point_at(browser, position):
    """Go to an object in the picture with the mouse; what the tip says then."""
    return browser.execute_script(
        """
        const at = scatter.position.indexOf(arguments[0]);
        const point = drawnPicture.points.find(one => one.i === at);
        const box = picture.getBoundingClientRect();
        const [clientX, clientY] = [box.left + point.x, box.top + point.y];
        picture.dispatchEvent(new PointerEvent('pointermove', { clientX, clientY }));
        return [tip.textContent, tip.querySelectorAll('a, img, script, b').length];
        """,
        position,
    )


def test_hostile_names_are_inert_under_the_pointer(show, results):
    browser = show("rpc")
    for position in range(len(HOSTILE)):
        told, n_elements = point_at(browser, position)
        assert f"cluster {results['rpc'].labels[position]}" in told
        assert n_elements == 0
        if position == 0:
            assert "<script>window.hacked" in told
        assert "\u202e" not in told
    assert browser.execute_script("return typeof window.hacked") == "undefined"
    assert complaints(browser) == []


def test_policy_stops_foreign_scripts_and_requests(show):
    browser = show("rpc")
    browser.execute_script(
        """
        const script = document.createElement('script');
        script.textContent = 'window.hacked = 1';
        document.body.append(script);
        const image = '<img src=x onerror="window.hacked = 1">';
        document.body.insertAdjacentHTML('beforeend', image);
        fetch('https://example.org').catch(() => { window.refused = true; });
        """
    )
    wait_for(browser, "return window.refused")
    blocked = "\n".join(complaints(browser))
    assert "Content Security Policy" in blocked
    assert browser.execute_script("return typeof window.hacked") == "undefined"
    assert not any(url.startswith("http") for url in requests(browser))


def test_ellipses_are_one_standard_deviation(show, results):
    browser = show("rpc")
    result = results["rpc"]
    rows, outlines = browser.execute_script(
        "return [scatter.position, drawnPicture.ellipses.map(one => one.points)]"
    )
    means, covariances = result.data.mean(), result.data.covariance()
    assert len(outlines) == len(means)
    for row, outline in zip(rows, outlines):
        apart = np.array(outline) - means[row]
        squares = (apart @ np.linalg.inv(covariances[row]) * apart).sum(axis=1)
        assert squares == pytest.approx(1.0, rel=5e-3)


def test_every_object_is_drawn_where_it_lies(show, results):
    browser = show("noise")
    result = results["noise"]
    found = browser.execute_script(
        """
        const { points, x, y } = drawnPicture;
        return points.map(p => [scatter.position[p.i], x.back(p.x), y.back(p.y)]);
        """
    )
    assert len(found) == len(result.labels)
    assert browser.execute_script(
        "return picture.querySelectorAll('.object').length"
    ) == len(result.labels)
    for position, *place in found:
        assert place == pytest.approx(result.data.mean()[position], abs=1e-3)
    unsure = browser.execute_script("return picture.querySelectorAll('.unsure').length")
    assert unsure == (result.confidence < SURE).sum()


def test_cells_hold_every_object(show):
    browser = show("many")
    drawn = (
        "const n = drawnPicture.squares.map(s => s.lines[0].replace(/[^0-9]/g, ''))"
        ".map(Number);"
        "return [n.reduce((a, b) => a + b, 0), n.length,"
        " picture.querySelectorAll('.cell').length, scatter.id.length]"
    )
    inside, n_squares, n_cells, n_points = browser.execute_script(drawn)
    assert n_cells == n_squares > 20
    assert 4000 - n_points <= inside <= 4000
    browser.find_element("css selector", "#legend button").click()
    fewer = browser.execute_script(drawn)[0]
    size = browser.execute_script("return scatter.sizes['0']")
    assert inside - fewer == pytest.approx(size, abs=n_points)
    assert "4,000 objects are too many" in browser.find_element("id", "picture").text


def test_controls_of_the_picture(show, results):
    from selenium.webdriver.support.select import Select

    browser = show("rpc")
    state = (
        "return [...[...picture.querySelectorAll('.title')].map(t => t.textContent),"
        "picture.querySelectorAll('.ellipses').length,"
        "picture.getAttribute('aria-label'),"
        "picture.querySelectorAll('.object').length]"
    )
    x, y, n_outlined, _, n_objects = browser.execute_script(state)
    assert x == "<b>mass</b> & more"
    assert (n_outlined, n_objects) == (3, 40)
    browser.find_element("id", "ellipses").click()
    assert browser.execute_script(state)[2] == 0
    first = browser.find_element("css selector", "#legend button")
    first.click()
    assert first.get_attribute("aria-pressed") == "false"
    left = (results["rpc"].labels != 0).sum()
    assert browser.execute_script(state)[4] == left
    first.click()
    Select(browser.find_element("id", "axis-x")).select_by_visible_text("confidence")
    changed = browser.execute_script(state)
    assert "confidence" in changed[0]
    assert changed[1] == y
    assert "against confidence" in changed[3]
    whole = browser.execute_script("return drawnPicture.ranges")
    browser.find_element("id", "closer").click()
    low, high = browser.execute_script("return drawnPicture.ranges[0]")
    assert high - low == pytest.approx(0.7 * (whole[0][1] - whole[0][0]))
    browser.find_element("id", "reset").click()
    assert browser.execute_script("return drawnPicture.ranges") == whole
    assert complaints(browser) == []


def test_dragging_zooms_into_a_box(show):
    from selenium.webdriver.common.action_chains import ActionChains

    browser = show("noise")
    place = browser.find_element("id", "scatter")
    browser.execute_script("arguments[0].scrollIntoView({ block: 'center' })", place)
    drag = ActionChains(browser, 50).move_to_element_with_offset(place, -80, -60)
    drag.click_and_hold().move_by_offset(40, 30).move_by_offset(80, 60).release()
    before = browser.execute_script("return drawnPicture.ranges")
    drag.perform()
    after = browser.execute_script("return drawnPicture.ranges")
    for (low, high), (lower, higher) in zip(after, before):
        assert lower < low < high < higher
        assert high - low < 0.5 * (higher - lower)
    ActionChains(browser).move_to_element(place).double_click().perform()
    assert browser.execute_script("return drawnPicture.ranges") == before


def test_picture_by_keyboard(show, results):
    from selenium.webdriver.common.keys import Keys

    browser = show("noise")
    result = results["noise"]
    place = browser.find_element("id", "scatter")
    place.send_keys(Keys.ARROW_RIGHT)
    least = browser.execute_script("return scatter.position[pointed]")
    assert result.confidence[least] == result.confidence.min()
    spoken = browser.execute_script("return spoken.textContent")
    assert spoken.startswith(f"{result.ids[least]}, ")
    outline = browser.execute_script(
        "return getComputedStyle(document.activeElement).outlineStyle"
    )
    assert outline == "solid"
    place.send_keys(Keys.ENTER)
    assert texts(browser, 0)[0] == str(result.ids[least])
    chosen = browser.find_elements("css selector", "#table tr.chosen")
    assert len(chosen) == 1
    assert browser.execute_script("return picture.querySelectorAll('.ring').length")
    place.send_keys(Keys.ENTER)
    assert browser.find_elements("css selector", "#table tr.chosen") == []


def test_rows_are_shown_in_the_picture(show):
    from selenium.webdriver.common.keys import Keys

    browser = show("noise")
    before = texts(browser, 0)
    pick = browser.find_elements("css selector", "#table .pick")[3]
    pick.send_keys(Keys.ENTER)
    assert texts(browser, 0) == before
    assert browser.execute_script(
        "return [chosen, document.activeElement.getAttribute('aria-pressed'),"
        " picture.querySelectorAll('.ring').length]"
    ) == [3, "true", 1]
    (told,) = browser.find_elements("css selector", "#objects .chosen-object")
    assert told.text.startswith("Chosen: 3, ")


def test_rows_are_saved_as_csv(show, results, browser, tmp_path):
    result = results["formulas"]
    show("formulas")
    browser.execute_cdp_cmd(
        "Browser.setDownloadBehavior",
        {"behavior": "allow", "downloadPath": str(tmp_path)},
    )
    browser.find_element("id", "search").send_keys("no such object")
    browser.find_element("id", "save").click()
    told = browser.find_element("id", "saved").text
    assert told.startswith("40 rows saved. 3 names that spreadsheets would take")
    target = tmp_path / "objects.csv"
    wait_for(browser, lambda: target.exists())
    with target.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows][:6] == [
        "'=cmd|' /C calc'!A0",
        "'@SUM(1)",
        "'+1+1",
        "-1.5",
        'a "quoted", name',
        "two\nlines",
    ]
    assert [int(row["cluster"]) for row in rows] == result.labels.tolist()
    assert [float(row["confidence"]) for row in rows] == result.confidence.tolist()


def test_only_where_k_means_differs(show, results):
    browser = show("noise")
    summary = summarize(results["noise"])
    browser.find_element("id", "differing").click()
    count = browser.find_element("id", "count").text
    assert count.startswith(f"{summary['k_means']['n_changed']} of ")


def test_shown_in_notebooks(browser, resize, results, tmp_path):
    for scheme in ("light", "dark"):
        resize(600, scheme)
        page = tmp_path / "cell.html"
        cell = results["rpc"]._repr_html_()
        page.write_text(
            f'<!DOCTYPE html><meta charset="utf-8">'
            f'<meta name="color-scheme" content="light dark">{cell}',
            encoding="utf-8",
        )
        browser.get(page.as_uri())
        assert browser.execute_script(FITS)
        assert "40 objects in 3 clusters" in browser.find_element("tag name", "p").text
        state = "return [typeof window.hacked, document.scripts.length]"
        assert browser.execute_script(state) == ["undefined", 0]


@pytest.mark.parametrize("width", [1200, 360])
def test_page_about_labels_is_quiet_and_fits(browser, resize, tmp_path, width):
    page = tmp_path / "labels.html"
    hostile_labels().report(page)
    ink = {}
    for scheme in ("light", "dark"):
        resize(width, scheme)
        for kind in ("browser", "performance"):
            browser.get_log(kind)
        browser.get(page.as_uri())
        assert browser.execute_script(FITS)
        assert browser.execute_script(CLIPPED) == []
        state = "return [typeof window.hacked, document.scripts.length]"
        assert browser.execute_script(state) == ["undefined", 0]
        assert complaints(browser) == []
        assert set(requests(browser)) <= {page.as_uri(), "data:,"}
        ink[scheme] = browser.execute_script(
            "return getComputedStyle(document.querySelector('.valley .law')).stroke"
        )
    assert ink["light"] != ink["dark"]
