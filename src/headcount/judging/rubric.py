"""Rubrics: people and judges who answered several criteria, one row per criterion and judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.errors import (
    DataError,
    OptionError,
    QuestionsError,
    count,
    option,
    some,
    unknown_name,
)
from headcount.io.opening import open_table
from headcount.io.ratings import read_ratings
from headcount.io.roles import find_role, plain_name
from headcount.judging.beside_people import lead, signed
from headcount.judging.gate import GateResult, Readiness, all_of, shown_worth
from headcount.judging.judge import judge, readiness_at
from headcount.judging.result import ORDER, Card, JudgeResult
from headcount.judging.runs import is_called, judges_on, without_criterion
from headcount.results.fields import Record, json_value, rows
from headcount.results.notes import Note
from headcount.results.plotting import new_figure
from headcount.results.result import ALL_ENTRIES, Page, Result, Screen, again
from headcount.results.tables import Table
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RubricResult", "RubricRow", "criteria_of", "judge_rubric", "read_rubric"]


@dataclass(frozen=True, kw_only=True)
class RubricRow(Record):
    """What a card says of one judge on one criterion.

    Parameters
    ----------
    criterion, judge : str
    readiness : Readiness or None
        As on its own card.
    of_all : bool
        Whether this verdict is as sure among all rows: by Holm's rule.
    kappa, people_kappa : Estimate or None
        The judge's in the place of a person, and a person's.
    bias : Estimate or None
    worth : Estimate
    verdict : str
        The sentence of the card.
    """

    criterion: str
    judge: str
    readiness: Readiness | None
    of_all: bool
    kappa: Estimate | None
    people_kappa: Estimate | None
    bias: Estimate | None
    worth: Estimate
    verdict: str


@dataclass(frozen=True, repr=False, kw_only=True)
class RubricResult(Result):
    """Whether judges may stand in for a person, criterion by criterion.

    Parameters
    ----------
    rows : tuple of RubricRow
        One a criterion and judge.
    cards : mapping of criterion to JudgeResult
        The whole card of each; ``result["fluency"]`` finds one.
    gate : GateResult or None
        Asks for every row, which needs no correction for many.
    """

    rows: tuple[RubricRow, ...]
    cards: Mapping[str, JudgeResult] = field(default_factory=dict[str, JudgeResult])
    gate: GateResult | None = None

    def __getitem__(self, criterion: str) -> JudgeResult:
        return self.cards[criterion]

    @property
    def judges(self) -> list[str]:
        """Names of the judges, in their order."""
        return list(dict.fromkeys(row.judge for row in self.rows))

    def _sentences(self) -> list[str]:
        """Say on which criteria each judge is ready."""
        out: list[str] = []
        for name in self.judges:
            own = [row for row in self.rows if row.judge == name]
            by: dict[str, list[str]] = {}
            for row in own:
                by.setdefault(row.readiness or "no verdict", []).append(row.criterion)
            if len(by) == 1:
                on = f"on all {len(own)} criteria" if len(own) > 1 else "(1 criterion)"
                out.append(f"{name}: {next(iter(by))} {on}.")
                continue
            parts = [
                f"{words} on {some_words(by[words])}"
                for words in (*ORDER, "no verdict")
                if words in by
            ]
            out.append(f"{name}: {'; '.join(parts)}.")
        return out

    def screen(self) -> Screen:
        """Say which judge is ready on which criterion, and where to look next."""
        table = self._table()
        rest = len(table.body) - MOST_ROWS
        more = f"and {count(rest, 'more row')}{ALL_ENTRIES}" if rest > 0 else ""
        open_ = [row.criterion for row in self.rows if row.readiness != "ready"]
        first = open_[0] if open_ else next(iter(self.cards))
        return Screen(
            self._headline(),
            Table(table.head, table.body[:MOST_ROWS], more=more),
            self._data(),
            [again(question=first)],
        )

    def page(self) -> Page:
        """Say which judge is ready on which criterion."""
        return Page(self._headline(), [self._table()], [self._data()])

    def _headline(self) -> list[str]:
        gate = [] if self.gate is None else [f"gate: {self.gate.status}"]
        return [*gate, *self._sentences()]

    def _data(self) -> str:
        """Say what there is, and which rows hold by themselves only."""
        p = self.provenance
        people = "unknown annotators" if p.n_raters is None else count(p.n_raters, "annotator")
        data = f"{count(len(self.cards), 'criterion').replace('ons', 'a')}, {people}"
        if any(not row.of_all and row.readiness in DECIDED for row in self.rows):
            data += "; * by itself, not among all rows (Holm)"
        return data

    def _table(self) -> Table:
        body = [
            [
                row.criterion,
                row.judge,
                f"{row.readiness or 'no verdict'}"
                f"{'*' if row.readiness in DECIDED and not row.of_all else ''}",
                "" if row.kappa is None else f"{row.kappa.value:.2f}",
                "" if row.people_kappa is None else f"{row.people_kappa.value:.2f}",
                self._bias(row),
                shown_worth(row.worth).partition(",")[0].removeprefix("about "),
            ]
            for row in self.rows
        ]
        head = ["criterion", "judge", "verdict", "kappa", "people", "bias", "worth"]
        return Table(head, body)

    def _bias(self, row: RubricRow) -> str:
        """Write a bias as the card of the criterion does."""
        standing = self.cards[row.criterion][row.judge].standing
        return "" if standing is None else standing.shown_bias.partition(",")[0]

    def columns(self) -> dict[str, list[Any]]:
        """Return one row per criterion and judge."""
        return rows(self.rows)

    def document(self) -> dict[str, Any]:
        """Return the rows, and the whole card of each criterion."""
        cards = {name: card.to_dict() for name, card in self.cards.items()}
        return {"gate": json_value(self.gate), "rows": json_value(self.rows), "criteria": cards}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw a grid of criteria and judges: the verdict, and how far kappa is from people's."""
        from matplotlib.patches import Rectangle

        criteria, judges = list(self.cards), self.judges
        size = (2.2 + 1.5 * len(judges), 1.2 + 0.45 * len(criteria))
        axes: Any = new_figure(*size).subplots() if ax is None else ax
        for row in self.rows:
            x, y = judges.index(row.judge), criteria.index(row.criterion)
            colour, word = LOOKS[row.readiness]
            axes.add_patch(Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, facecolor=colour))
            beside = ""
            if row.kappa is not None and row.people_kappa is not None:
                beside = f"\n{signed(lead(row.kappa.value, row.people_kappa.value))}"
            axes.text(x, y, f"{word}{beside}", ha="center", va="center", fontsize="small")
        axes.set_xlim(-0.5, len(judges) - 0.5)
        axes.set_ylim(len(criteria) - 0.5, -0.5)
        axes.set_xticks(range(len(judges)), judges)
        axes.set_yticks(range(len(criteria)), criteria)
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        for side in axes.spines.values():
            side.set_visible(False)
        axes.set_xlabel("number: kappa minus people's", fontsize="small")
        return axes


