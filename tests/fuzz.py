"""Run commands on mutated files, and tell what ends in anything but an answer or a refusal.

``python tests/fuzz.py --runs 10000`` prints a line for each finding and a table of runs by command
and reader. A case is its seed and its number: ``--first 17 --runs 1`` runs number 17 again, and
``--keep FOLDER`` keeps the files of findings.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import multiprocessing
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType

import numpy as np

from headcount.cli.app import run
from headcount.io.write import write_rows

sys.path.insert(0, str(Path(__file__).parent))
from workbooks import workbook

LIMIT = 20
"""Seconds of the processor that a command may take, however busy the machine is."""

Rows = dict[str, list[object]]


def _ratings() -> Rows:
    cells = [(i, r, "abc"[(i * r + i // 2) % 3]) for i in range(12) for r in range(3)]
    return {
        "item": [f"i{i}" for i, _, _ in cells],
        "rater": [f"r{r}" for _, r, _ in cells],
        "label": [label for _, _, label in cells],
    }


def _wide() -> Rows:
    wide: Rows = {"item": list(range(12))}
    return wide | {f"r{r}": [1 + (i * r + i // 2) % 4 for i in range(12)] for r in range(4)}


def _predictions() -> Rows:
    share = [(i % 7 + 1) / 10 for i in range(12)]
    return {
        "item": [f"i{i}" for i in range(12)],
        "m:a": share,
        "m:b": [0.9 - one for one in share],
        "m:c": [0.1] * 12,
        "hard": ["abc"[i % 3] for i in range(12)],
    }


def _comparisons() -> Rows:
    pairs = [(a, b, n) for a in range(5) for b in range(a) for n in range(3)]
    return {
        "left": [f"m{a}" for a, _, _ in pairs],
        "right": [f"m{b}" for _, b, _ in pairs],
        "outcome": [("left", "right", "tie")[(a + b * n) % 3] for a, b, n in pairs],
        "rater": [f"r{n}" for _, _, n in pairs],
    }


def _gold() -> Rows:
    return {"item": [f"i{i}" for i in range(8)], "label": ["abc"[i % 3] for i in range(8)]}


SEEDS = {
    "long": _ratings(),
    "wide": _wide(),
    "predictions": _predictions(),
    "comparisons": _comparisons(),
    "gold": _gold(),
}
FORMATS = ("csv", "tsv", "jsonl", "json", "parquet", "xlsx")
EXPORTS = Path(__file__).parent / "io" / "tools" / "fixtures"
"""Exports of tools, a folder each; those that are one file are mutated."""
TOOLS = ("TOOL",)
"""Stands for any of the tools, in the seeds of a command."""
FEW = ("--bootstrap", "3")
COMMANDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    # What to run, with FILE for the mutated file, and which seeds it reads.
    "survey": (("survey", "FILE", *FEW), ("long", "wide")),
    "survey -p": (("survey", "long.csv", "-p", "FILE", *FEW), ("predictions",)),
    "agree": (("agree", "FILE", *FEW), ("long", "wide")),
    "blind": (("blind", "FILE", *FEW), ("long", "wide", "predictions")),
    "blind --gold": (("blind", "long.csv", "--gold", "FILE", *FEW), ("gold", "long")),
    "consensus": (("consensus", "FILE"), ("long", "wide", "predictions")),
    "pairs": (("pairs", "FILE"), ("comparisons",)),
    "look": (("look", "FILE"), ("long", "wide", "predictions", "gold", "comparisons")),
    "look -p": (("look", "long.csv", "FILE"), ("predictions", "gold", "wide")),
    "plan": (
        ("plan", "comparisons", "FILE", "--items", "20", "--target-f1", "0.8", "--repeats", "20"),
        ("comparisons",),
    ),
    "judge": (("judge", "FILE", "predictions.csv", *FEW), ("long",)),
    "judge judges": (("judge", "long.csv", "FILE", *FEW), ("predictions", "gold")),
    "report": (("report", "FILE", "-o", "report.html"), ("long", "wide", "comparisons")),
    "look export": (("look", "FILE"), TOOLS),
    "agree export": (("agree", "FILE", *FEW), TOOLS),
    "survey -p export": (("survey", "long.csv", "-p", "FILE", *FEW), TOOLS),
    "blind export": (("blind", "FILE", *FEW), TOOLS),
    "pairs export": (("pairs", "FILE"), TOOLS),
    "judge export": (("judge", "FILE", *FEW), TOOLS),
    "report export": (("report", "FILE", "-o", "report.html"), TOOLS),
}


def write(rows: Rows, path: Path) -> bytes:
    """Write rows in the format that a name ends in, and return the bytes."""
    suffix = path.suffix[1:]
    if suffix in ("jsonl", "parquet"):
        write_rows(rows, path)
    elif suffix == "json":
        names = list(rows)
        entries = [dict(zip(names, row, strict=True)) for row in zip(*rows.values(), strict=True)]
        path.write_text(json.dumps(entries), encoding="utf-8")
    elif suffix == "xlsx":
        lines = enumerate([list(rows), *zip(*rows.values(), strict=True)], 1)
        workbook(
            path, {"s": {f"{'ABCDE'[c]}{n}": v for n, row in lines for c, v in enumerate(row)}}
        )
    else:
        comma = "\t" if suffix == "tsv" else ","
        lines = [list(rows), *zip(*rows.values(), strict=True)]
        text = "".join(comma.join(map(str, line)) + "\n" for line in lines)
        path.write_text(text, encoding="utf-8")
    return path.read_bytes()


Random = np.random.Generator
WORDS = (
    b"", b"NaN", b"nan", b"inf", b"-inf", b"1e999", b"NULL", b"null", b"None", b"[]", b"{}", b"[1]",
    b'{"a": 1}', b'"', b"'", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\n\n", b",", b";",
    b"\t", b"|", b"99", b"-1", b"1.0", b"01", b"1,5", b"true", b"a" * 5000, b"\x1b[31m", b"=1+1",
    b"*", b"../x", b"\\", b"\xf0\x9f\x98\x80", b"\xc3", b"0x10", b"1_000", b"2024-01-01",
    b"e\xcc\x81", b"1" * 400, b"\xed\xa0\x80", b"\xe2\x80\xae", b"item", b"label", b"a:b", b":",
    b"#", b"--",
)  # fmt: skip


def _cut(data: bytes, rng: Random) -> bytes:
    return data[: rng.integers(len(data) + 1)]


def _behead(data: bytes, rng: Random) -> bytes:
    return data[rng.integers(len(data) + 1) :]


def _flip(data: bytes, rng: Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.integers(1, 6)):
        if out:
            out[rng.integers(len(out))] = rng.integers(256)
    return bytes(out)


def _swap(data: bytes, rng: Random) -> bytes:
    a, b, c = sorted(rng.integers(len(data) + 1, size=3).tolist())
    return data[:a] + data[b:c] + data[a:b] + data[c:]


def _repeat(data: bytes, rng: Random) -> bytes:
    a, b = sorted(rng.integers(len(data) + 1, size=2).tolist())
    return data[:b] + data[a:b] * int(rng.integers(1, 4)) + data[b:]


def _insert(data: bytes, rng: Random) -> bytes:
    at = int(rng.integers(len(data) + 1))
    return data[:at] + WORDS[rng.integers(len(WORDS))] + data[at:]


def _cells(data: bytes, rng: Random) -> bytes:
    """Put words in the place of some cells."""
    lines = data.split(b"\n")
    comma = b"\t" if b"\t" in data else b","
    for _ in range(rng.integers(1, 8)):
        row = int(rng.integers(len(lines)))
        cells = lines[row].split(comma)
        cells[rng.integers(len(cells))] = WORDS[rng.integers(len(WORDS))]
        lines[row] = comma.join(cells)
    return b"\n".join(lines)


def _column(data: bytes, rng: Random) -> bytes:
    """Put one word in the place of a whole column, or drop or double the column."""
    lines = data.split(b"\n")
    comma = b"\t" if b"\t" in data else b","
    at, what = int(rng.integers(6)), int(rng.integers(4))
    word = WORDS[rng.integers(len(WORDS))]
    out: list[bytes] = []
    for row, line in enumerate(lines):
        cells = line.split(comma)
        if at < len(cells):
            if what == 0:
                del cells[at]
            elif what == 1:
                cells.insert(at, cells[at])
            elif row or what == 2:
                cells[at] = word
        out.append(comma.join(cells))
    return b"\n".join(out)


def _lines(data: bytes, rng: Random) -> bytes:
    lines = data.split(b"\n")
    what = int(rng.integers(4))
    if what == 0:
        lines = [lines[i] for i in rng.permutation(len(lines))]
    elif what == 1:
        lines = [line for line in lines if rng.random() < 0.6]
    elif what == 2:
        lines = lines[:1] + lines[1:] * 2
    else:
        lines.insert(int(rng.integers(len(lines) + 1)), WORDS[rng.integers(len(WORDS))])
    return b"\n".join(lines)


def _delimiter(data: bytes, rng: Random) -> bytes:
    return data.replace(b",", (b";", b"\t", b"|", b" ", b",,", b'","', b", ")[rng.integers(7)])


def _ends(data: bytes, rng: Random) -> bytes:
    return data.replace(b"\n", (b"\r", b"\r\n", b"\n\n", b"\x0b", b"\xe2\x80\xa8")[rng.integers(5)])


def _encoding(data: bytes, rng: Random) -> bytes:
    text = data.decode("utf-8", "replace").replace("a", "å")
    names = ("utf-16", "utf-16-le", "utf-8-sig", "cp1252", "utf-32", "cp037")
    return text.encode(names[rng.integers(len(names))], "replace")


def _huge(data: bytes, rng: Random) -> bytes:
    at = int(rng.integers(len(data) + 1))
    return data[:at] + (b"x", b'"', b"[", b"1", b",")[rng.integers(5)] * 300_000 + data[at:]


def _nest(data: bytes, rng: Random) -> bytes:
    """Put JSON of other types in the place of values."""
    others = ("[1, 2]", '{"a": {"b": []}}', "null", "true", "1e999", "NaN", '""', "-0", "[[]]")
    text = data.decode("utf-8", "replace")
    for _ in range(rng.integers(1, 4)):
        starts = [i for i, one in enumerate(text) if one == ":"]
        if starts:
            at = starts[rng.integers(len(starts))] + 1
            end = min((i for i in (text.find(c, at) for c in ",}\n") if i >= 0), default=len(text))
            text = text[:at] + others[rng.integers(len(others))] + text[end:]
    return text.encode()


def _zip(data: bytes, rng: Random) -> bytes:
    packed = gzip.compress(data, mtime=0)
    what = int(rng.integers(4))
    if what == 0:
        return packed
    return (_cut, _flip, _repeat)[what - 1](packed, rng)


def _member(data: bytes, rng: Random) -> bytes:
    """Mutate one of the files in an archive, such as a sheet of a workbook."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, RuntimeError, EOFError, zlib.error, ValueError):
        return _flip(data, rng)  # what another mutation damaged, or marked as encrypted
    largest = sorted(members, key=lambda name: -len(members[name]))[:3]
    chosen = largest[rng.integers(len(largest))] if largest else ""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            change = MEMBER_MUTATORS[rng.integers(len(MEMBER_MUTATORS))]
            archive.writestr(name, change(content, rng) if name == chosen else content)
    return packed.getvalue()


