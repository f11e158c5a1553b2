"""Read tables whose truth is known, and tell whether the answer is the truth, or leads to it.

``python -m tests.io.known_truth --runs 2000`` prints how many cases of each rendering are read
right, are refused with advice that leads to the truth, and fail; without options and with explicit
ones. A case is its seed and its number: ``--case 17 --keep FOLDER`` runs number 17 again, and keeps
its file.
"""

from __future__ import annotations

import argparse
import ast
import math
import random
import shutil
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import headcount
from headcount.errors import HeadcountError, named_in
from tests.io.truth import layouts
from tests.io.truth.exports import NESTED, TOOLS, export, several_files
from tests.io.truth.formats import FORMATS, TEXT_FORMATS, write
from tests.io.truth.tables import Case, Sheet, compared, plain

FLAT: dict[str, Callable[[random.Random, Case], Sheet]] = {
    "long": layouts.long,
    "wide": layouts.wide,
    "transposed": layouts.transposed,
    "item, label": layouts.no_raters,
    "item, label, count": layouts.counted,
    "counts": layouts.counts,
    "cross table": layouts.cross,
    "votes long": lambda rng, case: layouts.long(rng, case, models=True),
    "votes wide": lambda rng, case: layouts.wide(rng, case, models=True),
    "comparisons": layouts.comparisons,
    "rankings": layouts.rankings,
    "two questions": layouts.questions,
    "spans": layouts.spans,
    "predictions": layouts.predictions,
    "gold": layouts.gold,
}
FILES = "several files"
# Plain tables stand several times: most files are such.
RENDERINGS = (*FLAT, "long", "wide", "long", "wide", *NESTED, *TOOLS, FILES)
RIGHT, MENDED, GOOD_REASON, DEAD_END, WRONG = "right", "mended", "bad cell", "dead end", "wrong"
OUTCOMES = (RIGHT, MENDED, GOOD_REASON, DEAD_END, WRONG)
FAILURES = (DEAD_END, WRONG)
RESET = ".reset_index()"
"""What refusals of frames may advise, which is no option."""
KEPT = Path(tempfile.gettempdir()) / "headcount-known-truth"
MOST_TRIES = 14
"""How often a refusal's advice is followed."""
TOLERANCE = 1e-9
"""Alpha is a ratio of sums of at most some thousand terms; the two differ by rounding alone."""


def make_case(seed: int, number: int, folder: Path) -> Case:
    """Draw the case of a number, and write its file."""
    rng = random.Random(f"{seed}:{number}")
    rendering = RENDERINGS[number % len(RENDERINGS)]
    case = Case(number=number, rendering=rendering, look=number % 5 == 0)
    if rendering == FILES:
        case.format, case.look = "csv", False
        case.data = several_files(rng, case, folder)
        return case
    if rendering not in FLAT:
        case.data = export(rng, case, rendering, folder)
        if rendering in TOOLS and rendering != "lewidi":
            case.options["format"] = rendering.removesuffix("-nested")
        if rendering == "label-studio-min":
            case.options["question"] = "tone"
        return case
    if rendering.startswith("votes"):
        case.reader = "votes"
    case.sheet = FLAT[rendering](rng, case)
    case.format = rng.choice(FORMATS)
    if "" in case.sheet.names and case.format not in TEXT_FORMATS:
        case.format = "csv"  # a column without a name
    texts = {"text", "sentence", "tweet"} & {*case.sheet.names[:1]}
    if case.format == "write.table" and (texts or rendering == "cross table"):
        case.format = "csv"  # numbers of rows may stand for items that are texts
    if case.format == "write.table" and (
        "NA" in case.labels or "a row without a rater" in case.flaws
    ):
        case.format = "csv"  # R writes blank cells as NA, and a rater may be called so
    if case.format == "semicolon" and "1,000" in case.labels:
        case.format = "csv"  # in which commas would be decimal
    if case.format.startswith("titled"):
        case.flaws.append("a title above the names")
    case.data = write(rng, case, case.sheet, folder)
    case.look &= case.reader in ("ratings", "comparisons") and not case.refused
    case.engine = rendering in ("long", "wide") and (
        case.format in (*TEXT_FORMATS, "parquet") and rng.random() < 0.25
    )
    return case


