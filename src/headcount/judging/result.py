"""What :func:`headcount.judge` returns, and the forms in which to have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headcount.errors import unknown_name
from headcount.judging.card_sentences import best_first
from headcount.judging.json_document import document
from headcount.judging.plot import plot_standing
from headcount.judging.records import Card, JudgeRecord
from headcount.judging.text import page
from headcount.results.text import Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["JudgeResult"]


@dataclass(frozen=True, repr=False, kw_only=True)
class JudgeResult(JudgeRecord):
    """Whether judges may stand in for a person, and what that rests on.

    Parameters
    ----------
    judges : tuple of Card
        In the order of the predictions; ``result["name"]`` finds one.
    answers : tuple of Answer
        The questions of the card in their order, each answered in sentences.
    gate : Gate or None
        What the conditions that were asked for come to; None where none was.
    agreement : AgreementResult
    survey : SurveyResult
    alt_test : AltTest or None
        None where no two people have enough items.
    rate : RateResult or None
        None for several labels without a positive one. Scores count as the labels that people
        give where they are given.
    together : BlindResult or None
        Judges beside each other, for two or more.
    panels : PanelResult or None
        What panels of judges are worth in raters, for two to six.
    provenance : JudgeProvenance
    notes : tuple of Note
    """

    def __getitem__(self, name: str) -> Card:
        for one in self.judges:
            if one.name == name:
                return one
        raise unknown_name("judge", name, [one.name for one in self.judges])

    def page(self) -> Page:
        """Give the verdict, then answer each question."""
        return page(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row a judge: its worth, its standing beside people, and the verdict."""
        rows: list[dict[str, Any]] = []
        for one in self.judges:
            standing = one.standing
            row: dict[str, Any] = {"judge": one.name, "kind": one.kind, "status": one.status}
            found = {
                "worth": one.worth,
                "share": one.share,
                "kappa": None if standing is None else standing.kappa,
                "people_kappa": None if standing is None else standing.people_kappa,
                "difference": None if standing is None else standing.difference,
                "agreement": one.parting.agreement,
            }
            for name, estimate in found.items():
                form = {} if estimate is None else estimate.to_dict()
                row[name] = form.get("value")
                row[f"{name}_low"], row[f"{name}_high"] = form.get("low"), form.get("high")
            row["bias"] = None if standing is None else standing.bias
            row["place"] = None if standing is None else standing.place
            row["verdict"], row["next_step"] = one.verdict, one.next_step
            rows.append(row)
        return {name: [row[name] for row in rows] for name in rows[0]}

    def drawn(self) -> dict[str, list[Any]]:
        """Return what the plot shows: kappa of each judge and person, and the best judge's."""
        out: dict[str, list[Any]] = {
            name: [] for name in ("name", "kappa", "low", "high", "judge in that place")
        }
        cards = [card for card in best_first(self.judges) if card.standing is not None]
        rows = [
            (card.name, e.value, e.low, e.high, None)
            for card in cards
            if card.standing is not None and (e := card.standing.kappa)
        ]
        first = cards[0].standing if cards else None
        people = () if first is None else first.people
        rows += [(one.person, one.kappa, None, None, one.judge_kappa) for one in people]
        for row in rows:
            for values, value in zip(out.values(), row, strict=True):
                values.append(value)
        return out

    def document(self) -> dict[str, Any]:
        """Return what is particular to the card in the JSON document."""
        return document(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw each person's kappa with the others, and the judges' (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        return plot_standing(self, ax)
