"""What was seen in files, in words and drawn, and what to do next with them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.data.vocabulary import find_labels, number_of
from headcount.errors import DataError, Named, count, marked, some, unknown_name
from headcount.io.look_kinds import KINDS, Share
from headcount.io.opening import FORMATS
from headcount.io.values import match_items
from headcount.results.notes import Note, Notes, Source
from headcount.results.plotting import COLOURS, bare, cut, legend_above, new_figure, plain
from headcount.results.result import ALL_ENTRIES, Code, Page, Result, Screen, command, in_call
from headcount.results.tables import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Seen",
    "Shared",
    "Step",
    "LookResult",
    "next_steps",
    "unmatched",
    "draw",
]


# What was seen in files: fields that the text, the plot and the document read.

COMMAND = "command"
"""By this name a step is marked in a text, for a command line to write it as it does."""
LONGEST_CALL = 76
"""Characters of a call that is written in one line."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Seen:
    """What one file holds of one kind.

    Parameters
    ----------
    name : str
        What messages call the file.
    given : str
        As the user named it, for commands.
    kind : str or None
        ratings, predictions, comparisons or gold; None if it could not be read.
    data : object
        `Labels`, `Predictions`, `Comparisons` or `Facts`; None if it could not be read.
    source : Source or None
        The file.
    tool : str or None
        The tool that wrote it.
    shape : str or None
        How the table is laid out.
    roles : mapping of str to str
        Which column plays which role.
    options : mapping of str to object
        What readers must be told so that they read it; none if they read it as it is.
    explicit : mapping of str to object
        Options by which readers read it as it was read here, and guess nothing.
    counts : mapping of str to object
        Numbers of items, raters, ratings ...
    balance : mapping of str to tuple of Share
        How often each label is given, by rater group or classifier.
    dropped : mapping of str to int
        What was left out, by reason.
    refused : Note or None
        Why it could not be read as it is.
    said : str
        What it is, in words, where data were reduced where they are and so there are none.
    """

    name: str
    given: str
    kind: str | None
    data: Any = None
    source: Source | None = None
    tool: str | None = None
    shape: str | None = None
    roles: Mapping[str, str] = field(default_factory=dict[str, str])
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    explicit: Mapping[str, Any] = field(default_factory=dict[str, Any])
    counts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    balance: Mapping[str, tuple[Share, ...]] = field(default_factory=dict[str, tuple[Share, ...]])
    dropped: Mapping[str, int] = field(default_factory=dict[str, int])
    refused: Note | None = None
    said: str = ""

    def document(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        source = self.source
        return {
            "file": self.name,
            "kind": self.kind,
            "tool": self.tool,
            "format": None if source is None else source.format,
            "encoding": None if source is None else source.encoding,
            "delimiter": None if source is None else source.delimiter,
            "shape": self.shape,
            "roles": [{"role": role, "column": column} for role, column in self.roles.items()],
            "counts": dict(self.counts),
            "balance": [
                {"of": of, "labels": [asdict(share) for share in shares]}
                for of, shares in self.balance.items()
            ],
            "dropped": dict(self.dropped),
            "needs": [{"option": name, "value": v} for name, v in self.options.items()],
            "explicit": [{"option": name, "value": v} for name, v in self.explicit.items()],
            "refused": self.refused,
        }


@dataclass(frozen=True, kw_only=True)
class Shared:
    """How many items two files share."""

    a: str
    b: str
    items: int
    items_a: int
    items_b: int


@dataclass(frozen=True, kw_only=True)
class Step:
    """Something to do next with files.

    Parameters
    ----------
    verb : str
        The public function, and the command.
    data : str
        The file that it is about.
    reader : str
        The function that reads it.
    why : str
        What it tells.
    reading : mapping of str to object
        Options of the reader.
    options : mapping of str to object
        Options of the verb; those in `files` are files.
    files : mapping of str to str
        Options of the verb that are files.
    more : tuple of str
        Files that it is about as well.
    """

    verb: str
    data: str
    reader: str
    why: str
    reading: Mapping[str, Any] = field(default_factory=dict[str, Any])
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    more: tuple[str, ...] = ()

    @property
    def python(self) -> str:
        """Write it as Python does.

        Examples
        --------
        >>> Step(verb="agree", data="r.csv", reader="read_ratings", why="",
        ...      reading={"missing": ["99"]}).python
        "agree(read_ratings('r.csv', missing=['99']))"
        """
        return f"{self.verb}({', '.join(self._call)})"

    @property
    def _call(self) -> list[str]:
        data = [*map(in_call, (self.data, *self.more)), *_keyword_list(self.reading)]
        first = [f"{self.reader}({', '.join(data)})"] if self.reading else data
        files = [f"{name}={in_call(file)}" for name, file in self.files.items()]
        return [*first, *files, *_keyword_list(self.options)]

    @property
    def marked(self) -> str:
        """Mark it in a text, so that a command line can write it as a command."""
        return marked(Named(COMMAND, self._lines, json.dumps(self.said)))

    @property
    def said(self) -> dict[str, Any]:
        """What a command line needs to write it."""
        return {
            "verb": self.verb,
            "data": self.data,
            "more": list(self.more),
            "files": dict(self.files),
            "options": {**self.reading, **self.options},
        }

    @property
    def _lines(self) -> str:
        """Write it over several lines, where one is too short."""
        if len(self.python) <= LONGEST_CALL:
            return self.python
        return f"{self.verb}(\n    " + ",\n    ".join(self._call) + ",\n)"

    def document(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {"verb": self.verb, "why": self.why, "python": self.python}


def _keyword_list(options: Mapping[str, Any]) -> list[str]:
    return [f"{name}={value!r}" for name, value in options.items()]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LookResult(Result):
    """What files contain, what looks wrong in them (`notes`), and what to do next.

    Parameters
    ----------
    seen : tuple of Seen
        What the files contain, in the order in which they were given.
    shared : tuple of Shared
        Items that files have in common.
    steps : tuple of Step
        What to do next.

    Examples
    --------
    >>> from headcount import look
    >>> look("example:stars").to_dict()["files"][0]["kind"]
    'ratings'
    """

    seen: tuple[Seen, ...]
    shared: tuple[Shared, ...] = ()
    steps: tuple[Step, ...] = ()

    def __getitem__(self, name: object) -> Seen:
        for file in self.seen:
            if str(name) in (file.name, file.given, file.kind):
                return file
        raise unknown_name("file", str(name), [file.name for file in self.seen])

    def page(self) -> Page:
        """Write what the files are, what is in them and what to do next."""
        return look_page(self)

    def screen(self) -> Screen:
        """Write what the files are, how often labels are given, and the explicit command."""
        return look_screen(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row per file, and a kind of data in it."""
        keys = ("items", "raters", "ratings", "comparisons", "labels")
        return {
            "file": [file.name for file in self.seen],
            "kind": [file.kind for file in self.seen],
            "tool": [file.tool for file in self.seen],
            "format": [file.source.format if file.source else None for file in self.seen],
            "shape": [file.shape for file in self.seen],
            **{key: [file.counts.get(key) for file in self.seen] for key in keys},
            "dropped": [sum(file.dropped.values()) for file in self.seen],
        }

    def tidy(self) -> dict[str, list[Any]]:
        """Return the only data that were read, or the ratings, in long form: a row per rating."""
        read = [file for file in self.seen if file.data is not None]
        if len(read) > 1:
            read = [file for file in read if file.kind == "ratings"] or read
        if len(read) != 1:
            several = "several files could be written: look at one of them."
            raise DataError(several if read else "nothing could be read, so no rows are written.")
        kind = next(kind for kind in KINDS if kind.name == read[0].kind)
        return kind.columns(read[0].data)

    def document(self) -> dict[str, Any]:
        """Return what was seen, what is shared and what to do next."""
        return {
            "files": [file.document() for file in self.seen],
            "shared": [asdict(shared) for shared in self.shared],
            "next": [step.document() for step in self.steps],
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how often each label is given, by raters and classifiers."""
        return draw(self.seen, ax)


# What files are, in words.

DELIMITERS = {"\t": "tabs", ";": "semicolons", "|": "bars"}
"""What stands between columns, where it is no comma."""
MOST_LABELS_LISTED, MOST_BY, LONGEST_LABEL = 12, 4, 24


def look_page(result: LookResult) -> Page:
    """Write a sentence a file, what is in them, and what to do next."""
    seen = result.seen
    blocks: list[Table | Code | str] = []
    if any(file.balance for file in seen):
        blocks.append(_balance(seen))
    if facts := [line for file in seen for line in _facts(file, len(seen) > 1)]:
        blocks.append(" ".join(facts))
    if result.shared:
        blocks.append(" ".join(map(_common, result.shared)))
    if exact := [_explicit(file, result.steps).marked for file in seen if file.explicit]:
        blocks.append(Code(exact, title="Commands that leave nothing to guess:"))
    if result.steps:
        lines = [line for step in result.steps for line in (f"# {step.why}", step.marked)]
        blocks.append(Code(lines, title="Next:"))
    return Page([_sentence(file) for file in seen], blocks)


MOST_LABELS_ON_SCREEN = 6


def look_screen(result: LookResult) -> Screen:
    """Write a sentence a file, one table, and commands that read the files with nothing guessed."""
    seen = result.seen
    headline = [f"{_sentence(file)}." for file in seen[:MOST_BY]]
    if left_out := sum((Counter(file.dropped) for file in seen), Counter[str]()):
        headline.append(f"Left out: {_short(_rows(left_out), 120)}.")
    headline += [_common(shared) for shared in result.shared[:2]]
    some_given = any(file.balance for file in seen)
    table = _balance(seen, MOST_LABELS_ON_SCREEN) if some_given else None
    return Screen(headline, table, next=_first_steps(result))


def _first_steps(result: LookResult) -> list[str]:
    """Choose what to do next: the first step; of a file alone, with nothing to guess."""
    explicit = [_explicit(file, result.steps) for file in result.seen if file.explicit]
    exact = [step for step in explicit if step.verb != "look"]
    if result.steps:
        first = result.steps[0]
        same = [step for step in exact if (step.verb, step.data) == (first.verb, first.data)]
        return [(same or [first])[0].marked]
    if exact:
        return [exact[0].marked]
    with_others = {
        "predictions": ("with people's ratings", "judge", "PEOPLE.csv", "judges"),
        "gold": ("with judges' labels", "blind", "VOTES.csv", "gold"),
    }
    refused = [file.given for file in result.seen if file.refused is not None]
    for file in result.seen:
        if file.kind in with_others:
            what, verb, other, name = with_others[file.kind]
            other = refused[0] if refused else other
            return [f"{what}: {command(verb, other, files={name: file.given})}"]
    return []


def _explicit(file: Seen, steps: Sequence[Step]) -> Step:
    """Write the command that reads a file as it was read, and guesses nothing."""
    verb = {"ratings": "agree", "comparisons": "pairs"}.get(str(file.kind), "look")
    if all((step.verb, step.data) != (verb, file.given) for step in steps):
        verb = "look"
    reader = next((kind.reader for kind in KINDS if kind.name == file.kind), "look")
    return Step(verb=verb, data=file.given, reader=reader, reading=file.explicit, why="")


def _sentence(file: Seen) -> str:
    how = _how(file)
    if file.said:
        return f"{file.name}: {file.said}; {how}"
    if file.data is None:
        rows = file.counts.get("rows")
        size = "" if rows is None else f" of {count(rows, 'row')}"
        return f"{file.name}: {how}{size}; it cannot be read as it is"
    kind = next(kind for kind in KINDS if kind.name == file.kind)
    return f"{file.name}: {kind.sentence(file.data)}; {how}"


def _how(file: Seen) -> str:
    """Write how a file is laid out: CSV in long format, say."""
    if file.tool is not None:
        return f"from {file.tool}"
    if file.source is None:
        return f"{file.shape} data" if file.shape else "data in memory"
    titles = {form.name: form.title for form in FORMATS}
    words = [titles.get(file.source.format) or file.source.format]
    words += [f"in {file.shape} format"] if file.shape else []
    if file.source.delimiter in DELIMITERS:
        words.append(f"with {DELIMITERS[file.source.delimiter]}")
    if file.source.encoding not in (None, "utf-8", "ascii", "UTF-8"):
        words.append(f"in {file.source.encoding}")
    return " ".join(words)


def _balance(seen: Sequence[Seen], most: int = MOST_LABELS_LISTED) -> Table:
    """Show how often the commonest labels are given, side by side."""
    given = [
        (of if file.kind == "predictions" else file.name, {share.label: share for share in shares})
        for file in seen
        for of, shares in file.balance.items()
    ]
    labels = list(dict.fromkeys(label for _, shares in given for label in shares))
    often = {n: max(by[n].share for _, by in given if n in by) for n in labels}
    common = sorted(labels, key=lambda label: -often[label])[:most]
    shown = given[:MOST_BY]
    body: list[list[str]] = []
    for label in (label for label in labels if label in common):
        row = [_short(label)]
        for _, shares in shown:
            share = shares.get(label)
            if len(given) == 1 and share is not None:
                row.append(f"{share.count:,.0f}")
            row.append("" if share is None else f"{100 * share.share:.1f}%")
        body.append(row)
    one_column = ["label", "count", "share"]
    head = one_column if len(given) == 1 else ["label", *(_short(of) for of, _ in shown)]
    hidden = [count(len(labels) - len(body), "more label")] if len(labels) > len(body) else []
    if len(given) > len(shown):
        hidden.append(count(len(given) - len(shown), "more column"))
    return Table(head, body, more=f"{' and '.join(hidden)}{ALL_ENTRIES}" if hidden else "")


def _facts(file: Seen, several: bool) -> Iterator[str]:
    """Sentences on how answers are spread over items and raters, and what was left out."""
    counts, about = file.counts, f"{file.name}: " if several else ""
    sentences: list[str] = []
    if "ratings" in counts:
        by = counts["ratings_per_rater"]
        of_rater = f", {_spread(by)} per rater" if by else ""
        an_item = _spread(counts["ratings_per_item"])
        sentences.append(f"{count(counts['ratings'], 'rating')}, {an_item} per item{of_rater}")
    elif "left" in file.roles and not counts["rankings"]:
        left, right, ties = counts["left"], counts["right"], counts["ties"]
        sentences.append(f"left wins {left:,} times, right {right:,}, ties {ties:,}")
    if file.dropped:
        sentences.append(f"left out: {_rows(file.dropped)}")
    if sentences:
        yield f"{about}{'; '.join(sentences)}."


def _rows(dropped: Mapping[str, int]) -> str:
    """Count the rows or answers that were left out, and why: 2 rows (no label)."""
    return ", ".join(f"{count(number, 'row')} ({reason})" for reason, number in dropped.items())


def _spread(of: dict[str, float]) -> str:
    low, middle, high = of["min"], of["median"], of["max"]
    return f"{low:,}" if low == high else f"{low:,} to {high:,} (median {middle:g})"


def _common(shared: Shared) -> str:
    if shared.a == shared.b:  # one export
        return f"{count(shared.items, 'item')} of {shared.a} have both ratings and predictions."
    if shared.items == shared.items_a == shared.items_b:
        return f"{shared.a} and {shared.b} cover the same {count(shared.items, 'item')}."
    return (
        f"{shared.a} ({shared.items_a:,}) and {shared.b} ({shared.items_b:,}) share "
        f"{count(shared.items, 'item')}."
    )


def _short(text: str, longest: int = LONGEST_LABEL) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


# What to do next with the files that were seen.

MOST_LABELS_OF_RATERS = 20
"""Labels beyond which no two raters agree but by chance."""


def next_steps(seen: Sequence[Seen]) -> list[Step]:
    """Choose what makes sense for these files: only what runs on them."""
    by: dict[str | None, list[Seen]] = {}
    for file in seen:
        by.setdefault(file.kind, []).append(file)
    steps: list[Step] = []
    gold = by.get("gold", [])
    files = {"gold": gold[0].given} if gold else {}
    for rated in by.get("ratings", []):
        predicted = by.get("predictions", [])
        steps += _of_ratings(rated, predicted, {} if predicted else files)
    rated_in = [file.given for file in by.get("ratings", [])]
    for predicted in by.get("predictions", []):
        if predicted.given in rated_in:
            continue  # of a file with both, the ratings would be read
        items = {str(item) for item in predicted.data.items.tolist()}
        fits = gold and items & set(gold[0].data)
        steps += _of_votes(predicted, files if fits else {})
    for compared in by.get("comparisons", []):
        steps += _of_comparisons(compared)
    steps += _report(seen) if steps else []
    return list({step.python: step for step in steps}.values())


def _step(file: Seen, verb: str, why: str, reader: str = "", **more: Any) -> Step:
    """Write what to do with a file, read as it was here."""
    reader = reader or next(kind.reader for kind in KINDS if kind.name == file.kind)
    reading = more.pop("reading", file.options)
    return Step(verb=verb, data=file.given, reader=reader, reading=reading, why=why, **more)


def _report(seen: Sequence[Seen]) -> Iterator[Step]:
    """All of it on one page, where one way of reading does for all files."""
    read = [file for file in seen if file.kind is not None]
    ways = [file.options for file in read if file.options]
    if all(way == ways[0] for way in ways):
        _, *more = dict.fromkeys(file.given for file in read)
        why, way = "all of this on one page, report.html", ways[0] if ways else dict[str, Any]()
        yield _step(read[0], "make_report", why, "look", more=tuple(more), reading=way)


def _of_ratings(rated: Seen, predicted: Sequence[Seen], files: Mapping[str, str]) -> Iterator[Step]:
    labels: Labels = rated.data
    several = int((np.bincount(labels.item) >= 2).sum())
    if not several or len(np.unique(labels.label)) < 2:
        return
    for file in predicted:
        yield from _of_judged(rated, file)
    steps = [_step(rated, "agree", "how much the raters agree")]
    if not predicted and several >= 2:
        steps.append(_step(rated, "survey", "how well a few raters predict the next one"))
        if not labels.anonymous and len(labels.scale) <= MOST_LABELS_OF_RATERS:
            reading = {name: value for name, value in rated.options.items() if name != "transpose"}
            why = "how reliable each rater is" + (", by gold labels" if files else "")
            blind = _step(rated, "blind", why, "read_votes", files=files, reading=reading)
            steps.insert(0 if files else len(steps), blind)
    yield from steps


OF_BOTH = ("question", "merge", "missing", "missing_words", "ignore")
"""Options of reading that hold for ratings and for predictions of them."""


def _read_alike(rated: Seen, predicted: Seen) -> bool:
    """Whether the options that predictions were read with are those of the ratings."""
    own = predicted.options.items()
    return all(name in OF_BOTH and rated.options.get(name) == value for name, value in own)


def _of_judged(rated: Seen, predicted: Seen) -> Iterator[Step]:
    """How many raters classifiers are worth, where both cover the same items."""
    labels: Labels = rated.data
    predictions: Predictions = predicted.data
    same_file = rated.given == predicted.given
    alike = predicted.options == rated.options if same_file else _read_alike(rated, predicted)
    if predicted.options and not alike:
        return
    rated_twice = np.bincount(labels.item, minlength=len(labels.items)) >= 2
    everyone = np.ones(len(predictions.items), dtype=bool)
    for classifier in predictions.classifiers:
        everyone &= classifier.predicted
    try:
        where = match_items(labels.source, labels.items, "", predictions.items, Notes())
    except DataError:
        return  # and so do the methods refuse it
    own = [label for label in predictions.labels if number_of(label) is None]
    if own and not predictions.scores and (find_labels(own, labels.scale.labels) < 0).all():
        return
    if int((rated_twice & (where >= 0) & everyone[where]).sum()) < 2:
        return
    if not labels.anonymous:
        files = {} if same_file and not rated.options else {"judges": predicted.given}
        yield _step(rated, "judge", "whether a judge may stand in for a person", files=files)
    files = {"predictions": predicted.given}
    yield _step(rated, "survey", "how many raters the classifiers are worth", files=files)


def unmatched(labels: Labels, predictions: Predictions) -> str | None:
    """Say which labels classifiers use and raters do not; None if there are none."""
    codes = find_labels(predictions.labels, labels.scale.labels)
    unknown = [name for name, code in zip(predictions.labels, codes, strict=True) if code < 0]
    if not unknown:
        return None
    return (
        f"{predictions.source}: {count(len(unknown), 'label')} that no rater in {labels.source} "
        f"uses: {some(unknown)}. Raters use: {some(labels.scale.labels, 10)}."
    )


def _of_votes(predicted: Seen, files: Mapping[str, str]) -> Iterator[Step]:
    predictions: Predictions = predicted.data
    classifiers = predictions.classifiers
    votes = sum((c.predicted.astype(int) for c in classifiers), np.zeros(1, int))
    used = sum((np.nansum(c.probability, axis=0) for c in classifiers), np.zeros(1))
    if len(classifiers) < 2 or int((votes > 1).sum()) < 2 or int((used > 0).sum()) < 2:
        return
    if predictions.scores and predicted.shape == "wide":
        return  # a column of scores beside those of labels is refused: it is not a rater's
    why = "which classifier is better, " + ("by gold labels" if files else "without gold labels")
    yield _step(predicted, "blind", why, "read_votes", files=files)


def _of_comparisons(compared: Seen) -> Iterator[Step]:
    raters = compared.data.raters
    yield _step(compared, "pairs", "a rating of every item")
    if raters is not None and len(raters) > 2:
        yield _step(compared, "pairs", "and who answers at random", options={"by_rater": True})


# How often labels are given, drawn.

MOST_LABELS_DRAWN, MOST_BARS = 20, 6


def draw(seen: Sequence[Seen], ax: Axes | None = None) -> Axes:
    """Draw a bar a label, for raters and for each classifier; what is not read has none."""
    axes: Any = new_figure().subplots() if ax is None else ax
    given = [(of, shares) for file in seen for of, shares in file.balance.items()][:MOST_BARS]
    labels = list(dict.fromkeys(share.label for _, shares in given for share in shares))
    labels = labels[:MOST_LABELS_DRAWN]
    width = 0.8 / max(len(given), 1)
    for index, (of, shares) in enumerate(given):
        by = {share.label: share.share for share in shares}
        at = [x + (index - (len(given) - 1) / 2) * width for x in range(len(labels))]
        heights = [by.get(label, 0.0) for label in labels]
        colour = COLOURS[index % len(COLOURS)]
        axes.bar(at, heights, width, color=colour, label=plain(of))
    axes.set_xticks(range(len(labels)), [cut(plain(label)) for label in labels])
    axes.set_ylabel("share of labels")
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    legend_above(axes, 4)
    bare(axes)
    return axes