# What is read, in the form in which truths are kept.


def read(case: Case, options: dict[str, Any]) -> tuple[Counter[Any], Any]:
    """Read a case: what it says, and the data."""
    if RESET in options:
        options = {name: value for name, value in options.items() if name != RESET}
        case = replace(case, data=case.data.reset_index())
    if case.reader == "comparisons":
        data = headcount.read_comparisons(case.data, **options)
        items = [str(item) for item in data.items]
        answers: Counter[Any] = Counter()
        for left, right, share in zip(data.left, data.right, data.outcome, strict=True):
            one, two, share = items[left], items[right], float(share)
            answers[(one, two, share) if one < two else (two, one, 1 - share)] += 1
        return answers, data
    if case.reader == "gold":
        return _accuracies(case, options), None
    if case.reader == "predictions":
        data = headcount.read_predictions(case.data, **options)
        return _predicted(data), data
    if case.reader == "votes":
        data = headcount.read_votes(case.data, **options)
        if isinstance(data, headcount.Predictions):
            return _predicted(data), data
    else:
        data = headcount.read_ratings(case.data, **options)
    labels = data.scale.labels
    triples = [
        (str(data.items[item]), str(data.raters[rater]), str(labels[label]))
        for item, rater, label in zip(data.item, data.rater, data.label, strict=True)
    ]
    return compared(triples, case.compare), data


def _accuracies(case: Case, options: dict[str, Any]) -> Counter[Any]:
    """Accuracy of each classifier by gold."""
    votes = headcount.read_votes(case.data, **options)
    result = headcount.blind(votes, gold=case.gold, methods=["direct"], bootstrap=0)
    return Counter(
        {
            (one.name, round(one.estimates["direct"]["accuracy"].value, 6)): 1
            for one in result.classifiers
        }
    )


def _predicted(data: Any) -> Counter[Any]:
    triples = [
        (str(item), classifier.name, str(data.labels[row.argmax()]))
        for classifier in data.classifiers
        for item, row in zip(data.items, classifier.probability, strict=True)
        if row[0] >= 0  # NaN: no prediction
    ]
    return compared(triples, "triples")


def alpha(units: list[list[str]], scale: str, labels: tuple[str, ...]) -> float | None:
    """Krippendorff's alpha, by its definition: one less observed over expected disagreement."""
    units = [unit for unit in units if len(unit) > 1]
    values = [value for unit in units for value in unit]
    uses = Counter(values)
    order = [plain(label) for label in labels]

    def distance(one: str, two: str) -> float:
        if scale == "interval":
            return (float(one) - float(two)) ** 2
        if scale == "ordinal":
            low, high = sorted((order.index(one), order.index(two)))
            between = sum(uses[order[n]] for n in range(low, high + 1))
            return (between - (uses[one] + uses[two]) / 2) ** 2
        return float(one != two)

    observed = sum(
        sum(distance(one, two) for one in unit for two in unit) / (len(unit) - 1) for unit in units
    )
    expected = sum(
        uses[one] * uses[two] * distance(one, two) for one in uses for two in uses
    ) / max(len(values) - 1, 1)
    return 1 - observed / expected if expected else None


def true_alpha(case: Case, truth: Counter[Any], scale: str) -> float | None:
    """Alpha of what a case says."""
    units: dict[Any, list[str]] = {}
    for n, row in enumerate(truth.elements()):
        if case.compare in ("patterns", "rows"):
            units[n] = [one if isinstance(one, str) else one[1] for one in row]
        else:
            units.setdefault(row[0], []).append(row[-1])
    return alpha(list(units.values()), scale, case.labels)


