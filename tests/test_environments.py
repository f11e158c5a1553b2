"""The command line where it is not at home: no space, no rights, no Unicode, no time.

Every command runs in a process of its own; none of them may end in a traceback.
"""

from __future__ import annotations

import errno
import gzip
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import headcount

SOURCE = Path(headcount.__file__).parents[1]
RATINGS = "item,rater,label\n" + "".join(
    f"i{item},r{rater},{'yes' if (item * 7 + rater * item) % 3 else 'no'}\n"
    for item in range(30)
    for rater in range(4)
)
PATIENCE = 300
"""Seconds after which a command hangs: many, since the machine may be busy."""
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and modes are POSIX's")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the commands read."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "ratings.csv").write_text(RATINGS, encoding="utf-8")
    (folder / "names.csv").write_text(
        RATINGS.replace("yes", "søt ∞ 好"), encoding="utf-8", newline=""
    )
    return folder


def environment(**changes: str | None) -> dict[str, str]:
    """Make the variables of a command: few, and with these changes; None takes one away."""
    variables = {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": os.environ.get("HOME", "/tmp"),
        "PYTHONPATH": str(SOURCE),
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    } | changes
    return {name: value for name, value in variables.items() if value is not None}


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "headcount", *map(str, words)]


def call(
    words: Sequence[str], variables: Mapping[str, str] | None = None, **more: Any
) -> subprocess.CompletedProcess[bytes]:
    """Run a command; whatever happens, nobody sees a traceback."""
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    done = subprocess.run(
        words, env=variables or environment(), timeout=PATIENCE, check=False, **streams
    )
    assert b"Traceback" not in (done.stdout or b"") + (done.stderr or b""), done.stderr.decode()
    return done


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield folder
    subprocess.run(["umount", "-l", folder], capture_output=True, check=True)


def fill(folder: Path) -> None:
    """Leave no room on a disk."""
    with suppress(OSError), (folder / "filler").open("wb", 0) as file:
        for _ in range(1000):
            file.write(b"x" * 4096)
    assert shutil.disk_usage(folder).free == 0


def as_ordinary_user() -> list[str]:
    """Words before a command that is bound by the modes of files, as root is not."""
    if os.geteuid() != 0:
        return []
    words = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    if shutil.which("setpriv") is None:
        pytest.skip("root is bound by no modes, and there is no setpriv")
    if subprocess.run([*words, "true"], capture_output=True, check=False).returncode:
        pytest.skip("setpriv cannot take rights away here")
    return words


