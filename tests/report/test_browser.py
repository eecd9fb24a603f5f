"""The page in a browser: it works, it is closed, and hostile names do nothing."""

import json
import os
import shutil
from itertools import product

import numpy as np
import pytest

import incerta as ic
from incerta.api.answer import cluster
from incerta.report import write
from tests.report.examples import (
    HOSTILE,
    by_rpc,
    groups,
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
DRAWN = (
    "const plots = [...document.querySelectorAll('.plot')];"
    "return plots.length > 0 && plots.every(p => p.querySelector('.main-svg'))"
)
FITS = "return document.documentElement.scrollWidth <= innerWidth"
# Drivers leave sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


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
    """Make pages as wide, and give them the colours, as is asked for."""

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
    """Open a page, as wide and in the colours that are asked for."""

    def opened(name, width=1200, scheme="light"):
        resize(width, scheme)
        for kind in ("browser", "performance"):
            browser.get_log(kind)
        browser.get(pages[name])
        # Pictures are drawn after the page is there.
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
    """Wait until a script returns something true: browsers tell some things late.

    How late depends on what else the machine does; the limit only ends what hangs.
    """
    from selenium.webdriver.support.wait import WebDriverWait

    WebDriverWait(browser, 120).until(lambda b: b.execute_script(condition))


def heading(browser, key):
    return browser.find_element("css selector", f"#table th[data-key={key}]")


@pytest.mark.parametrize("name", ["demo", "rpc", "noise", "foptics", "choice", "exact"])
def test_page_is_quiet_and_fits(show, resize, pages, name):
    # The other tests open pages that are wide and light.
    browser = show(name, 375, "dark")
    wait_for(browser, FITS)
    resize(1200, "light")
    wait_for(browser, f"return innerWidth === 1200 && (() => {{ {FITS} }})()")
    assert complaints(browser) == []
    assert set(requests(browser)) <= {pages[name], "data:,"}


def test_nothing_sticks_out_of_a_narrow_page(show):
    browser = show("rpc", 375)
    wide = browser.execute_script(
        "return [...document.querySelectorAll('section > *, .controls > *')]"
        ".filter(e => e.getBoundingClientRect().right > 376).length"
    )
    assert wide == 0


def test_colours_follow_the_scheme(show):
    ink = {}
    for scheme in ("light", "dark"):
        browser = show("rpc", scheme=scheme)
        ink[scheme] = browser.execute_script(
            "return [getComputedStyle(document.body).backgroundColor,"
            " getComputedStyle(document.querySelector('#scatter .xtick text')).fill]"
        )
    assert ink["light"] == ["rgb(247, 247, 245)", "rgb(28, 30, 33)"]
    assert ink["dark"] == ["rgb(20, 22, 26)", "rgb(232, 234, 237)"]


def test_colours_change_while_the_page_is_open(show):
    browser = show("rpc")
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": "dark"}]},
    )
    wait_for(
        browser,
        "return getComputedStyle(document.querySelector('#scatter .xtick text')).fill"
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
    assert state == ["undefined", 3, 0]
    found = texts(browser, 0)
    assert found[0] == HOSTILE[0]
    assert found[3] == HOSTILE[3]
    assert found[7] == "x" * 59 + "…"
    isolated = browser.find_elements("css selector", "#table tbody th bdi")
    assert len(isolated) == len(found)
    assert isolated[7].get_attribute("title") == "x" * 999 + "…"


def test_hostile_names_are_inert_under_the_pointer(show, results):
    browser = show("rpc")
    for position in range(len(HOSTILE)):
        told = browser.execute_script(
            """
            const place = document.getElementById('scatter');
            const { scatter } = JSON.parse(document.getElementById('data').textContent);
            const at = arguments[0], cluster = scatter.cluster[at];
            const before = scatter.cluster.slice(0, at);
            const pointNumber = before.filter(c => c === cluster).length;
            const curveNumber = place.data.findIndex(
              t => t.mode === 'markers' && t.legendgroup === String(cluster));
            Plotly.Fx.hover(place, [{ curveNumber, pointNumber }]);
            const layer = place.querySelector('.hoverlayer');
            return [layer.textContent, layer.querySelectorAll('a, img, script').length];
            """,
            position,
        )
        label = results["rpc"].labels[position]
        assert f"cluster {label}" in told[0]
        assert told[1] == 0
        if position == 0:
            assert "<script>window.hacked" in told[0]
        assert "\u202e" not in told[0]
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
    outlines = browser.execute_script(
        "return document.getElementById('scatter').data"
        ".filter(t => t.mode === 'lines').map(t => [t.legendgroup, t.x, t.y])"
    )
    means, covariances = result.data.mean(), result.data.covariance()
    for cluster_name, x, y in outlines:
        members = np.flatnonzero(result.labels == int(cluster_name))
        rows = np.array([x, y], dtype=float).T.reshape(len(members), 34, 2)[:, :33]
        for mean, covariance, row in zip(means[members], covariances[members], rows):
            apart = row - mean
            squares = (apart @ np.linalg.inv(covariance) * apart).sum(axis=1)
            assert squares == pytest.approx(1.0, rel=5e-3)


def test_controls_of_the_picture(show):
    browser = show("rpc")
    state = (
        "const p = document.getElementById('scatter'); return ["
        "p.layout.xaxis.title.text, p.layout.yaxis.title.text,"
        "p.data.filter(t => t.mode === 'lines' && t.x.length > 0).length,"
        "p.getAttribute('aria-label')]"
    )
    x, y, n_outlined, _ = browser.execute_script(state)
    assert "&lt;b&gt;mass" in x
    assert n_outlined == 3
    browser.find_element("id", "ellipses").click()
    assert browser.execute_script(state)[2] == 0
    from selenium.webdriver.support.select import Select

    Select(browser.find_element("id", "axis-x")).select_by_visible_text("confidence")
    changed = browser.execute_script(state)
    assert "confidence" in changed[0]
    assert changed[1] == y
    assert "against confidence" in changed[3]
    browser.find_element("id", "reset").click()
    assert complaints(browser) == []
