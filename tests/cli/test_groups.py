from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from headcount.cli.groups import grouped


@dataclass(frozen=True, kw_only=True)
class Reading:
    where: Annotated[list[str] | None, typer.Option(help="Rows.")] = None
    format: Annotated[str | None, typer.Option("--format", help="Format.")] = None


def command(
    context: typer.Context,
    *,
    file: Annotated[str, typer.Argument()],
    level: float = 0.95,
    reading: Reading,
    quiet: Annotated[bool, typer.Option("-q")] = False,
) -> None:
    """Show what was given."""
    typer.echo(f"{context.info_name} {file} {level} {reading} {quiet}")


@pytest.fixture
def app() -> typer.Typer:
    app = typer.Typer(rich_markup_mode=None)
    app.command("it")(grouped(command))
    return app


def test_the_command_is_given_its_groups(app):
    done = CliRunner().invoke(app, ["a.csv", "--where", "x=1", "--where", "y=2", "-q"])
    assert done.output == f"it a.csv 0.95 {Reading(where=['x=1', 'y=2'])} True\n"


def test_options_stand_in_the_help_where_the_group_stands(app):
    text = CliRunner().invoke(app, ["--help"]).output
    assert "Show what was given." in text
    places = [text.index(flag) for flag in ("--level", "--where", "--format", "-q")]
    assert places == sorted(places)
