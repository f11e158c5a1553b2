"""Keep what the commands answer, and tell what a change of the code has changed in it.

``python tests/frozen/frozen.py`` runs the commands of ``commands.txt``, those that the pages show
and a look at every export in ``tests/io/tools/fixtures``; it compares with what was accepted, says
what differs, and ends with 1 if anything does. ``frozen.py accept`` says the same and then writes:

- ``expected.jsonl``: a line a case, with digests of its screen, of each key of its JSON document
  and of each file that it writes, so that a difference names its place;
- ``screens.txt``: the screens of the bundled examples and of refusals;
- ``signatures.txt``: what the package offers, see ``signatures.py``;
- ``.frozen/`` (not committed): all of it in full, to show differences on this machine.

A case runs in a folder of its own: once as it is written, and if it is not refused once more with
--json and -o. Commands that name $HEADCOUNT_DATA need that folder and are left out without it; of
these only digests are kept.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import json
import os
import pkgutil
import re
import shlex
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NoReturn

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EXPECTED, SCREENS, SIGNATURES = (
    HERE / name for name in ("expected.jsonl", "screens.txt", "signatures.txt")
)
FULL = ROOT / ".frozen"
FIXTURES = ROOT / "tests" / "io" / "tools" / "fixtures"
DATA = os.environ.get("HEADCOUNT_DATA")
SECONDS = 300
"""Time after which a command is stopped."""
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
WITH_ROWS = ("agree", "blind", "consensus", "judge", "look", "pairs", "plan", "rate", "survey")
"""Commands that take both --json and -o."""
DIGITS = 4
"""Significant digits that are kept of numbers in documents and files: what screens print. The last
digits of a sum differ from one processor to another."""
NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d+(?:e[+-]?\d+)?(?![\w.])")
LONG = re.compile(r"(?<![\w.])-?\d+\.\d{9,}(?:e[+-]?\d+)?(?![\w.])")
NOTHING = 1e-9
"""Numbers nearer to 0 are rounding errors, and kept as 0."""
NOT_RUN = {
    "--install-completion": "changes files of the user's shell",
    "--show-completion": "prints what fits the shell that it finds",
}
"""Flags that no case runs, and why."""
SETTINGS = {
    "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "80", "NO_COLOR": "1", "SOURCE_DATE_EPOCH": "0",
    "MPLBACKEND": "agg", "LC_ALL": "C.UTF-8", "TZ": "UTC", "OPENBLAS_NUM_THREADS": "1",
    "FIXTURES": "fixtures", "FILES": "files", "HEADCOUNT_DATA": "data",
}  # fmt: skip
"""Environment of the commands. Data are reached by links in the folder of a case, so that messages
do not depend on where they are."""
Parts = dict[str, str]
"""What a case gives: `exit`, `screen`, `json KEY` and `file NAME`, as texts."""


@dataclass(frozen=True)
class Case:
    """Commands that run one after another in one folder."""

    name: str
    commands: tuple[str, ...]
    setup: str = ""
    page: bool = False

    @property
    def real(self) -> bool:
        """Whether it needs real data."""
        return "$HEADCOUNT_DATA" in self.name + self.setup


def all_cases() -> list[Case]:
    """Cases of the list, of pages and of exports, in this order."""
    cases, setups = [], {}
    for line in (HERE / "commands.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("page "):
            page, setup = line.removeprefix("page ").split(": ", 1)
            setups[page] = setup
        elif line and not line.startswith("#"):
            cases.append(Case(line, tuple(line.split(" && "))))
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        name = path.relative_to(ROOT).as_posix()
        blocks = BLOCK.findall(path.read_text(encoding="utf-8"))
        lines = [line[2:] for block in blocks for line in block.splitlines() if line[:2] == "$ "]
        commands = tuple(line for line in lines if not line.startswith("pip "))
        if any("headcount " in line for line in commands):
            cases.append(Case(name, commands, setups.get(name, ""), page=True))
    for folder in sorted(FIXTURES.glob("*/*")):
        cases += [Case(line, (line,)) for line in _of_export(folder)]
    return cases


def _of_export(folder: Path) -> Iterator[str]:
    """Commands for an export of a tool: a look, and what it is for."""
    files = [p for p in sorted(folder.rglob("*")) if p.is_file() and "expected" not in p.name]
    data = files[0] if len(files) == 1 else folder
    data = folder / "export" if (folder / "export").is_dir() else data
    path = f"$FIXTURES/{data.relative_to(FIXTURES).as_posix()}"
    path = f'"{path}"' if " " in path else path
    yield f"headcount look {path}"
    for file in sorted(folder.glob("expected*.json")):
        expected = json.loads(file.read_text(encoding="utf-8"))
        verbs = {"predictions": "blind", "comparisons": "pairs"}
        verb = verbs.get(expected.get("kind"), "agree")
        question = expected.get("question", expected.get("filter"))
        asked = "" if question is None else f" --question {shlex.quote(question)}"
        yield f"headcount {verb} {path}{asked} --bootstrap 0 --json -o rows.csv"


def run(case: Case, programs: Path) -> Parts:
    """Run a case, and return what it gives."""
    with tempfile.TemporaryDirectory() as base:
        folder, again = Path(base, "first"), Path(base, "again")
        folder.mkdir()
        (folder / "fixtures").symlink_to(FIXTURES)
        (folder / "files").symlink_to(HERE / "files")
        if DATA is not None:
            (folder / "data").symlink_to(DATA)
        page = {"PAGE": str(ROOT / case.name)} if case.page else {}
        screens, code = [], 0
        if case.setup:
            _shell(case.setup, folder, programs, page)
        given = {path.relative_to(folder) for path in folder.rglob("*")}
        last = len(case.commands) - 1
        for index, command in enumerate(case.commands):
            if index == last and not case.page:
                shutil.copytree(folder, again, symlinks=True)
            code, out, err = _shell(command, folder, programs, page)
            shown = f"$ {command}\n" if case.page else ""
            screens.append(shown + out + (f"[stderr]\n{err}" if err else ""))
            if code and not case.page:
                break
        parts = {"exit": str(code), "screen": _plain("".join(screens), base)}
        answered = not case.page and code != 2
        more = flags_to_add(case.commands[-1]) if answered else ""
        document = answered and "--json" in case.commands[-1].split()
        if more or document:
            text = parts.pop("screen") if document else ""
            for flags in (more, " --json") if more else ():
                code, text, err = _shell(case.commands[-1] + flags, again, programs, page)
                parts["exit"] += f" {code}"
                parts |= {f"stderr with{flags}": _plain(err, base)} if err else {}
                if code != 2:  # else there are no rows to write
                    break
            text = _plain(text, base)
            parts |= {f"json {key}": value for key, value in _keys(text).items()}
        for place in (again, folder):
            for path in sorted(place.rglob("*")) if place.exists() else ():
                name = path.relative_to(place)
                if path.is_file() and name not in given:
                    parts[f"file {name.as_posix()}"] = _plain(_contents(path), base)
        return parts


def _shell(
    command: str, folder: Path, programs: Path, more: dict[str, str]
) -> tuple[int, str, str]:
    """Run a command; return its exit code, and what it prints on both streams."""
    settings = {**SETTINGS, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", **more}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            os.chdir(folder)
            os.environ.update(settings)
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            signal.alarm(SECONDS)
            if not command.startswith("headcount") or set(command) & set("|<>;&*`("):
                os.execvp("bash", ["bash", "-c", command])
            _call([os.path.expandvars(word) for word in shlex.split(command)])
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        err.seek(0)
        return code, *(file.read().decode(errors="replace") for file in (out, err))


def _call(words: list[str]) -> NoReturn:
    """Run a command of ours in this process, and end it: that is quicker than to start Python."""
    code: Any = 1
    try:
        sys.argv = words
        sys.stdout.reconfigure(encoding="utf-8")
        sys.stderr.reconfigure(encoding="utf-8")
        from headcount.cli import main

        main()
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code or 0)


def load() -> None:
    """Import all that commands need before they are run, once for all of them."""
    sys.path.insert(0, str(ROOT / "src"))
    os.environ.update(SETTINGS)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    import headcount

    for module in pkgutil.walk_packages(headcount.__path__, "headcount."):
        with suppress(ImportError):  # of an extra that is not installed
            import_module(module.name)
    import_module("matplotlib.backends.backend_agg")


def flags_to_add(command: str) -> str:
    """Flags with which a command is run again, for its document and its rows."""
    words = command.split()
    verb = words[1] if words[0] == "headcount" and words[1:] else ""
    if "--help" in words or "--json" in words:
        return ""
    if verb in WITH_ROWS:
        return " --json" if {"-o", "--output"} & set(words) else " --json -o rows.csv"
    return " --json" if verb == "report" or "--runs" in words else ""


def _plain(text: str, base: str) -> str:
    """Take out what differs from run to run and from place to place."""
    text = text.replace(str(Path(base).resolve()), "FOLDER").replace(base, "FOLDER")
    text = text.replace(str(ROOT), "ROOT")
    text = re.sub(r"\b(headcount|version\W{1,6})( ?)\d+\.\d+(\.\w+)+", r"\1\2VERSION", text)
    return LONG.sub(_rounded, text)


def _rounded(found: re.Match[str]) -> str:
    number = float(found.group())
    return "0" if abs(number) < NOTHING else f"{number:.{DIGITS}g}"


def _keys(text: str) -> Parts:
    """Return a document by its keys, each as JSON with numbers rounded."""
    try:
        document = json.loads(text, parse_float=lambda digits: json.loads(_short(digits)))
    except ValueError:
        return {"(no document)": text}
    return {key: json.dumps(value, ensure_ascii=False) for key, value in document.items()}


def _short(digits: str) -> str:
    number = float(digits)
    return "0.0" if abs(number) < NOTHING else repr(float(f"{number:.{DIGITS}g}"))


def _contents(path: Path) -> str:
    """Return a file as text; of a figure only whether there is one."""
    if path.suffix in (".png", ".svg", ".pdf"):
        return f"{'some' if path.stat().st_size else 'no'} figure"
    if path.suffix == ".parquet":
        from pyarrow import parquet

        rows = parquet.read_table(path).to_pylist()
        return NUMBER.sub(_rounded, "\n".join(json.dumps(row, default=str) for row in rows))
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".html":
        text = re.sub(r"<svg.*?</svg>|data:[\w/+-]+;base64,[\w+/=]+", "FIGURE", text, flags=re.S)
    return NUMBER.sub(_rounded, text)


def digest(text: str) -> str:
    """Return a short digest of a text; `exit` codes stay as they are."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def digests(parts: Parts) -> Parts:
    """Return the digests of what a case gives, but for its exit codes."""
    return {name: text if name == "exit" else digest(text) for name, text in parts.items()}


