"""`headcount plan --anchors` and `--state`: place items among rated ones, step by step."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headcount.cli.output import check_rows, write_text
from headcount.errors import OptionError

if TYPE_CHECKING:
    from headcount.data.comparisons import Comparisons
    from headcount.pairwise.anchoring.search.result import Anchoring

__all__ = ["AnchorOptions", "place_step"]

ANCHORS = "Placing items among others"


@dataclass(frozen=True, kw_only=True)
class AnchorOptions:
    """The options of a search among anchors, as they were given."""

    anchors: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=ANCHORS,
            help="Comparisons of the items to place others among; those are the average items of "
            "the first file, or the items of --items.",
        ),
    ] = None
    state: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=ANCHORS,
            help="JSON file in which a search is kept. Alone, with --answers: go on from there.",
        ),
    ] = None
    place: Annotated[
        int,
        typer.Option(
            rich_help_panel=ANCHORS, help="How many items, the nearest to the average, are placed."
        ),
    ] = 5
    width: Annotated[
        float,
        typer.Option(
            rich_help_panel=ANCHORS, help="Stop when an item's interval is as narrow, in logits."
        ),
    ] = 2.0
    labels_out: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=ANCHORS,
            help="Write which anchors lie above the average of the first file, and how sure that "
            "is.",
        ),
    ] = None

    @property
    def wanted(self) -> bool:
        """Whether items are to be placed."""
        return self.anchors is not None or self.state is not None


def place_step(
    given: AnchorOptions,
    first: Comparisons | None,
    anchors: Comparisons | None,
    items: Sequence[str],
    answers: Sequence[Comparisons],
    *,
    number: int | None,
    level: float,
    output: Path | None,
) -> Anchoring:
    """Go one step, and keep the state."""
    if given.state is None:
        raise OptionError("--anchors: say where to keep the search (--state search.json).")
    starts = given.anchors is not None
    if starts and given.state.exists():
        raise OptionError(
            f"--state '{given.state}' exists already: leave out --anchors to go on from there, or "
            "name another file."
        )
    check_rows(given.labels_out)
    from headcount.io.write import write_rows
    from headcount.pairwise.anchoring.search.anchor_items import anchor_items

    found = anchor_items(
        anchors,
        items=list(items) or None,
        average_of=first,
        place=given.place,
        state=None if starts else given.state,
        answers=tuple(answers),
        number=number,
        width=given.width,
        level=level,
    )
    if given.labels_out is not None:
        if found.average is None:
            raise OptionError(
                "--labels-out: labels are by the average of another population; give its "
                "comparisons as the first file."
            )
        write_rows(found.labels(), given.labels_out)
    write_text(json.dumps(found.state.to_dict(), ensure_ascii=False, indent=1) + "\n", given.state)
    return replace(found, file=None if output is None else str(output))