MOST_ROWS = 12
"""Rows of the first screen."""
DECIDED: tuple[Readiness | None, ...] = ("ready", "ready once recalibrated", "not ready")
"""Verdicts that say something."""
LOOKS: dict[Readiness | None, tuple[str, str]] = {
    "ready": ("#9fd8c4", "ready"),
    "ready once recalibrated": ("#f7dd9a", "recalibrate"),
    "not ready": ("#f0b08c", "not ready"),
    "cannot tell yet": ("#e4e4e4", "cannot tell"),
    None: ("#ffffff", "no verdict"),
}
"""Colour and word of a verdict."""


def some_words(names: Sequence[str]) -> str:
    """List names."""
    return ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else names[0]


Rubric = dict[str, tuple[Labels, Predictions]]
"""People and judges of each criterion."""


def judge_rubric(people: Any, judges: Any, **given: Any) -> RubricResult:
    """Tell on which criteria LLM judges may stand in for a person.

    Parameters
    ----------
    people, judges : path, frame or mapping of criterion to Labels and to Predictions
        What people and judges answered: a column per criterion, a column that names the criterion,
        or columns called by a person (or judge) and a criterion. Criteria are matched by name.
    **given
        Options of :func:`headcount.judge`, the same for all criteria.

    Returns
    -------
    RubricResult
        One row per criterion and judge. The gate asks for all of them, which takes no correction
        for many; of single rows `of_all` says whether a verdict holds among all (Holm).

    Examples
    --------
    >>> import numpy as np
    >>> from headcount.judging.rubric import judge_rubric
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.integers(1, 6, 100)
    >>> said = {
    ...     name: np.clip(truth + rng.integers(-1, 2, (4, 100)), 1, 5) for name in ("tone", "style")
    ... }
    >>> items = [f"i{k}" for k in range(100)]
    >>> people = {f"{who}_{c}": said[c][k] for c in said for k, who in enumerate("abc")}
    >>> people = {"item": items} | people
    >>> card = judge_rubric(people, {"item": items} | {c: said[c][3] for c in said}, bootstrap=20)
    >>> [(row.criterion, row.judge, row.readiness) for row in card.rows]
    [('tone', 'judge', 'ready'), ('style', 'judge', 'ready')]
    """
    for name in ("looks", "label_map", "run"):
        if given.get(name):
            raise OptionError(
                f"{option(name)} is for one criterion at a time: read people and judges of one "
                f"({option('question', ...)}), and use headcount.judge."
            )
    return card_of(read_rubric(people, judges), **given)


