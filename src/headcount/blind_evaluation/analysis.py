"""Blind evaluation, step by step: what is checked, prepared, scored and judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from headcount import options
from headcount.blind_evaluation.checks import check_min_labels, tell_few_items
from headcount.blind_evaluation.consensus.labels import label_items
from headcount.blind_evaluation.crowds.analysis import analyse_crowd
from headcount.blind_evaluation.crowds.crowd import Crowd
from headcount.blind_evaluation.evidence import Evidence, Plan, gather
from headcount.blind_evaluation.final_ranking import ENOUGH_ITEMS, Judging, choose_judge
from headcount.blind_evaluation.gold import OnGold, judge_by_gold
from headcount.blind_evaluation.methods.base import Method
from headcount.blind_evaluation.methods.catalogue import (
    DIRECT,
    LABELLING,
    choose_labelling,
    choose_methods,
)
from headcount.blind_evaluation.methods.em import em_summary
from headcount.blind_evaluation.methods.tasks import Settings, Task
from headcount.blind_evaluation.metrics import choose_metrics
from headcount.blind_evaluation.prepare import People, Prepared, prepare_any
from headcount.blind_evaluation.records import BlindProvenance
from headcount.blind_evaluation.result import BlindResult
from headcount.errors import OptionError, count, option
from headcount.results.notes import Notes, few_draws
from headcount.typing import Seed

__all__ = ["analyse"]


def analyse(labels: Any, given: Mapping[str, Any]) -> BlindResult:
    """Check the options of :func:`headcount.blind`, by name; score, diagnose and judge."""
    level, progress = options.level(given["level"]), options.callback(given["progress"])
    compare = options.switch(given["compare"], "compare")
    if compare and given["gold"] is None:
        raise OptionError(f"a comparison needs gold labels: give them with {option('gold', ...)}.")
    settings = _settings(given)
    min_labels = options.whole(given["min_labels"], "min_labels", least=0)
    notes, found_notes = Notes(), Notes()
    people = People(
        **{name: given[name] for name in ("gold", "crowd", "groups", "group_pattern", "at_least",
                                          "abstain", "confusion")}
    )  # fmt: skip
    data = prepare_any(labels, people, seed=settings.seed, notes=notes, progress=progress)
    if isinstance(data, Crowd):
        return analyse_crowd(data, given, settings, level=level, notes=notes)
    check_min_labels(data.votes.labelled, min_labels)
    task = Task(
        votes=data.votes,
        metrics=choose_metrics(
            data.votes.labels, names=given["metrics"], positive=given["positive"]
        ),
        settings=settings,
        notes=found_notes,
    )
    chosen = choose_methods(
        given["methods"],
        groups=bool(data.votes.groups),
        gold=data.is_informed,
        learn=find_spec("sklearn") is not None,
    )
    labelling = choose_labelling(
        given["labels_by"], chosen, groups=bool(data.votes.groups), gold=data.is_informed
    )
    plan = Plan(
        chosen=chosen,
        labelling=labelling,
        level=level,
        people="crowd labels" if data.has_crowd else "gold",
        min_labels=min_labels,
    )
    evidence = gather(task, plan, progress)
    judge, why = choose_judge(chosen.values(), data.votes, evidence.diagnostics)
    on_gold = judge_by_gold(data, task, evidence, compare=compare)
    tell_few_items(data.votes.items, notes)
    if on_gold.contradiction is not None:
        notes.warning(on_gold.contradiction)
    _tell_unscored(judge, evidence, notes)
    judging = Judging(
        evidence=evidence, judge=judge, actual=on_gold.actual, labelling=labelling, notes=notes
    )
    judging.tell_few()
    # Signs of dependence on few items are noise; the first warning is enough there.
    signs = () if data.votes.items < ENOUGH_ITEMS else evidence.diagnostics.warnings
    for more in (signs, found_notes, few_draws(settings.bootstrap, level)):
        notes.extend(more)
    return BlindResult(
        classifiers=judging.classifiers,
        leaders=judging.leaders(),
        labels=label_items(labelling, evidence.scored[labelling.name], data.labels, data.votes),
        method=judge.name,
        why=why,
        contradiction=on_gold.contradiction,
        diagnostics=evidence.diagnostics,
        explanations=evidence.explanations,
        by_explanations=judging.explained is not None,
        panel=evidence.panel,
        comparison=on_gold.comparison,
        em={
            name: em_summary(fit, data.votes.labels)
            for name in evidence.shown
            if (fit := evidence.scored[name].fit) is not None
        },
        methods=chosen,
        notes=tuple(notes),
        provenance=replace(
            _provenance(data, task, evidence, on_gold, options.seed_number(given["rng"])),
            min_labels=min_labels,
        ),
    )


def _tell_unscored(judge: Method, evidence: Evidence, notes: Notes) -> None:
    """Say that classifiers have no rank because none of their items has gold."""
    without = int(np.isnan(evidence.scored[judge.name].scores[0]).sum())
    total = len(evidence.votes.classifiers)
    if not judge.informed or not without or without == total:
        return
    tell = notes.warning if without > total / 2 else notes.caution
    tell(
        f"{without:,} of {count(total, 'classifier')} labelled no item with gold or crowd labels: "
        f"{judge.short} ranks the other {total - without:,} only. Rank all by votes "
        f"({option('methods', LABELLING.name)}), or have items of theirs labelled."
    )


def _settings(given: Mapping[str, Any]) -> Settings:
    return Settings(
        bootstrap=options.draws(given["bootstrap"]),
        sampling_draws=options.draws(given["sampling_draws"], "sampling_draws"),
        smoothing=options.number(given["smoothing"], "smoothing", least=0),
        restarts=options.whole(given["restarts"], "restarts", least=0),
        seed=_seed(given["rng"]),
    )


def _seed(rng: Seed) -> int:
    """Take a seed as it is, and draw one from a generator."""
    generator = options.seed(rng)
    number = options.seed_number(rng)
    return int(generator.integers(2**32)) if number is None else number


def _provenance(
    given: Prepared, task: Task, evidence: Evidence, on_gold: OnGold, seed: int | None
) -> BlindProvenance:
    votes, labels, positive = given.votes, given.labels, task.metrics.positive
    return BlindProvenance(
        source=labels.source,
        sources=labels.sources,
        dropped=labels.dropped,
        items_used=votes.items,
        items_dropped=labels.n_items - votes.items,
        n_ratings=len(labels),
        n_raters=len(votes.classifiers),
        labels=votes.labels,
        level=evidence.level,
        bootstrap=task.settings.bootstrap,
        seed=seed,
        backend=labels.backend,
        distinct_rows=len(votes.multiplicity),
        positive=None if positive is None else votes.labels[positive],
        metrics=task.metrics.names,
        methods=evidence.shown,
        gold_items=on_gold.items,
        crowd_items=DIRECT.items(votes) if given.has_crowd else 0,
    )
