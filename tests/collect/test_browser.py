"""The rater's page in a real browser, where there is one: Chromium, without a window."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from headcount.collect.plan import SIDES, Criterion, criteria_in
from tests.report.browser import Browser, find_browser
from tests.report.test_browser import CONTRAST

from .conftest import Serve

PROGRAM = find_browser()
pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="no browser: install chromium, or name one in HEADCOUNT_BROWSER"
)
PROGRESS = "document.querySelector('#progress').textContent"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    browser = Browser(str(PROGRAM), tmp_path_factory.mktemp("browser"))
    yield browser
    browser.close()


def press(browser: Browser, key: str, gives: str) -> None:
    """Press a key, and wait until the page says how many are answered."""
    browser.press(key)
    browser.wait(f"{PROGRESS}.startsWith('{gives} answered')")


def is_quiet(browser: Browser, link: str) -> bool:
    """Whether nothing failed, and nothing outside was asked for."""
    said = browser.heard("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
    asked = browser.heard("Network.requestWillBeSent")
    hosts = {urlsplit(one["request"]["url"]).netloc for one in asked}
    return not said and hosts == {urlsplit(link).netloc}


def test_ten_items_by_keyboard_undo_close_and_resume(browser, serve: Serve):
    served = serve("anna", per_item=1)
    link = served.links["anna"]
    browser.events.clear()
    browser.visit(link)
    for number in range(10):
        press(browser, "12"[number % 2], str(number + 1))
    press(browser, "u", "9")
    assert "is taken back" in browser.run("document.body.innerText")
    press(browser, "s", "9")  # skipped: nothing more is answered
    browser.wait("!document.querySelector('.notice')")
    browser("Page.navigate", url="about:blank")
    browser.visit(link, width=390)
    assert browser.run(PROGRESS) == "9 answered, 20 to go"
    assert browser.run("document.documentElement.scrollWidth") == 390
    assert is_quiet(browser, link)
    assert served.store.progress()[0] == 9


def test_without_a_script_buttons_do_it(browser, serve: Serve):
    served = serve("anna", per_item=1)
    browser("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.visit(served.links["anna"])
        for number in (1, 2):
            box = browser("DOM.getDocument", depth=1)["root"]["nodeId"]
            button = browser("DOM.querySelector", nodeId=box, selector="button[value=ok]")
            quad = browser("DOM.getBoxModel", nodeId=button["nodeId"])["model"]["content"]
            at = {"x": quad[0] + 5, "y": quad[1] + 5, "button": "left", "clickCount": 1}
            for kind in ("mousePressed", "mouseReleased"):
                browser("Input.dispatchMouseEvent", type=kind, **at)
            browser.wait(f"{PROGRESS}.startsWith('{number} answered')")
    finally:
        browser("Emulation.setScriptExecutionDisabled", value=False)
    assert served.store.progress()[0] == 2


def test_pairs_by_arrows_and_several_questions_by_numbers(browser, serve: Serve):
    sides = (Criterion("outcome", SIDES),)
    served = serve("anna", number=6, pairs=True, criteria=sides)
    browser.visit(served.links["anna"])
    for number, key in enumerate(("ArrowLeft", "ArrowRight", "ArrowDown"), 1):
        press(browser, key, str(number))
    questions = criteria_in("helpful=1-5;safe=yes,no")
    other = serve("anna", per_item=1, criteria=questions)
    browser.visit(other.links["anna"])
    browser.press("4")
    browser.press("y")
    assert browser.run("document.querySelectorAll('input:checked').length") == 2
    press(browser, "Enter", "1")
    rows = other.store._rows("SELECT labels FROM answers")
    assert [row["labels"] for row in rows] == ['["4", "yes"]']


def test_a_double_click_counts_once_and_notes_take_keys(browser, serve: Serve):
    served = serve("anna", per_item=1)
    browser.visit(served.links["anna"])
    browser.run("document.querySelector('details').open = true; note.focus()")
    browser.press("1")
    assert browser.run("note.value") == "1"
    browser.run("note.blur(); [1, 2].forEach(() => document.querySelector('[value=ok]').click())")
    browser.wait(f"{PROGRESS}.startsWith('1 answered')")
    assert len(served.store._rows("SELECT id FROM answers")) == 1


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_pages_can_be_read(browser, serve: Serve, dark):
    served = serve("anna", number=4, prompt="Is it?")
    for who in ("anna", "owner"):
        browser.visit(served.links[who], width=390)
        browser.look(width=390, dark=dark)
        assert browser.run(CONTRAST.replace("figure svg text", "no-such")) >= 4.5
        assert browser.run("document.documentElement.scrollWidth") == 390
        small = """Math.min(...[...document.querySelectorAll('p, button, td, th, label')]
            .map(one => parseFloat(getComputedStyle(one).fontSize)))"""
        assert browser.run(small) >= 13
        low = """Math.min(...[...document.querySelectorAll('button')]
            .map(one => one.getBoundingClientRect().height))"""
        assert browser.run(low) >= 38  # for a thumb
        unnamed = """[...document.querySelectorAll('input:not([type=hidden]), textarea')]
            .filter(one => !one.labels.length).length"""
        assert browser.run(unnamed) == 0