def card_of(
    rubric: Rubric, baselines: Mapping[str, Predictions] | None = None, **given: Any
) -> RubricResult:
    """Judge every criterion, and put the cards together."""
    before = baselines or {}
    cards = {
        name: judge(rated, predictions, baseline=before.get(name), **given)
        for name, (rated, predictions) in rubric.items()
    }
    found = [(name, card) for name, result in cards.items() for card in result.judges]
    sure = _holm(found, cards, given.get("level", 0.95))
    gates = [(name, card.gate) for name, card in cards.items() if card.gate is not None]
    gate = None
    if gates:
        status = all_of(each.status for _, each in gates)
        lines = [
            f"{name}: {each.line.partition(': ')[2]}" for name, each in gates
            if each.status == status
        ]  # fmt: skip
        gate = GateResult(status=status, line=f"{status}: {'; '.join(lines)}")
    first = next(iter(cards.values()))
    return RubricResult(
        provenance=first.provenance,
        notes=tuple(n for n in first.notes if all(n in card.notes for card in cards.values())),
        rows=tuple(_row(name, card, of_all=(name, card.name) in sure) for name, card in found),
        cards=cards,
        gate=gate,
    )


def _row(criterion: str, card: Card, *, of_all: bool) -> RubricRow:
    standing = card.standing
    return RubricRow(
        criterion=criterion,
        judge=card.name,
        readiness=card.readiness,
        of_all=of_all,
        kappa=None if standing is None else standing.kappa,
        people_kappa=None if standing is None else standing.people_kappa,
        bias=None if standing is None else standing.bias,
        worth=card.worth,
        verdict=card.verdict,
    )


def _holm(
    found: Sequence[tuple[str, Card]], cards: Mapping[str, JudgeResult], level: float
) -> set[tuple[str, str]]:
    """Find the verdicts that hold among all rows, by Holm's step-down rule."""
    decided = [(name, card) for name, card in found if card.readiness in DECIDED]
    sure: set[tuple[str, str]] = set()
    while True:
        stricter = 1 - (1 - level) / (len(found) - len(sure))
        more = {
            (name, card.name)
            for name, card in decided
            if (name, card.name) not in sure
            and readiness_at(cards[name], card, stricter) == card.readiness
        }
        if not more or len(sure | more) == len(found):
            return sure | more
        sure |= more


# People and judges by criterion, whatever the layout.


def criteria_of(error: QuestionsError, judges: Any) -> Mapping[str, Sequence[str]]:
    """Choose how to read names of columns of two things: by what the judges' file names."""
    table = open_table(judges, name="judges", kind="predictions")
    words = {plain_name(name) for name in table.names}
    column = find_role(table.names, "asked")
    if column is not None:
        words |= {plain_name(text) for text in table.codes(column)[1]}
    for way in error.ways:
        if any(is_called(word, plain_name(name)) for name in way for word in words):
            return way
    listed = some([name for way in error.ways for name in way], 12)
    raise DataError(
        f"{table.source}: which of the criteria of people ({listed}) do the judges answer? Name it "
        f"({option('question', next(iter(error.ways[0])))}), or give their answers a column of the "
        "same name."
    )


def read_rubric(
    people: Any,
    judges: Any,
    *,
    read: Callable[[str, Sequence[str]], Labels] | None = None,
    error: QuestionsError | None = None,
    only: str | None = None,
) -> Rubric:
    """Read people and judges of every criterion.

    `read` reads what people said of a criterion, with its columns if it has its own; `error` is
    what reading without a criterion raised, and `only` the criterion to read.
    """
    if isinstance(people, Mapping):
        given = cast("Mapping[str, Any]", people)
        if all(isinstance(each, Labels) for each in given.values()):
            return {name: (rated, judges[name]) for name, rated in given.items()}
    if error is None:
        try:
            read_ratings(people, name="people")
        except QuestionsError as raised:
            error = raised
        else:
            raise OptionError("people answered one question: use headcount.judge.")
    if judges is None:
        raise DataError(f"{error.marked} To judge all of them give the judges in their own file.")
    criteria = criteria_of(error, judges)
    if only is not None:
        if only not in criteria:
            raise unknown_name("question", only, list(criteria), option_name="question")
        criteria = {only: criteria[only]}
    out: Rubric = {}
    missing: list[str] = []
    named = [name for way in error.ways for name in way]
    for name, columns in criteria.items():
        if read is None:
            chosen: dict[str, Any] = {"columns": list(columns)} if columns else {"question": name}
            rated = read_ratings(people, name="people", **chosen)
        else:
            rated = read(name, columns)
        predictions = judges_on(judges, name, named, rated.scale.labels)
        if predictions is None:
            missing.append(name)
            continue
        out[name] = (_without(rated, name) if columns else rated, predictions)
    if missing:
        first = next(iter(out))
        rated, predictions = out[first]
        words = f"criteria that no judge answers are left out: {some(missing, 12)}."
        out[first] = (replace(rated, notes=(*rated.notes, Note(words, "caution"))), predictions)
    return out


def _without(rated: Labels, criterion: str) -> Labels:
    """Call raters by what their columns have besides the criterion."""
    names = [without_criterion(str(name), criterion) for name in rated.raters.tolist()]
    if len(set(names)) < len(names) or sorted(names) != names:
        return rated
    return replace(rated, raters=np.array(names))
