"""Options in groups: a parameter whose type is a class of options stands for all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints

__all__ = ["grouped"]


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Make a command take the options of its groups one by one, where the group stands.

    A group is a dataclass whose fields are options of typer. The command itself is given an object
    of it, so that options which commands share are listed once, in the class.
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {
        name: hints[name] for name in signature(command).parameters if is_dataclass(hints[name])
    }
    parameters: list[Parameter] = []
    for parameter in signature(command).parameters.values():
        if parameter.name in groups:
            parameters.extend(_options(groups[parameter.name]))
        else:
            annotation = hints[parameter.name]
            parameters.append(parameter.replace(annotation=annotation, kind=Parameter.KEYWORD_ONLY))

    @wraps(command)
    def run(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in _fields(group)})
        command(**given)

    # Typer reads the signature, and the types from the annotations.
    setattr(run, "__signature__", Signature(parameters))  # noqa: B010 - no such attribute is typed
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _options(group: Any) -> list[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=hints[field.name],
        )
        for field in _fields(group)
    ]


def _fields(group: Any) -> tuple[Field[Any], ...]:
    return fields(group)
