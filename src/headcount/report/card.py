"""The parts of a judge card, each with the call that gives it again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from headcount.blind_evaluation.methods.em import EM
from headcount.errors import named_in
from headcount.io.look.records import Step
from headcount.judging.result import JudgeResult
from headcount.report.records import Part

__all__ = ["CardFiles", "card_parts"]


@dataclass(frozen=True, kw_only=True)
class CardFiles:
    """The files that a card was made of, and how.

    Parameters
    ----------
    people : str
        As the user named it.
    judges : str or None
        The same; None if `people` holds both.
    reading : mapping of str to object
        Options of the reader of `people`.
    options : mapping of str to object
        Options of the card that its methods have too: `scale`, `bootstrap`, `level`, `rng`.
    gate : mapping of str to object
        Options that only the card has.
    alone : bool
        Whether each method can be run on the files by itself.
    """

    people: str
    judges: str | None = None
    reading: Mapping[str, Any] = field(default_factory=dict[str, Any])
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    gate: Mapping[str, Any] = field(default_factory=dict[str, Any])
    alone: bool = True

    @property
    def judged(self) -> str | None:
        """The judges' file, where each method can be run by itself."""
        return self.judges if self.alone else None


def card_parts(card: JudgeResult, files: CardFiles | None = None) -> Iterator[Part]:
    """Give the card, then what it is made of."""
    several = "these judges" if len(card.judges) > 1 else "this judge"
    verdict = f"May {several} stand in for a person here?"
    about = card.provenance.judges or ""
    step = None if files is None else _of_card(files)
    after = " ".join(card.answers[-1].sentences)
    yield Part(title=verdict, result=card, step=step, about=about, next_step=after)
    steps = {} if files is None or files.judged is None else _steps(card, files, files.judged)
    found = {
        "survey": ("How many raters judges are worth", card.survey),
        "agreement": ("How much the people agree", card.agreement),
        "alt_test": ("The alternative annotator test", card.alt_test),
        "rate": ("What people would say of all items", card.rate),
        "together": ("Judges beside each other", card.together),
        "panels": ("What panels of judges are worth in raters", card.panels),
    }
    for name, (title, result) in found.items():
        if result is not None:
            yield Part(title=title, result=result, step=steps.get(name), about=about)


def _of_card(files: CardFiles) -> Step:
    return Step(
        verb="judge",
        data=files.people,
        reader="read_ratings",
        reading=files.reading,
        files={} if files.judges is None else {"judges": files.judges},
        options={**files.options, **files.gate},
        why="",
    )


def _steps(card: JudgeResult, files: CardFiles, judges: str) -> dict[str, Step]:
    """Write calls of the single methods; of rate and blind only where judges give labels."""
    options, p = dict(files.options), card.provenance
    people: dict[str, Any] = {
        "data": files.people, "reader": "read_ratings", "reading": files.reading, "why": "",
    }  # fmt: skip
    of_survey = {**options, **_clip(card)}
    steps = {
        "survey": Step(verb="survey", files={"predictions": judges}, options=of_survey, **people),
        "agreement": Step(
            verb="agree", options={**options, "by_rater": True, "by_item": True}, **people
        ),
    }
    if card.panels is not None and len(card.panels.members) == len(card.judges):
        steps["panels"] = Step(
            verb="panel_worth", files={"predictions": judges}, options=options, **people
        )
    labels = all(one.kind == "labels" for one in card.judges)
    if labels and card.alt_test is not None:
        steps["alt_test"] = Step(
            verb="survey",
            files={"predictions": judges},
            options={**of_survey, "alt_test": card.alt_test.epsilon},
            **people,
        )
    if labels and len(card.judges) > 1 and not files.reading:  # of one, no file of votes is known
        level = {name: value for name, value in options.items() if name == "level"}
        draws = {name: value for name, value in options.items() if name in ("level", "rng")}
        positive = {} if p.positive is None else {"positive": p.positive}
        steps["rate"] = Step(
            verb="corrected_rate",
            data=judges,
            reader="read_votes",
            files={"people": files.people},
            options={**positive, **level},
            why="",
        )
        steps["together"] = Step(
            verb="blind",
            data=judges,
            reader="read_votes",
            options={"methods": [EM.name], "bootstrap": 0, **draws},
            why="",
        )
    return steps


def _clip(card: JudgeResult) -> dict[str, float]:
    """Find the bound of probabilities that the card's survey took, where it took one."""
    marked = [one for note in card.notes for one in named_in(note.marked)]
    bound = [one.value for one in marked if one.name == "survey.clip"]
    return {"clip": float(bound[0])} if bound else {}