def keeps_screen(name: str, parts: Parts) -> bool:
    """Whether the screen of a case is kept as text: of examples, and of refusals."""
    if not name.startswith("headcount") or "$HEADCOUNT_DATA" in name or "screen" not in parts:
        return False
    return "example:" in name or "--help" in name or parts["exit"].startswith("2")


def accepted() -> dict[str, Parts]:
    """Return the digests that were accepted, by case."""
    if not EXPECTED.exists():
        return {}
    rows = [json.loads(line) for line in EXPECTED.read_text(encoding="utf-8").splitlines()]
    return {row.pop("case"): row for row in rows}


def accepted_screens() -> Parts:
    """Return the screens that are kept as text, by case."""
    text = SCREENS.read_text(encoding="utf-8") if SCREENS.exists() else ""
    return dict(block.split("\n", 1) for block in text.split("\n=== ")[1:])


def in_full(name: str, expected: Parts, screens: Parts) -> Parts:
    """Return what is known in full of an accepted case, here or in the project."""
    path = FULL / f"{digest(name)}.json"
    known: Parts = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if name in screens:
        known["screen"] = screens[name]
    return {part: text for part, text in known.items() if digest(text) == expected.get(part)}


def differences(name: str, expected: Parts, parts: Parts, known: Parts) -> list[str]:
    """Say what differs in a case; nothing if it is as accepted."""
    lines, now = [], digests(parts)
    for part in sorted(expected.keys() | now.keys()):
        if expected.get(part) == now.get(part):
            continue
        if part == "exit":
            lines.append(f"  exit: {expected.get(part)} -> {now.get(part)}")
        elif part not in expected or part not in now:
            lines.append(f"  {part}: {'new' if part in now else 'gone'}")
        elif part not in known:
            lines.append(f"  {part}: differs (what it was is not kept on this machine)")
        elif part.startswith("json ") and "(no document)" not in part:
            key = part.removeprefix("json ")
            old, new = (dict(_leaves(key, json.loads(each[part]))) for each in (known, parts))
            paths = [path for path in {**old, **new} if old.get(path) != new.get(path)]
            lines += [f"  {path}: {old.get(path)} -> {new.get(path)}" for path in paths[:20]]
            lines += [f"  {part}: {len(paths) - 20} more"] if len(paths) > 20 else []
        else:
            both = (each[part].splitlines() for each in (known, parts))
            changed = list(difflib.unified_diff(*both, f"accepted {part}", "now", lineterm="", n=1))
            lines += [f"  {line}" for line in changed[:60]]
    return [f"$ {name}", *lines] if lines else []


