"""Turn the options of a command into flags, and name them in messages."""

from __future__ import annotations

import csv
import json
import os
import shlex
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import wraps
from glob import glob
from importlib import import_module
from importlib.util import LazyLoader, find_spec, module_from_spec
from inspect import Parameter, Signature, signature
from pathlib import Path
from subprocess import list2cmdline
from typing import Annotated, Any, cast, get_args, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from headcount import options
from headcount.errors import Named, OptionError, option
from headcount.options import LARGE, OUTPUT, READING

__all__ = [
    "command_name",
    "grouped",
    "Command",
    "App",
    "speller",
    "shell",
    "joined",
    "broken",
    "Names",
    "NO_NAMES",
    "names_in",
]


class Names(tuple[str, ...]):
    """Names that an option lists with commas."""


NO_NAMES = Names()


def names_in(text: str) -> Names:
    """Names that an option lists with commas; one that contains a comma is in double quotes.

    Examples
    --------
    >>> names_in("ann, bob"), names_in('"yes, surely",no')
    (('ann', 'bob'), ('yes, surely', 'no'))
    """
    return Names(name.strip() for name in next(csv.reader([text], skipinitialspace=True), [""]))


# Options in groups: a parameter whose type is a class of options stands for all of them.


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Make a command take the options of its groups one by one, where the group stands.

    A group is a dataclass. The command itself is given an object of it, so that options which
    commands share are listed once, in the class. What an option is for stands in
    :data:`headcount.options.OPTIONS`.
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {}
    parameters: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        own = [(name, hints[name], parameter.default)]
        if is_dataclass(hints[name]):
            groups[name] = hints[name]
            types = get_type_hints(hints[name], include_extras=True)
            own = [(each.name, types[each.name], each.default) for each in fields(hints[name])]
        parameters += [_parameter(command, *each) for each in own]

    @wraps(command)
    def run(**values: Any) -> None:
        outputs = [name for name in values if name.startswith("plot") or name in WRITTEN]
        check_overwrites(values, outputs=outputs)
        from headcount.io.opening import given_files

        together = given_files.set(_files_of([*values.values()]))
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        _load_lazily("numpy.f2py", "numpy.testing")
        try:
            command(**values)
        finally:
            given_files.reset(together)

    # Typer reads the signature, and the types from the annotations.
    setattr(run, "__signature__", Signature(parameters))  # noqa: B010 - no such attribute is typed
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _load_lazily(*names: str) -> None:
    """Have modules loaded when they are used: scipy imports all of numpy, and uses little of it."""
    for name in names:
        package, _, short = name.rpartition(".")
        parent, spec = import_module(package), find_spec(name)
        if short not in vars(parent) and spec is not None and spec.loader is not None:
            loader = spec.loader = LazyLoader(spec.loader)
            module = sys.modules[name] = module_from_spec(spec)
            loader.exec_module(module)
            setattr(parent, short, module)


def _parameter(command: Callable[..., None], name: str, hint: Any, default: Any) -> Parameter:
    """Make a parameter for typer; arguments and the context are described already."""
    if hint is not typer.Context and not hasattr(hint, "__metadata__"):
        home = options.of(command_name(command), name)
        flags = FLAGS.get(name, ())
        if hint is bool and default is False and not flags:
            flags = (_flag(name),)  # and none that switches it off
        hint = Annotated[
            hint,
            typer.Option(
                *flags,
                metavar=home.value or value_name(hint),
                parser=names_in if Names in (hint, *get_args(hint)) else None,
                rich_help_panel=home.group or None,
                help=home.help,
            ),
        ]
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def command_name(command: Callable[..., Any]) -> str:
    """Name a command as :data:`headcount.options.OPTIONS` does."""
    return command.__name__.removesuffix("_command")


WRITTEN = frozenset(
    {"output", "labels_out", "workers_out", "recalibrate", "save_map", "save_model"}
)
"""Options that name a file to write, besides plots. A state that is read and written is none."""


