"""What files are, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from headcount.errors import count
from headcount.io.formats.catalogue import FORMATS
from headcount.io.look.kinds.catalogue import KINDS
from headcount.io.look.records import LookRecord, Seen, Shared
from headcount.results.text import ALL_ENTRIES, Code, Page, Table

__all__ = ["look_page"]

DELIMITERS = {"\t": "tabs", ";": "semicolons", "|": "bars"}
"""What stands between columns, where it is no comma."""
MOST_LABELS, MOST_BY, MOST_COLUMNS, LONGEST = 12, 4, 12, 24


def look_page(result: LookRecord) -> Page:
    """Write a sentence a file, what is in them, and what to do next."""
    seen = result.seen
    blocks: list[Table | Code | str] = []
    blocks += [table for one in seen if (table := _unread(one)) is not None]
    if any(one.balance for one in seen):
        blocks.append(_balance(seen))
    if facts := [line for one in seen for line in _facts(one, len(seen) > 1)]:
        blocks.append(" ".join(facts))
    if result.shared:
        blocks.append(" ".join(map(_common, result.shared)))
    if result.steps:
        lines = [line for step in result.steps for line in (f"# {step.why}", step.marked)]
        blocks.append(Code(lines, title="Next:"))
    return Page([_sentence(one) for one in seen], blocks)


def _sentence(one: Seen) -> str:
    how = _how(one)
    if one.said:
        return f"{one.name}: {one.said}; {how}"
    if one.data is None:
        rows, columns = one.counts.get("rows"), count(len(one.columns), "column")
        size = "" if rows is None else f" of {count(rows, 'row')} x {columns}"
        return f"{one.name}: {how}{size}, which cannot be read as it is"
    kind = next(kind for kind in KINDS if kind.name == one.kind)
    return f"{one.name}: {kind.sentence(one.data)}; {how}"


def _how(one: Seen) -> str:
    """Write how a file is laid out: long CSV, say."""
    if one.tool is not None:
        return f"an export of {one.tool}"
    if one.source is None:
        return f"{one.shape} data" if one.shape else "data in memory"
    words = [one.shape] if one.shape else []
    titles = {known.name: known.title for known in FORMATS}
    words.append(titles.get(one.source.format) or one.source.format)
    if one.source.delimiter in DELIMITERS:
        words.append(f"with {DELIMITERS[one.source.delimiter]}")
    if one.source.encoding not in (None, "utf-8", "ascii", "UTF-8"):
        words.append(f"in {one.source.encoding}")
    return " ".join(words)


def _unread(one: Seen) -> Table | None:
    """Show the columns of a table that could not be read."""
    if one.data is not None or not one.columns:
        return None
    body = [
        [_short(c.name), f"{c.filled:,}", f"{c.different:,}", _short(", ".join(c.examples), 40)]
        for c in one.columns[:MOST_COLUMNS]
    ]
    rest = len(one.columns) - len(body)
    more = f"{count(rest, 'more column')}{ALL_ENTRIES}" if rest > 0 else ""
    return Table(["column", "filled", "different", "such as"], body, more=more)


def _balance(seen: Sequence[Seen]) -> Table:
    """Show how often each label is given, side by side."""
    given = [
        (of if one.kind == "predictions" else one.name, shares)
        for one in seen
        for of, shares in one.balance.items()
    ]
    labels = list(dict.fromkeys(share.label for _, shares in given for share in shares))
    if len(labels) > MOST_LABELS:  # the commonest, in their order
        most = dict.fromkeys(labels, 0.0)
        for _, shares in given:
            for share in shares:
                most[share.label] = max(most[share.label], share.share)
        shown_labels = set(sorted(labels, key=lambda label: -most[label])[:MOST_LABELS])
    else:
        shown_labels = set(labels)
    shown = given[:MOST_BY]
    alone = len(given) == 1
    body: list[list[str]] = []
    for label in (label for label in labels if label in shown_labels):
        row = [_short(label)]
        for _, shares in shown:
            share = next((share for share in shares if share.label == label), None)
            if alone:
                row.append("" if share is None else f"{share.count:,.0f}")
            row.append("" if share is None else f"{100 * share.share:.1f}%")
        body.append(row)
    head = ["label", "times", "share"] if alone else ["label", *(_short(of) for of, _ in shown)]
    hidden = [count(len(labels) - len(body), "rarer label")] if len(labels) > len(body) else []
    if len(given) > len(shown):
        hidden.append(count(len(given) - len(shown), "more column"))
    return Table(head, body, more=f"{' and '.join(hidden)}{ALL_ENTRIES}" if hidden else "")


def _facts(one: Seen, several: bool) -> Iterator[str]:
    """Sentences on how answers are spread over items and raters, and what was left out."""
    counts, about = one.counts, f"{one.name}: " if several else ""
    said: list[str] = []
    if "ratings" in counts:
        by = counts["ratings_per_rater"]
        of_rater = f", {_spread(by)} per rater" if by else ""
        an_item = _spread(counts["ratings_per_item"])
        said.append(f"{count(counts['ratings'], 'rating')}, {an_item} per item{of_rater}")
    elif "comparisons" in counts:
        left, right, ties = counts["left"], counts["right"], counts["ties"]
        if "winner" in one.roles:  # on which side it was shown is not known
            said.append(f"{count(left + right, 'win')}, {count(ties, 'tie')}")
        elif not counts["rankings"]:
            said.append(f"left wins {left:,} times, right {right:,}, ties {ties:,}")
        met = _spread(counts["comparisons_per_item"])
        noun = "ranking" if counts["rankings"] else "comparison"
        said.append(f"{met} {noun}{'' if met == '1' else 's'} per item")
    elif one.kind == "predictions":
        kinds = {"hard": "labels", "soft": "probabilities", "score": "scores"}
        who = [f"{_short(c['name'])} ({kinds[c['kind']]})" for c in counts["classifiers"][:6]]
        rest = len(counts["classifiers"]) - len(who)
        said.append(", ".join(who) + (f" and {rest} more" if rest > 0 else ""))
    if one.dropped:
        why = ", ".join(f"{reason} ({times:,})" for reason, times in one.dropped.items())
        said.append(f"left out: {why}")
    if said:
        yield f"{about}{'; '.join(said)}."


def _spread(of: dict[str, float]) -> str:
    low, middle, high = of["min"], of["median"], of["max"]
    return f"{low:,}" if low == high else f"{low:,} to {high:,} (median {middle:g})"


def _common(shared: Shared) -> str:
    if shared.a == shared.b:  # one export
        return f"{count(shared.items, 'item')} of {shared.a} have both ratings and predictions."
    if shared.items == shared.items_a == shared.items_b:
        return f"{shared.a} and {shared.b} are of the same {count(shared.items, 'item')}."
    return (
        f"{shared.a} ({shared.items_a:,}) and {shared.b} ({shared.items_b:,}) share "
        f"{count(shared.items, 'item')}."
    )


def _short(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