def _leaves(path: str, value: Any) -> Iterator[tuple[str, str]]:
    """Values of a document by their paths."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _leaves(f"{path}.{key}", each)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _leaves(f"{path}[{index}]", each)
    else:
        yield path, json.dumps(value, ensure_ascii=False)


def unused_flags(cases: list[Case], found: dict[str, Parts]) -> list[str]:
    """Flags in the help of a command that no case uses, but for those that are refused."""
    used: set[tuple[str, str]] = set()
    for case in cases:
        if case.page or not found.get(case.name, {"exit": "2"})["exit"].startswith("2"):
            parts = re.split(r"[|;\n(]", "\n".join(case.commands)) if case.page else case.commands
            for command in parts:
                verb, words = _verb(
                    f"{command}{'' if case.page else flags_to_add(command)}".split()
                )
                used |= {(verb, word) for word in words}
    unused = []
    for case in cases:
        verb, words = _verb(case.commands[0].split())
        if words[-1:] != ["--help"] or case.name not in found:
            continue
        for line in re.findall(r"^  (-.*?)(?:   |$)", found[case.name]["screen"], re.MULTILINE):
            for ways in line.split(" / "):
                names = re.findall(r"(?<![\w-])--?[a-z][\w-]*", ways)
                if not any((verb, name) in used or name in NOT_RUN for name in names):
                    unused.append(f"{verb} {names[-1]}")
    return unused


def _verb(words: list[str]) -> tuple[str, list[str]]:
    """Return the command of a line and its words."""
    if "headcount" not in words:
        return "", []
    words = words[words.index("headcount") + 1 :]
    names = 2 if words[:1] == ["simulate"] and words[1:2] != ["--help"] else 1
    names = 0 if words[:1] and words[0].startswith("-") else names
    return " ".join(words[:names]), words[names:]


def main() -> None:
    """Run the cases, say what differs, and write it if asked to."""
    parser = argparse.ArgumentParser(description="Compare what commands answer with what they did.")
    parser.add_argument("action", nargs="?", choices=["check", "accept"], default="check")
    parser.add_argument("--only", metavar="PATTERN", help="run cases in which this regex is found")
    parser.add_argument("-j", type=int, default=os.cpu_count() or 1, help="cases at a time")
    options = parser.parse_args()
    every = all_cases()
    wanted = [case for case in every if re.search(options.only or "", case.name)]
    cases = [case for case in wanted if DATA is not None or not case.real]
    found: dict[str, Parts] = {}
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "headcount")
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m headcount "$@"\n')
        program.chmod(0o755)
        load()
        with get_context("fork").Pool(options.j) as pool:
            results = pool.imap(partial(run, programs=program.parent), cases)
            for case, parts in zip(cases, results, strict=True):
                found[case.name] = parts
                if len(found) % 50 == 0:
                    sys.stderr.write(f"{len(found)} of {len(cases)} cases\n")
    old, screens = accepted(), accepted_screens()
    lines, changed = [], 0
    for name, expected, parts in paired(old, found, {case.name for case in every}):
        known = in_full(name.split(" => ")[0], expected, screens)
        told = differences(name, expected, parts, known) if parts else [f"$ {name}", "  gone"]
        told = [f"$ {name}", "  new"] if not expected else told
        lines, changed = lines + told, changed + bool(told)
    unused = [] if options.only else unused_flags(cases, found)
    lines += [f"no case uses {flag}" for flag in unused]
    from signatures import signatures  # beside this script

    offered = signatures()
    before = SIGNATURES.read_text(encoding="utf-8") if SIGNATURES.exists() else ""
    both = before.splitlines(), offered.splitlines()
    lines += difflib.unified_diff(*both, "accepted signatures", "now", lineterm="", n=0)
    skipped = f", {len(wanted) - len(cases)} without HEADCOUNT_DATA" if cases != wanted else ""
    counted = f"{len(cases)} cases run{skipped}: {changed} differ, {len(unused)} flags not used."
    sys.stdout.write("\n".join([*lines, counted, ""]))
    if options.action == "accept":
        write(every, {**old, **{name: digests(parts) for name, parts in found.items()}}, found)
        SIGNATURES.write_text(offered, encoding="utf-8")
    sys.exit(1 if lines and options.action == "check" else 0)


def paired(
    old: dict[str, Parts], found: dict[str, Parts], every: set[str]
) -> Iterator[tuple[str, Parts, Parts]]:
    """Pair cases with what was accepted; a case written otherwise with that in its place."""
    before = [name for name in old if name in found or name not in every]
    after = list(found)
    for what, a, b, c, d in difflib.SequenceMatcher(None, before, after, False).get_opcodes():
        if what == "replace" and b - a == d - c:
            for one, other in zip(before[a:b], after[c:d], strict=True):
                yield f"{one} => {other}", old[one], found[other]
            continue
        for name in before[a:b] if what != "equal" else ():
            yield name, old[name], {}
        for name in after[c:d]:
            yield name, old.get(name, {}), found[name]


def write(every: list[Case], kept: dict[str, Parts], found: dict[str, Parts]) -> None:
    """Write what is accepted: digests and screens for the project, all of it for this machine."""
    screens = accepted_screens()
    names = [case.name for case in every if case.name in kept]
    for name, parts in found.items():
        screens[name] = parts.get("screen", "")
        FULL.mkdir(exist_ok=True)
        path = FULL / f"{digest(name)}.json"
        path.write_text(json.dumps(parts, ensure_ascii=False), encoding="utf-8")
    rows = [json.dumps({"case": name, **kept[name]}, ensure_ascii=False) for name in names]
    EXPECTED.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    shown = [name for name in names if name in screens and keeps_screen(name, kept[name])]
    text = "".join(f"\n=== {name}\n{screens[name]}" for name in shown)
    SCREENS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