def check_alpha(case: Case, data: Any, truth: Counter[Any]) -> str | None:
    """Say how alpha differs from the truth, if it does."""
    scale = case.scale or "nominal"
    expected = true_alpha(case, truth, scale)
    asked = "ordinal" if scale == "ordinal" else None
    if scale == "ordinal" and tuple(data.scale.labels) != case.labels:
        expected, asked = true_alpha(case, truth, "nominal"), "nominal"
    result = headcount.agree(data, bootstrap=0, coefficients=["alpha"], scale=asked)
    return _differs(result["alpha"].value, expected)


def _differs(found: float | None, expected: float | None) -> str | None:
    found = None if found is None or math.isnan(found) else found
    if found == expected or (None not in (found, expected) and abs(found - expected) < TOLERANCE):
        return None
    return f"alpha {found}, not {expected}"


def reduced(case: Case, options: dict[str, Any], truth: Counter[Any]) -> str | None:
    """Say how the answer of DuckDB differs from the truth, if it does."""
    scan = headcount.scan_ratings(case.data, **({"engine": "duckdb"} | options))
    scale = "interval" if case.scale == "interval" else "nominal"
    asked = "nominal" if case.scale == "ordinal" else None
    result = headcount.agree(scan, bootstrap=0, coefficients=["alpha"], scale=asked).to_dict()
    by_item = case.compare in ("patterns", "rows")
    ratings = sum(map(len, truth.elements())) if by_item else truth.total()
    if result["n_ratings"] != ratings:
        return f"{result['n_ratings']} ratings, not {ratings}"
    return _differs(result["alpha"]["value"], true_alpha(case, truth, scale))


# The verdict: the truth, a refusal that leads to it, or a failure.


@dataclass
class Verdict:
    """How reading a case ended, and what led there."""

    outcome: str
    message: str = ""
    advice: dict[str, Any] = field(default_factory=dict[str, Any])


def try_once(
    case: Case, options: dict[str, Any], truth: Counter[Any], *, engine: bool
) -> str | None:
    """Say what is wrong with the answer, None if nothing is; a refusal is raised."""
    if engine:
        return reduced(case, options, truth)
    found, data = read(case, options)
    if found != truth:
        return _difference(found, truth)
    # Alpha follows from what is read and its scale, so that it is measured for some.
    if case.reader == "ratings" and (not options or case.number % 4 == 0):
        return check_alpha(case, data, truth)
    return None


def _difference(found: Counter[Any], truth: Counter[Any]) -> str:
    def some(rows: Counter[Any]) -> str:
        return f"{rows.total()}: {list(rows.elements())[:4]}"

    return f"too many {some(found - truth)}; lost {some(truth - found)}"


def judge(case: Case, *, explicit: bool, engine: bool = False) -> Verdict:
    """Read a case, follow the advice of refusals, and say how it ended."""
    given = dict(case.options) if explicit else {}
    truth = case.named if explicit and case.named is not None else case.truth
    truths = [truth] if case.named is None else [truth, case.named]
    queue: list[dict[str, Any]] = [given]
    tried: list[dict[str, Any]] = []
    first = ""
    while queue and len(tried) < MOST_TRIES:
        options = queue.pop(0)
        tried.append(options)
        refusal: HeadcountError | None = None
        wrong = ""
        try:
            # Advice may lead to either of two truths, such as one with a column kept by its name.
            for one in truths if len(tried) > 1 else [truth]:
                wrong = try_once(case, options, one, engine=engine) or ""
                if not wrong:
                    return Verdict(RIGHT if len(tried) == 1 else MENDED, first, options)
        except HeadcountError as error:
            refusal = error
            if case.refused:  # spans are no repeated ratings
                offered = {one.name for one in named_in(error.marked)}
                bad = case.rendering == "spans" and "duplicates" in offered
                return Verdict(WRONG if bad else RIGHT, str(error))
        except Exception as error:  # anything else is a crash, which is a failure
            wrong = f"{type(error).__name__}: {error}"
            if len(tried) > 1:  # of an option that this function does not take, say
                continue
        if refusal is None:
            if len(tried) == 1:
                return Verdict(WRONG, wrong)
            continue
        first = first or str(refusal)
        for more in advice(case, refusal, options):
            if more not in tried and more not in queue:
                queue.append(more)
    spoilt = not explicit and any(flaw.startswith("bad cell") for flaw in case.flaws)
    return Verdict(GOOD_REASON if spoilt else DEAD_END, first)


