"""Looking again: a ledger of looks at a growing set of items, and what may not change in it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import numpy as np

from headcount.data.vocabulary import match_ids, number_text
from headcount.errors import DataError, OptionError, count, option, some
from headcount.judging.gate import Readiness
from headcount.judging.prepare import Prepared

__all__ = ["Ledger", "Look"]

FORMAT, VERSION = "headcount looks", 1
NEW_LEDGER = f"Start a new ledger for other items or judges ({option('looks', 'other.json')})"


@dataclass(frozen=True, kw_only=True)
class Look:
    """One look: when, at which items that were new, and what was decided.

    Parameters
    ----------
    time : str
    items : mapping of item to digest
        Of what people said of each item that no earlier look saw.
    judges : mapping of judge to (mapping of item to digest)
        Of what each judge said of the same items.
    readiness : mapping of judge to readiness
    """

    time: str
    items: dict[str, str]
    judges: dict[str, dict[str, str]]
    readiness: dict[str, Readiness | None]


@dataclass(frozen=True)
class Ledger:
    """The looks that were taken, and the file that keeps them.

    A verdict over looks holds for one judge and one set of items that grows. So items that were
    looked at before must all be there and unchanged, or the ledger is refused.

    Parameters
    ----------
    path : Path
    looks : tuple of Look
    """

    path: Path
    looks: tuple[Look, ...] = ()

    @classmethod
    def read(cls, path: Path) -> Ledger:
        """Read a ledger; an empty one where there is no such file yet."""
        if not path.exists():
            return cls(path)
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            if document["format"] != FORMAT or document["version"] > VERSION:
                raise ValueError
            return cls(path, tuple(Look(**look) for look in document["looks"]))
        except OSError as error:
            raise DataError(f"cannot read the ledger '{path}': {error.strerror}.") from None
        except (ValueError, KeyError, TypeError):
            raise OptionError(
                f"{option('looks', path)}: '{path}' is no ledger of looks that this version reads. "
                "Name a new file, or one that an earlier look wrote."
            ) from None

    def after(self, prepared: Prepared, readiness: dict[str, Readiness | None]) -> Ledger:
        """Return the ledger with this look; unchanged if nothing is new since the last one."""
        people, judges = _of_people(prepared), _of_judges(prepared)
        seen = {item for look in self.looks for item in look.items}
        new = [item for item in people if item not in seen]
        if not new and self.looks and self.looks[-1].readiness == readiness:
            return self
        look = Look(
            time=datetime.now(UTC).isoformat(timespec="seconds"),
            items={item: people[item] for item in new},
            judges={name: {i: of[i] for i in new} for name, of in judges.items()},
            readiness=readiness,
        )
        return Ledger(self.path, (*self.looks, look))

    def write(self) -> None:
        """Replace the file, whole or not at all."""
        from headcount.io.write import replacing

        document = {
            "format": FORMAT,
            "version": VERSION,
            "looks": [asdict(look) for look in self.looks],
        }
        with replacing(self.path) as file:
            file.write_text(json.dumps(document, indent=1), encoding="utf-8")

    def check(self, prepared: Prepared) -> None:
        """Refuse a ledger of other items or of another judge."""
        people, judges = _of_people(prepared), _of_judges(prepared)
        for look in self.looks:
            when = f"the look of {look.time}"
            others = [name for name in look.judges if name not in judges]
            others += [name for name in judges if name not in look.judges]
            if others:
                raise self._refused(
                    f"it is of the judges {some(list(look.judges))}, and these are "
                    f"{some(list(judges))}. {NEW_LEDGER}"
                )
            if gone := [item for item in look.items if item not in people]:
                raise self._refused(
                    f"these items of {when} are missing: {some(gone)}. Give all earlier items and "
                    f"the new ones together. {NEW_LEDGER}"
                )
            if changed := [item for item in look.items if look.items[item] != people[item]]:
                raise self._refused(
                    f"people's answers have changed since {when}, on {some(changed)}. Looks hold "
                    f"only if items looked at before stay as they were. {NEW_LEDGER}"
                )
            for name, answers in look.judges.items():
                if changed := [i for i in answers if answers[i] != judges[name][i]]:
                    raise self._refused(
                        f"the answers of '{name}' have changed since {when}, on "
                        f"{count(len(changed), 'item')} such as {some(changed)}: it is another "
                        f"judge. {NEW_LEDGER}"
                    )

    def _refused(self, why: str) -> DataError:
        return DataError(f"{option('looks', self.path)}: {why}.")


def _digest(answers: object) -> str:
    return sha256(json.dumps(answers, ensure_ascii=False).encode()).hexdigest()[:16]


def _of_people(prepared: Prepared) -> dict[str, str]:
    """Digest what people said of each item, whatever the order of rows."""
    people = prepared.people
    raters = [str(rater) for rater in people.raters.tolist()]
    labels = [str(label) for label in people.scale.labels]
    said: dict[int, list[tuple[str, str]]] = {}
    for item, rater, label in zip(
        people.item.tolist(), people.rater.tolist(), people.label.tolist(), strict=True
    ):
        pair = (raters[int(rater)], labels[int(label)])
        said.setdefault(item, []).append(pair)
    items = people.items.tolist()
    return {str(items[code]): _digest(sorted(said[code])) for code in sorted(said)}


def _of_judges(prepared: Prepared) -> dict[str, dict[str, str]]:
    """Digest what each judge said of people's items, as text: of scores as of labels."""
    predictions = prepared.predictions
    answers: dict[str, list[object]] = {
        score.name: [None if np.isnan(v) else number_text(v) for v in score.values.tolist()]
        for score in predictions.scores
    }
    for judge in predictions.classifiers:
        rows = zip(judge.probability.tolist(), judge.predicted.tolist(), strict=True)
        answers[judge.name] = [
            _answer(row, predictions.labels, judge.kind) if there else None for row, there in rows
        ]
    index = match_ids(prepared.people.items, predictions.items).tolist()
    items = [str(item) for item in prepared.people.items.tolist()]
    return {
        name: {
            item: _digest(said[k] if k >= 0 else None) for item, k in zip(items, index, strict=True)
        }
        for name, said in answers.items()
    }


def _answer(row: list[float], labels: tuple[str, ...], kind: str) -> object:
    if kind == "hard":
        return labels[row.index(max(row))]
    return [[label, repr(p)] for label, p in zip(labels, row, strict=True) if p]
