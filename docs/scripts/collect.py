"""Run both tutorials on collecting with simulated raters over HTTP; write their screenshots.

    python docs/scripts/collect.py         what the commands print, and docs/images/collect_*.png

The raters are simulated; pages, answers and verdicts are those of the commands in the tutorials.
"""

from __future__ import annotations

import csv
import random
import sys
import tempfile
import time
from hashlib import sha256
from itertools import product
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
from tests.collect.visitor import Server, Visitor, all_go_home  # noqa: E402
from tests.report.browser import Browser, find_browser  # noqa: E402

IMAGES = ROOT / "docs" / "images"
OPENINGS = (
    "Thank you for your message, and sorry for the trouble.",
    "Your parcel is on its way.",
    "Please read the manual.",
    "That is not our fault.",
    "I have looked at your order.",
)
MIDDLES = (
    "You can return it within 30 days; the label is in this mail.",
    "Nothing can be done about this.",
    "I have sent you a new one, and you may keep the other.",
    "Have you tried to turn it off and on again?",
)
EXTRAS = (
    "",
    "I have asked the driver to ring twice.",
    "As I said before, we are very busy.",
    "The second page of the form tells you where to sign.",
)
ENDINGS = ("Write to me if it does not arrive by Friday.", "Regards.", "I hope this helps!", "")


def draw(*parts: object) -> float:
    return int(sha256(repr(parts).encode()).hexdigest()[:8], 16) / 16**8


def answers(number: int) -> list[str]:
    rng = random.Random(0)
    parts = product(OPENINGS, MIDDLES, EXTRAS, ENDINGS)
    return rng.sample([" ".join(filter(None, part)) for part in parts], number)


def quality(text: str) -> float:
    """How helpful a text is, from 1 to 5."""
    good = sum(part in text for part in ("sorry", "new one", "return it", "looked", "ring"))
    bad = sum(part in text for part in ("our fault", "Nothing", "manual", "off and on", "busy"))
    return 3 + 0.9 * good - 0.9 * bad + 0.6 * (draw("own", text) - 0.5)


def grade(rater: str, text: str) -> int:
    return min(5, max(1, round(quality(text) + 1.8 * (draw(rater, text) - 0.5))))


def say(rater: str, texts: list[str]) -> str:
    if len(texts) == 1:
        return str(grade(rater, texts[0]))
    a, b = (quality(text) + draw(rater, text, *sorted(texts)) for text in texts)
    return "tie" if abs(a - b) < 0.2 else "left" if a > b else "right"


def crowd(server: Server, stop_after: int | None = None) -> None:
    """Let raters answer in turn, until the study ends or so many answers are given."""
    visitors = {name: Visitor(link) for name, link in server.links.items() if name != "owner"}
    given = 0
    while server.process.poll() is None and given != stop_after:
        for name, visitor in visitors.items():
            try:
                if visitor.asked:
                    visitor.answer(say(name, visitor.texts))
                    given += 1
                    time.sleep(0.15)  # or it is over before anything is evaluated
                else:
                    time.sleep(0.2)
                    visitor.open(visitor.path)
            except OSError:
                return
            if given == stop_after:
                break


def picture(browser: Browser, name: str) -> None:
    """Write a picture of a page, down to its last line."""
    end = browser.run("document.querySelector('main').getBoundingClientRect().bottom")
    browser.picture(IMAGES / f"{name}.png", height=int(end))


def show(title: str, server: Server, folder: Path) -> None:
    said = "\n".join([*server.said, *server.process.communicate()[0].splitlines()])
    print(f"== {title}\n{said.replace(f'{folder}/', '')}\n")


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    browser = Browser(str(find_browser()), folder / "browser")
    try:
        texts = answers(240)
        with (folder / "answers.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("id", "text"), *enumerate(texts, 1)])
        with (folder / "judge.csv").open("w", newline="") as file:
            rows = [(k, grade("judge", text)) for k, text in enumerate(texts, 1)]
            csv.writer(file).writerows([("id", "judge"), *rows])
        server = Server(
            folder, "answers.csv", "--ask", "1-5", "--prompt", "How helpful is the answer?",
            "--raters", "anna,ben,carla,dan", "--per-item", "3", "--judges", "judge.csv", "--until", "ready",
            "--cost", "0.15", "-o", "study.db",
        )  # fmt: skip
        crowd(server, stop_after=70)
        browser.visit(server.links["anna"], width=760)
        picture(browser, "collect_rater")
        browser.visit(server.links["anna"], width=390)
        picture(browser, "collect_phone")
        time.sleep(25)  # for an evaluation
        browser.visit(server.links["owner"], width=860)
        picture(browser, "collect_owner")
        crowd(server)
        show("a judge", server, folder)
        texts = answers(60)
        with (folder / "texts.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("text",), *((text,) for text in texts)])
        server = Server(
            folder, "texts.csv", "--pairs", "--prompt", "Which answer is more helpful?",
            "--raters", "anna,ben,carla,dan", "--until", "labels 0.85", "--cost", "0.1",
            "-o", "pairs.db",
        )  # fmt: skip
        browser.visit(server.links["anna"], width=760)
        picture(browser, "collect_pairs")
        crowd(server)
        show("pairs", server, folder)
        print(folder)
    finally:
        all_go_home()
        browser.close()


if __name__ == "__main__":
    main()