def judge_look(case: Case) -> Verdict:
    """Read a case by the options with which `look` says that nothing is guessed."""
    try:
        seen = [one for one in headcount.look(case.data).seen if one.kind == case.reader]
        if not seen:
            return Verdict(WRONG, f"look finds no {case.reader}")
        options = dict(seen[0].explicit)
        wrong = try_once(case, options, case.truth, engine=False)
    except Exception as error:
        return Verdict(WRONG, f"{type(error).__name__}: {error}")
    return Verdict(WRONG, f"{wrong}; look's options {options}") if wrong else Verdict(RIGHT)


def advice(
    case: Case, refusal: HeadcountError, options: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Follow what a refusal says: each option that it names, two of them, and all at once.

    Where it names an option without a value, or with one of several that it lists, the user knows
    the value.
    """
    named: list[tuple[str, Any]] = []
    for option in named_in(refusal.marked):
        name, _, value = option.python.partition("=")
        if value not in ("", "...", "'...'"):
            try:
                named.append((name, ast.literal_eval(value)))
            except (ValueError, SyntaxError):
                continue
        own = case.options.get(name, case.options.get("label") if name == "question" else None)
        open_ended = value in ("", "...", "'...'") or "give other ends" in str(refusal)
        if own is not None and (open_ended or f"'{own}'" in str(refusal)):
            named.append((name, own))
    named = [pair for n, pair in enumerate(named) if pair not in named[:n]]
    if RESET in str(refusal) and RESET not in options:
        yield {**options, RESET: True}
    for name, value in named:
        yield with_option(options, name, value)
    for n, (name, value) in enumerate(named):
        for other, its in named[n + 1 :]:
            if other != name:
                yield with_option(with_option(options, name, value), other, its)
    if len(named) > 2:
        together = options
        for name, value in named:
            together = with_option(together, name, value)
        yield together


def with_option(options: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    """Add an option; those that take several values keep the ones they have."""
    if name in ("ignore", "missing", "exclude", "merge") and name in options:
        before = _listed(options[name])
        value = [*before, *(one for one in _listed(value) if one not in before)]
    return {**options, name: value}


def _listed(value: Any) -> list[Any]:
    return [value] if isinstance(value, str) else list(value)


# Many cases, and a table of them.


@dataclass
class Tally:
    """Outcomes by rendering and by format, without options and with them."""

    counts: Counter[tuple[str, str, bool, str]] = field(default_factory=Counter)
    """By kind and name of what is counted, whether options were given, and outcome."""
    failures: list[str] = field(default_factory=list[str])

    def add(self, case: Case, verdict: Verdict, *, explicit: bool, engine: bool) -> None:
        """Count a verdict."""
        kinds = [("rendering", case.rendering), ("format", case.format or "-"), ("total", "total")]
        if engine:
            kinds = [("rendering", f"{case.rendering} (DuckDB)"), ("total", "total")]
        elif not case.flaws:
            kinds.append(("total", "clean"))
        for kind, name in kinds:
            self.counts[kind, name, explicit, verdict.outcome] += 1

    def number(self, name: str, *, explicit: bool, outcomes: tuple[str, ...] = OUTCOMES) -> int:
        """Count cases of some outcomes, of a rendering, a format, 'clean' or 'total'."""
        return sum(
            times
            for (_, counted, options, outcome), times in self.counts.items()
            if counted == name and options == explicit and outcome in outcomes
        )

    def share_of_clean(self, *, explicit: bool) -> float:
        """Share of clean cases that are read right."""
        right = self.number("clean", explicit=explicit, outcomes=(RIGHT,))
        return right / max(self.number("clean", explicit=explicit), 1)

    def __str__(self) -> str:
        """Write a row for each rendering and format."""
        head = f"{'':30}" + "".join(f"{how:56}" for how in ("  without options", "  with options"))
        columns = ("cases", *OUTCOMES)
        lines = [head, f"{'':30}" + 2 * ("  " + "".join(f"{name:>9}"[:9] for name in columns))]
        names = sorted({key[:2] for key in self.counts}, key=lambda k: (k[0] == "total", k))
        for _, name in names:
            line = f"{name:30}"
            for explicit in (False, True):
                cells = [self.number(name, explicit=explicit)]
                cells += [self.number(name, explicit=explicit, outcomes=(o,)) for o in OUTCOMES]
                line += "  " + "".join(f"{cell:>9}" for cell in cells)
            lines.append(line)
        for explicit in (False, True):
            how = "with explicit options" if explicit else "without options"
            lines.append(
                f"clean cases read right {how}: {self.share_of_clean(explicit=explicit):.1%}"
            )
        return "\n".join(lines)


def run(
    numbers: range,
    seed: int,
    folder: Path,
    *,
    keep: Path | None = None,
    refused: bool = False,
    say: Callable[[str], None] = lambda text: None,
) -> Tally:
    """Judge cases, and say which fail; if `refused`, also which clean ones are not read."""
    tally = Tally()
    for number in numbers:
        place = folder / str(number)
        place.mkdir(parents=True)
        case = make_case(seed, number, place)
        texts: list[str] = []
        for engine in (False, True) if case.engine else (False,):
            for explicit in (False, True):
                verdict = judge(case, explicit=explicit, engine=engine)
                tally.add(case, verdict, explicit=explicit, engine=engine)
                if not explicit and not engine and verdict.outcome == RIGHT and case.look:
                    looked = judge_look(case)
                    tally.counts["rendering", "by look's options", True, looked.outcome] += 1
                    if looked.outcome == WRONG:
                        text = described(case, seed, looked, explicit=False, engine=False)
                        texts.append(f"BY LOOK, {text}")
                        tally.failures.append(texts[-1])
                text = described(case, seed, verdict, explicit=explicit, engine=engine)
                if verdict.outcome in FAILURES:
                    tally.failures.append(text)
                    texts.append(text)
                elif refused and not case.flaws and verdict.outcome != RIGHT:
                    texts.append(text)
        if texts and keep is not None and any(place.iterdir()):
            shutil.copytree(place, keep / str(number), dirs_exist_ok=True)
            texts.append(f"  its file is in {keep / str(number)}")
        for text in texts:
            say(text)
        shutil.rmtree(place)
    return tally


def described(case: Case, seed: int, verdict: Verdict, *, explicit: bool, engine: bool) -> str:
    """Say how to repeat a case, what it is, and what was read."""
    options = case.options if explicit else {}
    names = "" if case.sheet is None else f"\n  columns: {case.sheet.names[:12]}"
    return (
        f"{verdict.outcome.upper()}: --seed {seed} --case {case.number}: {case.rendering}, "
        f"{case.format}{', DuckDB' * engine}, options {options}, flaws {case.flaws}, "
        f"scale {case.scale} {case.labels[:5]}{names}\n  {verdict.message}"
        + (f"\n  mended by {verdict.advice}" if verdict.outcome == MENDED else "")
    )


def main(words: list[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--case", type=int)
    parser.add_argument("--keep", type=Path, default=KEPT, help="folder for the files of failures")
    parser.add_argument("--refused", action="store_true", help="say which clean cases are refused")
    given = parser.parse_args(words)
    warnings.simplefilter("ignore")
    numbers = range(given.first, given.first + given.runs)
    if given.case is not None:
        numbers = range(given.case, given.case + 1)
    with tempfile.TemporaryDirectory() as folder:
        tally = run(
            numbers,
            given.seed,
            Path(folder),
            keep=given.keep,
            refused=given.refused or given.case is not None,
            say=lambda text: print(text, flush=True),  # noqa: T201
        )
    print(tally)  # noqa: T201
    return int(bool(tally.failures))


if __name__ == "__main__":
    sys.exit(main())
