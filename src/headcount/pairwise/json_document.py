"""The JSON document of pairwise comparisons."""

from __future__ import annotations

from typing import Any

from headcount.pairwise.ids import plain_id
from headcount.pairwise.records import Dropped, PairsRecord, RatedItem
from headcount.pairwise.spammers.result import raters_documents
from headcount.results.arrays import to_json

__all__ = ["document", "item_document"]


def document(result: PairsRecord) -> dict[str, Any]:
    """Write what is particular to it; what all documents share is in results/base.py."""
    p = result.provenance
    names = {key: [plain_id(n) for n in result.fit[key]] for key in ("undefeated", "winless")}
    return {
        "items": [item_document(i) for i in result.items],
        "raters": None if result.raters is None else raters_documents(result.raters),
        "dropped": None if result.dropped is None else _dropped(result.dropped),
        "agreement": None if result.agreement is None else result.agreement.to_dict(),
        "fit": {**result.fit, **names},
        "method": p.method,
        "ties": p.ties,
        "scale": p.scale,
        "label": p.label,
        "cut": p.cut,
        "n_items": p.n_items,
        "n_comparisons": p.n_comparisons,
        "n_ties": p.n_ties,
        "n_rankings": p.n_rankings,
        "n_raters": p.n_raters,
        "bootstrap_by": p.bootstrap_by if p.bootstrap else None,
    }


def item_document(i: RatedItem) -> dict[str, Any]:
    """Write one item."""
    rank = i.rank.to_dict()
    for key in ("value", "low", "high"):
        number = rank[key]
        rank[key] = int(number) if isinstance(number, float) else number
    return {
        "item": plain_id(i.item),
        "rating": i.rating.to_dict(),
        "rank": rank,
        "may_be_first": i.may_be_first,
        "label": i.label,
        "probability": i.probability,
        "comparisons": i.comparisons,
        "component": i.component,
    }


def _dropped(d: Dropped) -> dict[str, Any]:
    return {
        "raters": [plain_id(r) for r in d.raters],
        "comparisons": d.comparisons,
        "rank_correlation": to_json(d.rank_correlation),
        "moves": [
            {"item": plain_id(m.item), "before": m.before, "after": m.after} for m in d.moves
        ],
    }
