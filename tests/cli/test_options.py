"""Options have one home: commands show what it says, and have the defaults of the functions."""

from __future__ import annotations

from inspect import signature

import pytest

import headcount
from headcount import options
from headcount.cli.app import _root
from headcount.cli.flags import command_name

VERBS = {
    "agree": "agree",
    "blind": "blind",
    "consensus": "consensus",
    "judge": "judge",
    "look": "look",
    "pairs": "pairs",
    "plan_agreement": "plan_agreement",
    "plan_comparisons": "plan",
    "plan_items": "next_items",
    "plan_pairs": "next_pairs",
    "rate": "corrected_rate",
    "report": "make_report",
    "survey": "survey",
}
"""The function behind each command."""
READ_BY_THE_COMMAND = {"duplicates", "labels", "question"}
"""Options of reading that some functions have as well, for data in memory."""


def commands():
    """Every command by its name in OPTIONS."""
    waiting = list(_root([]).commands.values())
    while waiting:
        command = waiting.pop()
        inner = getattr(command, "commands", {})
        waiting += inner.values()
        if not inner:
            yield command_name(command.callback), command


COMMANDS = dict(commands())


@pytest.mark.parametrize("name", VERBS)
def test_a_command_has_the_defaults_of_its_function(name):
    of_function = signature(getattr(headcount, VERBS[name])).parameters
    flags = [each for each in COMMANDS[name].params if each.param_type_name == "option"]
    both = [each for each in flags if each.name in of_function.keys() - READ_BY_THE_COMMAND]
    assert both
    # Kinds go by their names. None, an empty list and nothing are the same.
    values = {each.name: of_function[each.name].default for each in both}
    defaults = {name: getattr(value, "name", value) for name, value in values.items()}
    differ = {
        each.name: (each.default, defaults[each.name])
        for each in both
        if not each.required and (each.default or None) != (defaults[each.name] or None)
    }
    assert differ == {}


def test_no_option_is_described_that_no_command_has():
    used = {
        key
        for name, command in COMMANDS.items()
        for each in command.params
        for key in (f"{name}.{each.name}", each.name)
    }
    assert set(options.OPTIONS) - used == set()


def test_the_home_says_what_the_help_says():
    for name, command in COMMANDS.items():
        for each in command.params:
            if each.param_type_name == "option":
                assert each.help == options.of(name, each.name).help