@pytest.fixture
def read_only(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A folder with a home, and a copy of the package if asked for, which cannot be written."""
    folder = tmp_path / "read-only"
    (folder / "home").mkdir(parents=True)
    if getattr(request, "param", None) == "package":
        kernels = shutil.ignore_patterns("*.nbi", "*.nbc")  # what is kept of them
        shutil.copytree(SOURCE / "headcount", folder / "headcount", ignore=kernels)
    inside = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
    for path in inside:
        path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    yield folder
    for path in inside:
        path.chmod(stat.S_IRWXU)


SOME_PAIRS = ("simulate", "pairs", "--items", 8, "--raters", 4, "--comparisons", 20, "-o")
"""A command with kernels."""
KERNEL = """
from headcount.stats.arrays import compiled

@compiled(10**9)
def double(x):
    return 2 * x

print(double(21))
"""
"""A kernel that is compiled in no time, made as all are."""


def test_all_kernels_are_made_alike() -> None:
    """So that one may stand for all below."""
    importing = [
        path.relative_to(SOURCE).as_posix()
        for path in (SOURCE / "headcount").rglob("*.py")
        if re.search(r"^\s*(import|from) numba\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert importing == ["headcount/stats/arrays.py"]


@pytest.fixture
def kernel(tmp_path: Path) -> list[str]:
    """Words that run a kernel, of which nothing is kept yet."""
    path = tmp_path / "kernel.py"
    path.write_text(KERNEL, encoding="utf-8")
    return [sys.executable, str(path)]


@pytest.mark.parametrize("read_only", ["package"], indirect=True)
def test_read_only_home_and_package(read_only: Path, tmp_path: Path) -> None:
    user = as_ordinary_user()
    variables = environment(HOME=str(read_only / "home"), PYTHONPATH=str(read_only))
    refused = call([*user, "touch", str(read_only / "home" / "x")], variables)
    assert refused.returncode != 0  # the folder is as we say
    done = call([*user, *command(*SOME_PAIRS, tmp_path / "out")], variables)
    assert (done.returncode, done.stderr) == (0, b"")
    assert not list(read_only.rglob("*.nbi"))


@pytest.mark.parametrize("home", [None, "/nonexistent"])
def test_no_home(home: str | None, kernel: list[str], tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    done = call(kernel, environment(HOME=home, NUMBA_CACHE_DIR=str(blocked)))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"42\n", b"")


def test_a_cache_on_a_full_disk_is_done_without(tiny: Path, kernel: list[str]) -> None:
    fill(tiny)
    done = call(kernel, environment(NUMBA_CACHE_DIR=str(tiny)))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"42\n", b"")


def test_a_broken_cache_is_done_without(kernel: list[str], tmp_path: Path) -> None:
    variables = environment(NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    call(kernel, variables)
    kept = [*tmp_path.rglob("*.nbi"), *tmp_path.rglob("*.nbc")]
    assert len(kept) == 2
    for path in kept:
        path.write_bytes(path.read_bytes()[:100])
    done = call(kernel, variables)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"42\n", b"")


@pytest.mark.parametrize(
    "changes",
    [
        {"PYTHONIOENCODING": "cp1252"},
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"LC_ALL": "C"},
    ],
)
def test_an_output_without_our_characters(changes: dict[str, str], files: Path) -> None:
    done = call(command("agree", files / "names.csv"), environment(**changes))
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout
    document = call(command("agree", files / "names.csv", "--json"), environment(**changes))
    assert "søt ∞ 好" in json.loads(document.stdout)["data"]["labels"]
    missing = call(command("agree", files / "∞.csv"), environment(**changes))
    assert missing.returncode == 2
    assert len(missing.stderr.splitlines()) < 4


def test_the_answer_on_a_full_disk(files: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    for words in (
        ["agree", files / "ratings.csv", "--json"],
        ["--version"],
    ):
        with Path("/dev/full").open("wb") as full:
            done = call(command(*words), stdout=full)
        assert done.returncode == 74, words
        assert done.stderr == b"headcount: cannot write the answer: No space left on device.\n"


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("-o", "rows.csv"),
        ("-o", "rows.parquet"),
        ("--plot", "plot.pdf"),
    ],
)
def test_a_file_on_a_full_disk(option: str, name: str, tiny: Path, files: Path) -> None:
    old = tiny / name
    old.write_text("old", encoding="utf-8")
    fill(tiny)
    done = call(command("agree", files / "ratings.csv", option, old))
    assert done.returncode == 2
    words = " ".join(done.stderr.decode().split())
    assert words.startswith("headcount: cannot write '")
    assert os.strerror(errno.ENOSPC) in words
    assert done.stdout == b""
    assert old.read_text(encoding="utf-8") == "old"
    assert sorted(path.name for path in tiny.iterdir()) == sorted(["filler", name])


@pytest.mark.parametrize("name", ["ratings.csv.gz", "utf16.csv", "-"])
def test_a_temporary_copy_on_a_full_disk(name: str, tiny: Path, tmp_path: Path) -> None:
    # There is room for a few bytes, or Python would go to another folder.
    text = "item,rater,label\n" + "a long name of an item,ann,yes\n" * 100_000
    (tmp_path / "ratings.csv.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "utf16.csv").write_text(text, encoding="utf-16")
    path = name if name == "-" else tmp_path / name
    done = call(command("agree", path), environment(TMPDIR=str(tiny)), input=text.encode())
    assert (done.returncode, done.stdout) == (2, b"")
    words = " ".join(done.stderr.decode().split())
    assert words.startswith("headcount: a temporary copy of the data cannot be written: No space")
    assert "TMPDIR" in words
    assert list(tiny.iterdir()) == []


def test_simulated_files_on_a_full_disk(tiny: Path) -> None:
    done = call(command("simulate", "running-example", "--items", 20000, "-o", tiny))
    assert done.returncode == 2
    assert "No space left" in " ".join(done.stderr.decode().split())
    assert list(tiny.iterdir()) == []


def test_a_folder_that_may_not_be_written(read_only: Path, files: Path) -> None:
    user = as_ordinary_user()
    for option, name in (("-o", "rows.csv"), ("--plot", "plot.png")):
        path = read_only / "home" / name
        done = call([*user, *command("agree", files / "ratings.csv", option, path)])
        assert done.returncode == 2
        assert b"cannot be written there" in done.stderr
    done = call([*user, *command("simulate", "running-example", "-o", read_only / "home" / "new")])
    assert done.returncode == 2
    assert b"cannot make the folder" in done.stderr


@pytest.mark.parametrize("read", [0, 1])
def test_a_pipe_that_is_closed(read: int, files: Path) -> None:
    for words in (["agree", files / "ratings.csv", "--json"], ["--help"]):
        with subprocess.Popen(
            command(*words), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.read(read)
            process.stdout.close()
            said = process.stderr.read()
        assert said == b""
        assert process.returncode in (0, 141, -signal.SIGPIPE)


LONG = ("survey", "many.csv", "--bootstrap", "100000", "--scorer", "auc")


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ratings that take long to survey."""
    folder = tmp_path_factory.mktemp("many")
    done = call(command("simulate", "running-example", "--items", 1500, "-o", folder))
    assert done.returncode == 0
    (folder / "ratings.csv").rename(folder / "many.csv")
    return folder


def processor_time(process: subprocess.Popen[bytes]) -> float | None:
    """Seconds of the processor that a process has had since it listens to signals.

    None where nobody tells. A busy machine may stop a process for seconds: only this says how far
    it is.
    """
    try:
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
        stat = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii")
    except OSError:
        return None
    caught = re.search(r"^SigCgt:\s*(\w+)", status, re.MULTILINE)
    if caught is None or not int(caught[1], 16) & 1 << (signal.SIGTERM - 1):
        return 0.0  # Python itself catches no SIGTERM: our first line has not run
    user, system = stat.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def stopped(number: int, words: Sequence[object], folder: Path, after: float) -> tuple[int, str]:
    """Run a command, send it a signal after so many seconds, and return what became of it."""
    with subprocess.Popen(
        command(*words),
        env=environment(),
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        while process.poll() is None and (used := processor_time(process)) is not None:
            if used >= after:
                break
            time.sleep(0.01)
        else:
            time.sleep(after)
        process.send_signal(number)
        try:
            said = process.communicate(timeout=PATIENCE)[1].decode()
        finally:
            process.kill()
    assert "Traceback" not in said, said
    return process.returncode, said


@pytest.mark.parametrize("after", [0.1, 0.2, 0.4, 0.8, 2.0])
def test_interrupt(after: float, many: Path) -> None:
    code, said = stopped(signal.SIGINT, LONG, many, after)
    if code == -signal.SIGINT and said == "":
        return  # before our first line ran
    assert (code, said) == (130, "headcount: interrupted.\n")


SWALLOWING = """
import os, signal, sys, time
import headcount.cli.app
from headcount.cli import main

def run(words):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)
    except BaseException:
        pass
    try:
        time.sleep(5)
    finally:
        try:
            raise OSError
        except OSError:
            time.sleep(0.5)
        print("tidied up")

headcount.cli.app.run = run
main()
"""


def test_an_interrupt_that_a_library_swallows() -> None:
    """The command ends all the same, and what tidies up on the way out is not cut short."""
    done = call([sys.executable, "-c", SWALLOWING])
    assert done.returncode == 130
    assert done.stdout == b"tidied up\n"
    assert done.stderr == b"headcount: interrupted.\n"


LOADING = """
import os, signal, time

os.kill(os.getpid(), signal.SIGINT)
time.sleep(0.3)
print("loaded", flush=True)
"""


def test_an_interrupt_waits_until_a_module_is_loaded(tmp_path: Path) -> None:
    """Compiled modules abort the process when an exit meets them while they are loaded."""
    (tmp_path / "duckdb.py").write_text(LOADING)
    ratings = tmp_path / "ratings.csv"
    ratings.write_text("item,rater,label\na,ann,1\n")
    variables = {**environment(), "PYTHONPATH": str(tmp_path)}
    done = call(command("agree", ratings, "--engine", "duckdb"), variables)
    assert (done.returncode, done.stdout) == (130, b"loaded\n")
    assert done.stderr == b"headcount: interrupted.\n"


TAKEN_FOR_A_FAILURE = """
import os, signal, sys, time
import headcount.cli.app
from headcount import DataError
from headcount.cli import main

def command(*words, **options):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)
    except BaseException:
        raise {error} from None

headcount.cli.app._root = lambda words: command
sys.argv = ["headcount", "agree"]
main()
"""


@pytest.mark.parametrize(
    "error", ["DataError('r.csv cannot be read: Query interrupted')", "RuntimeError('interrupted')"]
)
def test_an_interrupt_that_a_library_takes_for_a_failure(error: str) -> None:
    done = call([sys.executable, "-c", TAKEN_FOR_A_FAILURE.format(error=error)])
    assert (done.returncode, done.stderr) == (130, b"headcount: interrupted.\n")


@pytest.mark.parametrize("after", [0.5, 1.5, 2.5])
def test_terminate_leaves_nothing_behind(after: float, many: Path, tmp_path: Path) -> None:
    words = ("simulate", "running-example", "--items", "300000", "-o", tmp_path / "out")
    code, said = stopped(signal.SIGTERM, words, many, after)
    assert (code, said) in [(143, ""), (-signal.SIGTERM, "")]
    if (tmp_path / "out").exists():
        assert [path.name for path in (tmp_path / "out").iterdir()] == []
