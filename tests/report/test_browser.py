"""The page in a real browser, where there is one: Chromium, without a window."""

from __future__ import annotations

from pathlib import Path

import pytest

from headcount import judge, make_report

from .browser import Browser, find_browser
from .conftest import HOSTILE

PROGRAM = find_browser()
pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="no browser: install chromium, or name one in HEADCOUNT_BROWSER"
)
WIDE, NARROW = 1280, 390


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    browser = Browser(str(PROGRAM), tmp_path_factory.mktemp("browser"))
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def page(hostile, tmp_path_factory) -> Path:
    """A card of data whose names are HTML."""
    path = tmp_path_factory.mktemp("page") / "card.html"
    make_report(judge(*hostile, bootstrap=20), *hostile).save(path)
    return path


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_nothing_fails_nothing_is_fetched_and_nothing_sticks_out(browser, page, width, dark):
    browser.open(page, width=width, dark=dark)
    said = browser.heard("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
    assert not said
    asked = [one["request"]["url"] for one in browser.heard("Network.requestWillBeSent")]
    assert asked == [page.resolve().as_uri()]
    assert browser.run("document.documentElement.scrollWidth") == width
    # Of what is too wide for the screen, only what scrolls by itself sticks out.
    wide = """[...document.querySelectorAll('body *')].filter(one => !one.closest('.scroll')
        && !one.closest('pre') && !one.matches('.skip')
        && one.getBoundingClientRect().right > innerWidth + 1).length"""
    assert browser.run(wide) == 0


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_text_is_large_enough_to_read(browser, page, width):
    browser.open(page, width=width)
    small = """Math.min(...[...document.querySelectorAll('p, td, th, li, dt, dd, pre, summary')]
        .map(one => parseFloat(getComputedStyle(one).fontSize)))"""
    assert browser.run(small) >= 13
    # Letters of figures, as they are drawn on the screen.
    drawn = """Math.min(...[...document.querySelectorAll('figure svg text')]
        .map(one => parseFloat(getComputedStyle(one).fontSize)
            * Math.hypot(one.getScreenCTM().a, one.getScreenCTM().b)))"""
    assert browser.run(drawn) >= 8


CONTRAST = """(() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number)
      .map(x => x / 255).map(x => x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const ground = light(getComputedStyle(document.body).backgroundColor);
  const of = (one, key) => {
    const l = light(getComputedStyle(one)[key]);
    return (Math.max(l, ground) + .05) / (Math.min(l, ground) + .05);
  };
  return Math.min(
    ...[...document.querySelectorAll('p, td, th, a, summary')].map(one => of(one, 'color')),
    ...[...document.querySelectorAll('figure svg text')].map(one => of(one, 'fill')));
})()"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_stands_out_by_day_and_by_night(browser, page, dark):
    browser.open(page, dark=dark)
    ground = browser.run("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") is not dark
    assert browser.run(CONTRAST) >= 4.5  # what WCAG 2 asks of text


def test_tables_sort_by_mouse_and_keyboard(browser, page):
    browser.open(page)
    table = """[...document.querySelectorAll('table')]
        .find(one => one.querySelector('th button') && !one.closest('details')
            && [...one.tBodies[0].rows].every(r => !isNaN(parseFloat(r.cells[1].textContent))))"""
    cells = f"[...{table}.tBodies[0].rows].map(r => parseFloat(r.cells[1].textContent))"
    heads = f"{table}.tHead.rows[0].cells[1]"
    before = browser.run(cells)
    browser.run(f"{heads}.querySelector('button').click()")
    assert browser.run(cells) == sorted(before)
    assert browser.run(f"{heads}.getAttribute('aria-sort')") == "ascending"
    browser.run(f"{heads}.querySelector('button').focus()")
    for kind in ("keyDown", "keyUp"):
        browser("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r",
                windowsVirtualKeyCode=13)  # fmt: skip
    assert browser.run(cells) == sorted(before, reverse=True)
    assert browser.run(f"{heads}.getAttribute('aria-sort')") == "descending"
    assert browser.run(f"{table}.querySelectorAll('[aria-sort]').length") == 1


def test_a_cell_of_the_confusion_table_shows_its_items(browser, tmp_path):
    card = tmp_path / "card.html"
    make_report(judge("example:stars", "example:judge", bootstrap=20)).save(card)
    browser.open(card)
    browser.run("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    buttons = "[...document.querySelectorAll('td button')]"
    assert browser.run(f"{buttons}.length") > 5
    items = """[...document.querySelectorAll('table')]
        .find(one => one.caption?.textContent.startsWith('Items to read again')).tBodies[0].rows"""
    shown = f"[...{items}].filter(row => !row.hidden).length"
    everything = browser.run(shown)
    browser.run(f"{buttons}[0].click()")
    assert 0 < browser.run(shown) < everything
    browser.run(f"{buttons}[0].click()")
    assert browser.run(shown) == everything


def test_names_are_shown_as_text_and_run_nothing(browser, page):
    browser.open(page)
    assert browser.run("typeof window.hacked") == "undefined"
    assert browser.run("document.images.length") == 0
    assert browser.run("document.scripts.length") == 1
    assert HOSTILE in browser.run("document.body.innerText")
    drawn = browser.run(
        "[...document.querySelectorAll('svg text')].map(one => one.textContent).join()"
    )
    assert f"{HOSTILE[-9:]}," in drawn  # long names of a figure are cut in the middle


def test_a_screen_reader_finds_its_way(browser, page):
    browser.open(page)
    tree = browser("Accessibility.getFullAXTree")["nodes"]
    by: dict[str, list[str]] = {}
    for node in tree:
        name = node.get("name", {}).get("value", "")
        by.setdefault(node.get("role", {}).get("value", ""), []).append(name)
    assert {"main", "navigation", "banner"} <= by.keys()
    pictures = by.get("image", []) + by.get("img", [])
    assert len(pictures) == browser.run("document.querySelectorAll('figure').length")
    assert all(pictures)
    assert all(by["button"])
    levels = browser.run("[...document.querySelectorAll('h1,h2,h3')].map(h => +h.tagName[1])")
    assert levels[0] == 1
    assert levels.count(1) == 1


def test_it_prints(browser, page):
    browser.open(page, dark=True)
    printed = browser.print()
    assert printed.startswith(b"%PDF-")
    assert printed.rstrip().endswith(b"%%EOF")
    browser("Emulation.setEmulatedMedia", media="print")
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert browser.run("getComputedStyle(document.querySelector('nav')).display") == "none"
    browser("Emulation.setEmulatedMedia", media="")


def test_a_notebook_by_night_is_light_on_dark(browser, hostile, tmp_path):
    path = tmp_path / "cell.html"
    shown = judge(*hostile, bootstrap=20)._repr_html_()
    path.write_text(
        "<!doctype html><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f"<body style='background:#111;color:#eee'>{shown}",
        encoding="utf-8",
    )
    browser.open(path, width=NARROW)
    assert browser.run("typeof window.hacked") == "undefined"
    colours = """[...new Set([...document.querySelectorAll('p,td,th')]
        .map(one => getComputedStyle(one).color))]"""
    assert browser.run(colours) == ["rgb(238, 238, 238)"]
    assert browser.run("document.documentElement.scrollWidth") == NARROW