def check_overwrites(files: Mapping[str, object], *, outputs: Collection[str]) -> None:
    """Refuse to write over a file that the command reads, or to write two things into one.

    Parameters
    ----------
    files : mapping of str to object
        What was given, by the name of the option or argument; what names no file is passed over.
    outputs : collection of str
        Names of those that are written.
    """
    written: dict[str, str] = {}
    for name in files:
        if name in outputs and isinstance(files[name], str | os.PathLike):
            path = os.path.realpath(cast("str", files[name]))
            if path in written:
                raise OptionError(
                    f"{option(name)} and {option(written[path])} are the same file, "
                    f"{files[name]}. Give them two names; nothing was written."
                )
            written[path] = name
    existing = {path: name for path, name in written.items() if os.path.isfile(path)}
    for name, value in files.items():
        for read in [] if name in outputs or not existing else _files_of(value):
            for path, output in existing.items():
                if os.path.samefile(read, path) or Path(path).is_relative_to(os.path.abspath(read)):
                    raise OptionError(
                        f"{option(output)} {files[output]} would overwrite the input {read}. "
                        "Choose another name; nothing was written."
                    )


def _files_of(value: object) -> list[str]:
    """Files and folders that a value names: one, several, or those of a pattern."""
    if isinstance(value, list | tuple):
        return [path for each in cast("Sequence[object]", value) for path in _files_of(each)]
    if not isinstance(value, str | os.PathLike):
        return []
    path = str(cast("object", value))
    # A name, of a judge or a column, may be that of a folder by chance.
    if os.path.isfile(path) or (os.path.isdir(path) and isinstance(value, os.PathLike)):
        return [path]
    return glob(path) if set(path) & set("*?[") else []


# The help of commands: options in groups, and values by ordinary names.

VALUES: dict[Any, str] = {
    Names: "NAMES",
    Path: "FILE",
    str: "NAME",
    list[str]: "NAME",
    int: "N",
    float: "NUMBER",
    tuple[float, float]: "LOW HIGH",
}
"""What the value of an option is called, by its type, which versions of typer name differently."""


def value_name(hint: Any) -> str | None:
    """Name the value of an option by its type, as FILE in `--gold FILE`; None of a flag."""
    return next((name for kind, name in VALUES.items() if kind in (hint, *get_args(hint))), None)


ALL = "--help-all"
PLAIN: dict[Any, Callable[[str], object]] = {
    **dict.fromkeys((str, str | None, list[str], list[str] | None), str),
    **dict.fromkeys((Names, Names | None), names_in),
    **dict.fromkeys((Path, Path | None, list[Path], list[Path] | None), Path),
}
"""What makes a value of a word, by types of which every word is a value."""


def _plainly(parameter: Any, hint: Any) -> Callable[[Any, Any], Any]:
    """Leave only what may fail to typer, which loads a library to check words against types."""
    make = PLAIN.get(getattr(hint, "__origin__", None))
    convert = parameter.process_value

    def process(context: Any, value: Any) -> Any:
        if value is parameter.default and not parameter.required:
            then = parameter.callback
            return value if then is None else then(context, parameter, value)
        if make is None or not isinstance(value, str | tuple):
            return convert(context, value)
        words = cast("Sequence[str]", value)
        return make(words) if isinstance(words, str) else tuple(make(word) for word in words)

    return process


class _Plain:
    """Values that stand as they were typed, or were not typed."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Prepare parameters the first time that they are asked for."""
        parameters = cast("Any", super()).get_params(ctx)
        hints = getattr(getattr(self, "callback", None), "__annotations__", {})
        for parameter in parameters:
            if "process_value" not in vars(parameter):
                parameter.process_value = _plainly(parameter, hints.get(parameter.name))
        return parameters


class Group(_Plain, TyperGroup):
    """Several commands."""