MEMBER_MUTATORS: tuple[Callable[[bytes, Random], bytes], ...] = (
    _cut, _flip, _swap, _repeat, _insert, _cells, _nest, _huge,
)  # fmt: skip
MUTATORS: tuple[Callable[[bytes, Random], bytes], ...] = (
    _cut, _behead, _flip, _swap, _repeat, _insert, _cells, _cells, _column, _lines, _delimiter,
    _ends, _encoding, _huge, _nest, _zip,
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A command line and the mutated file that it reads."""

    number: int
    command: str
    reader: str
    words: tuple[str, ...]
    name: str
    data: bytes


@dataclass(frozen=True)
class Finding:
    """A case that ended in neither an answer nor a refusal."""

    case: Case
    what: str

    def __str__(self) -> str:
        case = self.case
        return f"{case.number}: {case.command} of {case.reader} ({case.name}): {self.what}"


class Fuzzer:
    """Makes and runs cases; files are in a folder of its own."""

    def __init__(self, folder: Path, seed: int = 0, limit: float = LIMIT) -> None:
        self.folder, self.seed, self.limit = folder, seed, limit
        self.valid = {
            (name, suffix): write(rows, folder / f"{name}.{suffix}")
            for name, rows in SEEDS.items()
            for suffix in FORMATS
        }
        self.exports = {
            tool.name: [
                found[0] for example in sorted(tool.iterdir()) if len(found := _files(example)) == 1
            ]
            for tool in sorted(EXPORTS.iterdir())
        }

    def case(self, number: int) -> Case:
        """Make a case; the same number gives the same."""
        rng = np.random.default_rng([self.seed, number])
        command = list(COMMANDS)[number % len(COMMANDS)]
        words, readers = COMMANDS[command]
        if readers == TOOLS:
            reader = list(self.exports)[rng.integers(len(self.exports))]
            export = self.exports[reader][rng.integers(len(self.exports[reader]))]
            suffix, data = export.suffix[1:], export.read_bytes()
        else:
            reader = readers[rng.integers(len(readers))]
            suffix = FORMATS[rng.integers(len(FORMATS))]
            data = self.valid[reader, suffix]
        for _ in range(rng.integers(1, 4)):
            packed = data[:2] == b"PK" and rng.random() < 0.7
            change = _member if packed else MUTATORS[rng.integers(len(MUTATORS))]
            data = change(data, rng)
        if rng.random() < 0.1:  # a name that lies
            suffix = (*FORMATS, "csv.gz", "txt")[rng.integers(len(FORMATS) + 2)]
        elif data[:2] == b"\x1f\x8b":
            suffix += ".gz"
        if rng.random() < 0.5:
            words += ("--json",)
        return Case(number, command, f"{reader} {suffix}", words, f"case.{suffix}", data)

    def try_(self, case: Case) -> str | None:
        """Run a case; None if all is well, else what is not."""
        path = self.folder / case.name
        path.write_bytes(case.data)
        beside = ("long.csv", "predictions.csv", "report.html")
        places = {"FILE": str(path), **{name: str(self.folder / name) for name in beside}}
        words = [places.get(word, word) for word in case.words]
        out, err = io.StringIO(), io.StringIO()
        code: object = 0
        try:
            with _timed(self.limit), redirect_stdout(out), redirect_stderr(err):
                run(words)
        except SystemExit as end:
            code = end.code or 0
        except _TooLongError:
            return f"takes more than {self.limit:g} seconds"
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            return _last(error)
        finally:
            path.unlink()
        return _wrong(code, out.getvalue(), err.getvalue(), as_json="--json" in words)

    def findings(self, numbers: range) -> Iterator[Finding | Case]:
        """Run cases; give each that is well, and a finding of each that is not."""
        for number in numbers:
            case = self.case(number)
            what = self.try_(case)
            yield case if what is None else Finding(case, what)

    def apart(self, numbers: range) -> Iterator[Finding | Case]:
        """Run cases in another process, so that one which ends the process is a finding too."""
        fork = multiprocessing.get_context("fork")
        while numbers:
            receive, send = fork.Pipe(duplex=False)
            child = fork.Process(target=self._send, args=(numbers, send), daemon=True)
            child.start()
            send.close()
            ended = False
            while numbers and not ended:
                case, numbers = self.case(numbers[0]), numbers[1:]
                try:
                    what = receive.recv()
                except EOFError:
                    child.join()
                    ended, what = True, f"ends the process ({child.exitcode})"
                yield case if what is None else Finding(case, what)
            child.join()

    def _send(self, numbers: range, to: Connection) -> None:
        for number in numbers:
            to.send(self.try_(self.case(number)))


def _files(example: Path) -> list[Path]:
    """Files of an example of an export, without what is expected of them."""
    found = (path for path in example.rglob("*") if path.is_file())
    return [path for path in found if not path.name.startswith("expected")]


def _wrong(code: object, out: str, err: str, *, as_json: bool) -> str | None:
    if code not in (0, 2):
        return f"exit code {code}"
    if code == 2:
        return None if err and not out else "exit code 2 without a message, or with an answer"
    if not out:
        return "no answer"
    if not as_json:
        return None
    try:
        json.loads(out, parse_constant=lambda name: _no_number(name))
    except ValueError as error:
        return f"no JSON: {error}"
    return None


def _no_number(name: str) -> float:
    raise ValueError(f"{name} in JSON")


def _last(error: BaseException) -> str:
    """The error and where it was raised, in a line."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "headcount" in frame.filename] or frames
    text = " ".join(str(error).split())[:120]
    place = ours[-1]
    return f"{type(error).__name__}: {text} ({Path(place.filename).name}:{place.lineno})"


class _TooLongError(BaseException):
    """A command takes too long; no handler of ordinary errors may take it."""


@contextmanager
def _timed(limit: float) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise _TooLongError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def main() -> int:
    """Run many cases and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="when to stop")
    chosen = parser.parse_args()
    warnings.simplefilter("error")
    runs: Counter[tuple[str, str]] = Counter()
    found: Counter[str] = Counter()
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        fuzzer = Fuzzer(Path(folder), chosen.seed)
        numbers = range(chosen.first, chosen.first + chosen.runs)
        for done in fuzzer.apart(numbers):
            case = done.case if isinstance(done, Finding) else done
            runs[case.command, case.reader.split()[0]] += 1
            if isinstance(done, Finding):
                found[f"{case.command}: {done.what}"] += 1
                sys.stdout.write(f"{done}\n")
                sys.stdout.flush()
                if chosen.keep is not None:
                    chosen.keep.mkdir(parents=True, exist_ok=True)
                    (chosen.keep / f"{case.number}-{case.name}").write_bytes(case.data)
            if time.perf_counter() - start > 60 * chosen.minutes:
                break
    for (command, reader), number in sorted(runs.items()):
        sys.stdout.write(f"{command:16} {reader:12} {number:7,} runs\n")
    seconds = time.perf_counter() - start
    sys.stdout.write(
        f"{sum(runs.values()):,} runs, seed {chosen.seed}, {seconds:.0f} s: "
        f"{sum(found.values()):,} findings, {len(found):,} different\n"
    )
    return min(len(found), 1)


if __name__ == "__main__":
    sys.exit(main())
