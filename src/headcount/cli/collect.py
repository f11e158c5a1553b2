"""`headcount collect`: ask people, measure, stop."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headcount.cli.flags import NO_NAMES, Names, grouped, joined, names_in, speller
from headcount.cli.output import check_rows, say, terminal_width
from headcount.errors import DataError, OptionError, count, option, spelt
from headcount.results.tables import visible, wrap

if TYPE_CHECKING:
    from headcount.collect.plan import Plan
    from headcount.collect.serve import Address
    from headcount.collect.store import Store

__all__ = ["collect_command"]


@grouped
def collect_command(
    context: typer.Context,
    *,
    items: Annotated[
        Path,
        typer.Argument(
            help="What to ask about: a table with a column of ids and one of texts; or a list of "
            "texts. Or a study (.db) to resume."
        ),
    ],
    ask: str | None = None,
    prompt: str | None = None,
    show: Names = NO_NAMES,
    pairs: bool = False,
    per_item: int | None = None,
    per_rater: int | None = None,
    raters: Names = NO_NAMES,
    links: int | None = None,
    link_per: str | None = None,
    until: str | None = None,
    judges: Path | None = None,
    checks: Path | None = None,
    repeat: str | None = None,
    cost: float | None = None,
    lease: float | None = None,
    seed: int | None = None,
    host: str = "127.0.0.1",
    port: int = 8765,
    url: str | None = None,
    new_links: bool = False,
    output: Path | None = None,
    export: Path | None = None,
) -> None:
    """Serve a labelling page, measure as answers come, and stop when there are enough.

    Raters open the links that it prints, and answer by mouse, keyboard or phone; the owner's link
    shows the progress. Everything is in one file, the study, which other commands read as data:
    headcount judge study.db judge.csv. Ctrl-C stops; headcount collect study.db resumes.
    """
    from headcount.collect.serve import Address, check_extra, export_rows, serve

    if export is not None:
        check_rows(export)
        if not _is_study(items):
            raise DataError(
                f"'{items}' is not a study: {option('export')} takes one, such as study.db."
            )
        from headcount.io.write import write_rows

        columns, left_out = export_rows(items)
        write_rows(columns, export)
        kept = len(next(iter(columns.values())))
        say(f"{export}: {count(kept, 'answer')}.")
        if left_out:
            reasons = [f"{count(number, 'answer')} ({why})" for why, number in left_out.items()]
            say(f"Left out: {', '.join(reasons)}.")
        return
    check_extra()
    address = Address(host=host, port=port, url=url)
    given = {
        "prompt": prompt,
        "per_item": per_item,
        "per_rater": per_rater,
        "until": until,
        "judges": None if judges is None else _to_keep(judges),
        "repeat": None if repeat is None else _share(repeat),
        "cost": cost,
        "lease": None if lease is None else 60 * lease,
        "link_per": link_per,
        "seed": seed,
    }
    given = {name: value for name, value in given.items() if value is not None}
    names = [*raters] + [f"rater-{n}" for n in range(1, (links or 0) + 1)]
    if len(set(names)) < len(names) or not all(names):
        twice = next((name for name in names if names.count(name) > 1), "")
        raise OptionError(
            f"{option('raters')}: two raters are called '{twice}'. Give each another name."
            if twice
            else f"{option('raters')}: a rater has no name."
        )
    if (links is not None and not 1 <= links <= 10_000) or max(map(len, names), default=0) > 100:
        raise OptionError(f"{option('links')}: 1 to 10,000 raters, with names of 100 letters.")
    fixed = {"ask": ask, "show": show or None, "pairs": pairs or None, "repeat": repeat,
             "seed": seed, "prompt": prompt, "link_per": link_per, "checks": checks,
             "output": output}  # fmt: skip
    going_on = _is_study(items)
    if going_on and (wrong := [name for name, value in fixed.items() if value is not None]):
        raise OptionError(
            f"{option(wrong[0])} is fixed when a study starts. Start another one from its items, "
            "or leave it out."
        )
    if not going_on:
        _check_new(items, output, names, link_per)
    with closing(address.listen()) as listening:
        if output is None:
            opened = _go_on(items, names, given)
        else:
            opened = _start(items, output, ask, [*show], checks, names, given, pairs=pairs)
        with closing(opened) as store:
            _print_links(store, address, listening.getsockname()[1], names, renew=new_links)
            if address.warning is not None:
                tell(f"caution: {spelt(address.warning, speller(context.command))}")
            monitor = serve(store, address, listening)
            for line in monitor.final():
                tell(line)
            path = str(store.path)
            say(f"Everything is in {path}. To continue: {joined(['headcount', 'collect', path])}")
            if not store.progress()[0]:
                return
            words = ["pairs" if store.plan.pairs else "agree", path]
            if store.plan.judges is not None:
                judges = Path(store.plan.judges)
                here = judges.is_relative_to(Path.cwd())
                words = ["judge", path, str(judges.relative_to(Path.cwd()) if here else judges)]
            elif len(store.plan.criteria) > 1:
                words += ["--question", store.plan.criteria[0].name]
            say(f"Next: {joined(['headcount', *words])}")


def tell(text: str) -> None:
    """Print sentences, folded."""
    typer.echo(wrap(visible(text), width=terminal_width()))


def _check_new(items: Path, output: Path | None, names: list[str], link_per: str | None) -> None:
    """Refuse to start without a place for the study, or without anybody to ask."""
    from headcount.io.opening import check_file, path_of, saved

    if output is None and items.suffix.lower() == ".db":
        raise DataError(f"no such study: '{items}'.")
    check_file(saved(path_of(items)))
    if output is None:
        raise OptionError(
            f"say where to keep the study, in a new file: {option('output', 'study.db')}."
        )
    if output.suffix.lower() != ".db":
        raise OptionError(f"{option('output')} '{output}': the name must end in .db.")
    if output.exists():
        raise OptionError(
            f"{option('output')} '{output}' already exists. Continue it (headcount collect "
            f"{output}), or choose another name."
        )
    if not names and link_per is None:
        raise OptionError(
            f"who is to answer? Name them ({option('raters', 'anna,ben')}), or give their number "
            f"({option('links', 3)})."
        )


def _to_keep(file: Path) -> str:
    """Return what finds a file from any folder: the name of an example, or the whole path."""
    from headcount.io.opening import path_of

    return str(file if path_of(file) != file else file.absolute())


def _share(text: str) -> float:
    """Read a share, such as 5% or 0.05."""
    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise OptionError(f"{option('repeat')} '{text}' must be a share, such as 5%.") from None


def _is_study(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False


def _go_on(path: Path, names: list[str], given: dict[str, Any]) -> Store:
    """Open a study, and take options that may change while it goes on."""
    from headcount.collect.store import Store

    store = Store(path)
    try:
        plan = replace(store.plan, **given)
        _check_judges(plan)
        if given:
            store.change(plan, joining=names)
        if store.state in ("done", "closed"):
            store.set_state("open", "reopened")
    except BaseException:
        store.close()
        raise
    return store


def _start(
    items: Path,
    output: Path,
    ask: str | None,
    show: list[str],
    checks: Path | None,
    names: list[str],
    given: dict[str, Any],
    *,
    pairs: bool,
) -> Store:
    """Make a study, and say what it asks."""
    from headcount.collect.plan import SIDES, Criterion, Plan, criteria_in, plan_tasks
    from headcount.collect.store import NewTask, Store

    if pairs:
        sides = SIDES if ask is None else tuple(names_in(ask))
        if not {"left", "right"} <= {*sides} <= {*SIDES}:
            raise OptionError(
                f"{option('ask')} '{ask}': of pairs, raters say left, right or tie; "
                f"{option('ask', 'left,right')} forbids ties."
            )
        criteria = (Criterion("outcome", tuple(side for side in SIDES if side in sides)),)
    elif ask is None:
        raise OptionError(
            f"which labels may raters choose? Give them ({option('ask', 'ok,toxic')}), or compare "
            f"two items at a time ({option('pairs', True)})."
        )
    else:
        criteria = criteria_in(ask)
    usual: dict[str, Any] = {
        "per_item": 1 if pairs else 3 if "link_per" in given else min(3, len(names))
    }
    plan = Plan(
        source=items.name,
        pairs=pairs,
        criteria=criteria,
        show=tuple(show),
        **{**usual, **given},
    )
    plan.check_raters(len(names))
    _check_judges(plan)
    planned = plan_tasks(items, plan, checks)
    store = Store.create(
        output, planned.plan, planned.items, [NewTask(*task) for task in planned.tasks]
    )
    for note in planned.notes:
        tell(note)
    return store


def _check_judges(plan: Plan) -> None:
    """Read what judges said, to refuse a file that cannot be read before anybody is asked."""
    if plan.judges is not None:
        from headcount.io.predictions import read_predictions

        read_predictions(Path(plan.judges), labels=plan.criteria[0].labels)


def _print_links(
    store: Store, address: Address, port: int, names: list[str], *, renew: bool
) -> None:
    """Print a line per link; of links that were printed before, say that they still work."""
    from headcount.collect.serve import make_links

    old = len(store.raters()) - sum(name in store.raters() for name in names)
    made = make_links(store, address.base(port), names, renew=renew)
    width = max((len(name) for name, _ in made), default=0)
    for name, link in made:
        say(f"{name:{width}}  {link}")
    if store.plan.link_per is not None:
        say(f"Completion code, shown at the end: {store.get('code')}")
    if not renew and (old or not made):
        tell(
            f"Earlier links still work at {address.base(port)}; headcount keeps no copy of them. "
            "--new-links replaces them all, and prints the new ones."
        )