class Command(_Plain, TyperCommand):
    """A command with a help of groups, which shows what most people need."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for parameter in self.params:
            if parameter.param_type_name == "argument" and parameter.name:
                parameter.metavar = parameter.metavar or parameter.name.upper()

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words; with --help-all, show the help with every option."""
        if ALL in args:
            ctx.meta[ALL] = True
            typer.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def _seldom(self) -> set[str | None]:
        """Options that only --help-all shows."""
        name = command_name(self.callback) if self.callback is not None else ""
        flags = [each for each in self.params if each.param_type_name == "option"]
        return {each.name for each in flags if options.of(name, str(each.name)).seldom}

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, then the options of the command's own, then those that many share."""
        groups: dict[str, list[tuple[str, str]]] = {}
        groups |= {title: [] for title in ("Arguments", "Options", READING, LARGE, OUTPUT)}
        seldom = self._seldom()
        for parameter in self.get_params(ctx):
            if parameter.name in seldom and not ctx.meta.get(ALL):
                continue
            record, title = parameter.get_help_record(ctx), "Options"
            if record is not None and parameter.param_type_name == "argument":
                record, title = (str(parameter.metavar), record[1]), "Arguments"
            title = getattr(parameter, "rich_help_panel", None) or title
            if record is not None:
                groups.setdefault(title, []).append(record)
        if seldom and not ctx.meta.get(ALL):
            groups["Options"].append((ALL, "Show every option and exit."))
        for title, records in groups.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class App(typer.Typer):
    """Commands whose help has groups."""

    def __init__(self, **options: Any) -> None:
        super().__init__(cls=Group, **options)

    def command(self, name: str | None = None, **options: Any) -> Any:
        """Add a command."""
        options.setdefault("cls", Command)
        return super().command(name, **options)


# How the command line writes the options that messages name: as its own flags.

OTHER_NAMES = {
    "json": "as_json",
    "metrics": "metric",
    "other": "compare",
}
"""What a command calls an option of Python by another name, wherever it has one."""


def speller(
    command: Any, *, words: Sequence[str] = (), is_answered: bool = True
) -> Callable[[Named], str]:
    """Make what writes an option as a flag of `command`; options it lacks stay in Python.

    Parameters
    ----------
    command : click command
        Or None, where no command was found.
    words : sequence of str
        What was typed after 'headcount', for a step that repeats it or reads the same files.
    is_answered : bool
        Whether the call was answered, and not refused: a step writes none of its files again.
    """
    parameters: dict[str, Any] = {p.name: p for p in getattr(command, "params", [])}

    def write(named: Named) -> str:
        if named.name in ("again", "command") and (words or named.name == "command"):
            step = _with_paths(json.loads(named.value), words)
            if step["verb"] in ("", *words[:1]):  # the same call, with other options
                repeated = _without_outputs(words, parameters) if is_answered else list(words)
                changed = _changed(repeated, step["options"], parameters)
                differs = sorted(changed) != sorted(repeated)
                repeats = named.name == "again" and not differs
                return "" if repeats else broken(joined(["headcount", *changed]))
            same = step["data"] in words
            reading = _options_of(words, _of_reading(parameters)) if same else []
            return broken(joined([*_words(step), *(word for word, its in reading if its)]))
        if named.name in ("all_rows", "all_entries"):
            return "--json has all" if "as_json" in parameters else named.python
        if named.name == "rows_file":
            return _written(words)
        if named.name == "details" and "details" not in parameters:
            return "on the page"
        verb, _, other = named.name.rpartition(".")
        if named.name.startswith("."):  # another option of the command just named
            return f"{FLAGS.get(other, (_flag(other),))[0]} {_quoted(named.value)}".strip()
        if verb:  # an option of another command
            value = "" if named.value == "..." else _quoted(named.value)
            return f"headcount {verb} {FLAGS.get(other, (_flag(other),))[0]} {value}".strip()
        parameter = parameters.get(named.name) or parameters.get(OTHER_NAMES.get(named.name, ""))
        if parameter is None or not parameter.opts[0].startswith("-"):
            return named.python
        flag = max(parameter.opts, key=len)
        if named.value == "False":
            off = parameter.secondary_opts
            return off[0] if off else f"no {flag}"
        if named.value == "...":
            return f"{flag} {parameter.metavar}"
        return f"{flag} {_quoted(named.value)}".strip()

    return write


