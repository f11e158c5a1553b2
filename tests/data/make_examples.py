"""Make the example data that come with headcount: simulated, and always the same.

``python tests/data/make_examples.py`` writes them. Only ``Random.random`` is drawn from, which
Python promises not to change.
"""

from __future__ import annotations

import io
import json
import math
import sys
import zipfile
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.workbooks import workbook

FOLDER = Path(__file__).parents[2] / "src" / "headcount" / "data" / "examples"
RATERS = ["ann", "ben", "cem", "dot", "eli", "fay", "gus", "hal", "ida", "jon", "kim", "lou"]
STAR_RATERS = ["nora", "omar", "pia"]
JUDGES = {"gpt-a": 0.92, "gpt-b": 0.9, "llama-a": 0.85, "llama-b": 0.8, "mini": 0.72, "tiny": 0.62}
MODELS = {"aster": 1.3, "birch": 1.15, "cedar": 0.7, "daisy": 0.2, "elder": -0.3, "fern": -1.0}
VERBOSE = {"birch": 160, "elder": 90}
"""Words by which the answers of a model are longer."""
TEXTS = [f"text_{number:02}" for number in range(1, 16)]


def normal(rng: Random) -> float:
    """Nearly normal: the sum of twelve uniform numbers."""
    return sum(rng.random() for _ in range(12)) - 6


def logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def chosen(rng: Random, names: list[str], number: int) -> list[str]:
    rest = list(names)
    return sorted(rest.pop(int(rng.random() * len(rest))) for _ in range(number))


def export(stars: list[str], judge: list[str]) -> str:
    """Write the answers as Label Studio does: annotations by people, predictions by a model."""
    tasks: list[str] = []
    for number, (people, model) in enumerate(zip(stars[1:], judge[1:], strict=True), 1):
        answer, *given = people.split(",")

        def result(stars: str) -> list[dict[str, object]]:
            value = {"rating": int(stars)}
            return [{"from_name": "quality", "to_name": "answer", "type": "rating", "value": value}]

        annotations = [
            {"completed_by": {"email": f"{rater}@example.org"}, "was_cancelled": False,
             "result": result(said)}
            for rater, said in zip(STAR_RATERS, given, strict=True) if said
        ]  # fmt: skip
        prediction = {"model_version": "judge", "result": result(model.split(",")[1])}
        task = {"id": number, "data": {"answer": f"Answer {answer}"}, "annotations": annotations,
                "predictions": [prediction]}  # fmt: skip
        tasks.append(json.dumps(task))
    return "[\n" + ",\n".join(tasks) + "\n]\n"


def coding(stars: list[str]) -> bytes:
    """Write the answers as a workbook, whose bytes do not depend on the time."""
    cells: dict[str, object] = {}
    for row, line in enumerate(stars, 1):
        for column, text in zip("ABCD", line.split(","), strict=True):
            if text:
                cells[f"{column}{row}"] = int(text) if text.isdigit() else text
    written, fixed = io.BytesIO(), io.BytesIO()
    workbook(written, {"Coding": cells})
    with zipfile.ZipFile(written) as old, zipfile.ZipFile(fixed, "w") as new:
        for name in old.namelist():
            info = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(info, old.read(name))
    return fixed.getvalue()


def files() -> dict[str, str | bytes]:
    rng = Random(20)
    comments = [f"c{number:03}" for number in range(1, 201)]
    severity = {comment: 2.2 * normal(rng) - 0.8 for comment in comments}
    strictness = {rater: 0.6 * normal(rng) for rater in RATERS}
    toxic = {comment: severity[comment] > 0 for comment in comments}
    word = {True: "toxic", False: "ok"}

    ratings = ["item,rater,label"]
    for comment in comments:
        for rater in chosen(rng, RATERS, 5):
            says = rng.random() < logistic(severity[comment] + strictness[rater])
            ratings.append(f"{comment},{rater},{word[says]}")

    predictions = ["item,keywords,model:ok,model:toxic"]
    for comment in comments:
        by_words = severity[comment] + 2.4 * normal(rng) > 0.4
        share = round(100 * logistic(0.55 * (severity[comment] + 1.6 * normal(rng))))
        share = min(max(share, 1), 99)
        predictions.append(f"{comment},{word[by_words]},{(100 - share) / 100},{share / 100}")

    votes = ["item," + ",".join(JUDGES)]
    for comment in comments:
        said = [word[toxic[comment] == (rng.random() < right)] for right in JUDGES.values()]
        votes.append(f"{comment},{','.join(said)}")

    gold = ["item,gold", *(f"{comment},{word[toxic[comment]]}" for comment in comments[:180:3])]

    answers = [f"a{number:03}" for number in range(1, 121)]
    quality = {answer: 3.1 + 1.1 * normal(rng) for answer in answers}

    def star(answer: str, noise: float, shift: float = 0.0) -> int:
        return min(max(round(quality[answer] + shift + noise * normal(rng)), 1), 5)

    stars = ["item," + ",".join(STAR_RATERS)]
    judge = ["item,judge"]
    for answer in answers:
        row = [
            "" if rng.random() < 0.05 else str(star(answer, 0.7, shift))
            for shift in (0.0, -0.2, 0.3)
        ]
        stars.append(f"{answer},{','.join(row)}")
        judge.append(f"{answer},{star(answer, 0.6, 0.2)}")

    strength = {text: 1.8 * normal(rng) for text in TEXTS}
    comparisons = ["left,right,winner,rater"]
    for number in range(300):
        left, right = chosen(rng, TEXTS, 2)
        if rng.random() < 0.5:
            left, right = right, left
        rater = RATERS[number % 10]
        attends = rater != "jon"  # who answers at random
        odds = (strength[left] - strength[right]) if attends else 0.0
        drawn = rng.random()
        winner = "tie" if drawn > 0.92 else "left" if rng.random() < logistic(odds) else "right"
        comparisons.append(f"{left},{right},{winner},{rater}")

    battles = ["prompt,model_a,model_b,winner,words_a,words_b"]
    for _ in range(600):
        one, two = chosen(rng, list(MODELS), 2)
        if rng.random() < 0.5:
            one, two = two, one
        lengths = [round(200 + VERBOSE.get(m, 0) + 60 * normal(rng)) for m in (one, two)]
        # People like what is longer, as much as a whole step of quality for 200 words more.
        odds = 1.1 * (MODELS[one] - MODELS[two]) + (lengths[0] - lengths[1]) / 200
        drawn = rng.random()
        winner = "both_bad" if drawn > 0.95 else "tie" if drawn > 0.85 else ""
        winner = winner or ("model_a" if rng.random() < logistic(odds) else "model_b")
        prompt = f"p{1 + int(rng.random() * 120):03}"
        battles.append(f"{prompt},{one},{two},{winner},{lengths[0]},{lengths[1]}")

    made = {
        "ratings": ratings, "predictions": predictions, "votes": votes, "gold": gold,
        "stars": stars, "judge": judge, "comparisons": comparisons,
        "battles": battles,
    }  # fmt: skip
    texts: dict[str, str | bytes] = {name: "\n".join(lines) + "\n" for name, lines in made.items()}
    return texts | {"export": export(stars, judge), "coding": coding(stars)}


if __name__ == "__main__":
    suffixes = {"export": ".json", "coding": ".xlsx"}
    for name, content in files().items():
        raw = content.encode() if isinstance(content, str) else content
        (FOLDER / f"{name}{suffixes.get(name, '.csv')}").write_bytes(raw)