def _without_outputs(words: Sequence[str], parameters: Mapping[str, Any]) -> list[str]:
    """Leave out the files that were written, which another call would write over."""
    outputs = [p for name, p in parameters.items() if name in WRITTEN or name.startswith("plot")]
    return [word for word, its in _options_of(words, outputs) if not its]


def _options_of(words: Sequence[str], some: Collection[Any]) -> list[tuple[str, bool]]:
    """Say of each word whether it is one of some options, or its value; after "--" none is."""
    flags = {flag: p for p in some for flag in (*p.opts, *p.secondary_opts)}
    out, value, files = list[tuple[str, bool]](), False, False
    for word in words:
        files = files or word == "--"
        parameter = None if files or value else flags.get(word.partition("=")[0])
        out.append((word, value or parameter is not None))
        value = parameter is not None and not parameter.is_flag and "=" not in word
    return out


def _of_reading(parameters: Mapping[str, Any]) -> list[Any]:
    """Choose the options that say how the file is read."""
    return [p for p in parameters.values() if getattr(p, "rich_help_panel", "") == READING]


def _changed(
    words: Sequence[str], changes: Mapping[str, Any], parameters: Mapping[str, Any]
) -> list[str]:
    """Change options of a call: names are added to those given, or chosen from them."""
    words, more = list(words), list[str]()
    for name, new in changes.items():
        typed = _options_of(words, [p for p in (parameters.get(name),) if p is not None])
        words = [word for word, its in typed if not its]
        if isinstance(new, list) and (given := [word for word, its in typed if its]):
            last = given[-1].partition("=")[2] if given[-1].startswith("-") else given[-1]
            names, value = names_in(last), [str(each) for each in cast("list[object]", new)]
            new = value if {*value} <= {*names} else [*names, *value]
        more += _words_of({name: new})
    end = words.index("--") if "--" in words else len(words)  # then only files
    return [*words[:end], *more, *words[end:]]


def _written(words: Sequence[str]) -> str:
    """Say where the rows are, or how to write them."""
    for word, after in zip(words, [*words[1:], ""], strict=True):
        if word in FLAGS["output"] and after:
            return f"in {after}"
    return "-o FILE.csv writes them"


def _quoted(value: str) -> str:
    """Quote a value for the shell where it must be, so that people can read it."""
    if WINDOWS:
        return list2cmdline([value]) if value else ""
    if "'" in value and not set(value) & set('"$`\\!'):
        return f'"{value}"'
    return shlex.quote(value) if value else ""


FLAGS: dict[str, tuple[str, ...]] = {
    "as_json": ("--json",),
    "judge_names": ("--judge",),
    "label_map": ("--map",),
    "output": ("-o", "--output"),
    "predictions": ("-p", "--predictions"),
    "quiet": ("-q", "--quiet"),
}
"""Flags that are not only called like their options."""
ARGUMENTS = ("judges", "people")
"""Files that a command takes without a flag."""
COMMANDS: dict[str, tuple[str, dict[str, str], list[str]]] = {
    "corrected_rate": ("rate", {}, []),
    "next_items": ("plan items", {}, ["-o", "items.csv"]),
    "next_pairs": ("plan pairs", {}, ["-o", "tasks.csv"]),
    "plan": ("plan comparisons", {}, []),
    "plan_agreement": ("plan agreement", {}, []),
    "make_report": ("report", {}, []),
    "panel_worth": ("survey", {}, ["--panels"]),
}
"""Functions that are an option of a command: which, other names of files, and its flags."""
BREAK_AT = 76
"""Characters that a line of a command has at most, a backslash included."""


def shell(step: Mapping[str, Any]) -> str:
    """Write a step as a command, quoted for the shell.

    Parameters
    ----------
    step : mapping
        `verb`, `data` (a file), `files` and `options` (both by name), and `more` (files) if any.

    Examples
    --------
    >>> shell({"verb": "agree", "data": "my file.csv", "files": {}, "options": {"missing": ["99"]}})
    "headcount agree 'my file.csv' --missing 99"
    >>> shell({"verb": "judge", "data": "r.csv", "files": {"judges": "j.csv"},
    ...        "options": {"seed": 1}})
    'headcount judge r.csv j.csv --seed 1'
    """
    return joined(_words(step))


def _words(step: Mapping[str, Any]) -> list[str]:
    """Write a step as the words of a command."""
    command, names, flags = COMMANDS.get(step["verb"], (step["verb"], {}, []))
    words = ["headcount", *command.split(), *map(_file, (step["data"], *step.get("more", ())))]
    files: Mapping[str, str] = step["files"]
    for name, file in files.items():
        flag = names.get(name, name)
        words += [] if name in ARGUMENTS else [FLAGS.get(flag, (_flag(flag),))[0]]
        words.append(_file(file))
    return [*words, *flags, *_words_of(step["options"])]


WINDOWS = os.name == "nt"


def joined(words: Sequence[str]) -> str:
    """Quote words for the shell: those of Windows know double quotes alone."""
    return list2cmdline(words) if WINDOWS else shlex.join(words)


def _words_of(options: Mapping[str, Any]) -> list[str]:
    """Write options as flags with their values."""
    words: list[str] = []
    for name, value in options.items():
        if isinstance(value, bool):
            words.append(_flag(name) if value else _flag(f"no_{name}"))
        elif isinstance(value, list):
            texts = [str(element) for element in cast("list[object]", value)]
            listed = [f'"{text.replace(chr(34), chr(34) * 2)}"' if {*text} & {",", '"'} else text
                      for text in texts]  # fmt: skip
            for text in texts if name == "where" else [",".join(listed)]:
                words += _valued(name, text)
        else:
            words += _valued(name, str(value))
    return words


def _with_paths(step: dict[str, Any], words: Sequence[str]) -> dict[str, Any]:
    """Name the files of a step as they were typed: a result knows them by their names alone."""
    typed = {Path(word).name: word for word in words}
    typed |= {f"{word.partition(':')[2]}.csv": word for word in words if word[:8] == "example:"}
    files = {name: typed.get(file, file) for name, file in step.get("files", {}).items()}
    data = step.get("data", "")
    return {**step, "data": typed.get(data, data), "files": files}


def broken(command: str) -> str:
    r"""Write a long command over several lines, as the shell takes it.

    Examples
    --------
    >>> print(broken("headcount agree ratings.csv " + "--missing 99 " * 5))
    headcount agree ratings.csv --missing 99 --missing 99 --missing 99 \
        --missing 99 --missing 99
    """
    if len(command) <= BREAK_AT or WINDOWS:  # of whose shells each breaks lines in its own way
        return command
    lines, line = list[str](), ""
    for part in _parts(shlex.split(command)):
        whole = f"{line} {part}".strip()
        if line and len(whole) > BREAK_AT - 6:
            lines.append(line)
            whole = part
        line = whole
    return " \\\n    ".join([*lines, line])


def _parts(words: list[str]) -> list[str]:
    """Quoted words, each flag together with its value."""
    parts: list[str] = []
    for before, word in zip(["", *words], words, strict=False):
        if before.startswith("-") and not word.startswith("-"):
            parts[-1] += f" {shlex.quote(word)}"
        else:
            parts.append(shlex.quote(word))
    return parts


def _file(name: str) -> str:
    """Write a file's name so that it is no flag; a lone dash is standard input."""
    return f"./{name}" if name.startswith("-") and name != "-" else name


def _flag(name: str) -> str:
    return FLAGS.get(name, ("--" + name.replace("_", "-"),))[-1]


def _valued(name: str, value: str) -> list[str]:
    """Write a flag and its value, which may begin with a dash."""
    return [f"{_flag(name)}={value}"] if value.startswith("-") else [_flag(name), value]
