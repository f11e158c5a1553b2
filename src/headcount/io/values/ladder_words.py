"""Words of scales that are known, lowest first, in the languages in which files come."""

from __future__ import annotations

__all__ = ["LADDERS"]

_WRITTEN = (
    "very strongly disagree, strongly disagree|completely disagree|totally disagree, disagree, "
    "somewhat disagree|slightly disagree|mildly disagree, neutral|neither agree nor disagree|"
    "neither|undecided|unsure, somewhat agree|slightly agree|mildly agree, agree, "
    "strongly agree|completely agree|totally agree, very strongly agree",
    "never, almost never|very rarely, rarely|seldom, sometimes|occasionally, "
    "often|frequently, usually|very often, almost always, always",
    "terrible|awful|very bad|very poor, bad|poor, fair|average|acceptable|okay|ok|mediocre, "
    "good, very good, excellent|outstanding",
    "not at all, slightly|a little|a little bit, somewhat|moderately, quite|quite a bit, "
    "very|very much, extremely",
    "none|absent, minimal|very mild|trace, mild|slight, moderate, severe|marked, "
    "very severe|critical|extreme",
    "very low, low, medium|moderate|mid|average, high, very high",
    "very easy, easy, medium|moderate, hard|difficult, very hard|very difficult",
    "novice, beginner|basic, intermediate, advanced, expert",
    "trivial, minor, moderate|medium, major, critical|severe",
    "fail|failed, borderline|marginal|partial|partial pass, pass|passed",
    "unsafe, borderline|controversial, safe",
    "dislike, neutral|neither, like, love", "bad, neutral, good",
    "worst, worse, same|equal, better, best",
    "very unlikely|extremely unlikely, unlikely, possible|neutral|neither likely nor unlikely, "
    "likely, very likely|extremely likely",
    "irrelevant|not relevant|non-relevant, marginally relevant|slightly relevant, "
    "partially relevant|somewhat relevant, relevant, highly relevant|very relevant, "
    "perfectly relevant",
    "very dissatisfied, dissatisfied, neutral|neither satisfied nor dissatisfied, satisfied, "
    "very satisfied",
    "very negative, negative, neutral, positive, very positive",
    "strongly oppose, oppose, neutral, support, strongly support",
    "no, partially|partly|partial|in part|to some extent|somewhat, mostly|largely, yes|fully",
    "zero, one, two, three, four, five, six, seven, eight, nine, ten",
    "xxs, xs, s, m, l, xl, xxl, xxxl",
    "stimme überhaupt nicht zu|stimme gar nicht zu|stimme nicht zu|trifft überhaupt nicht zu|"
    "trifft gar nicht zu|trifft nicht zu, stimme eher nicht zu|trifft eher nicht zu, "
    "teils/teils|teils teils|weder noch|neutral|unentschieden, "
    "stimme eher zu|trifft eher zu, stimme zu|trifft zu, "
    "stimme voll und ganz zu|stimme voll zu|trifft voll und ganz zu|trifft voll zu|"
    "stimme vollkommen zu",
    "nie|niemals, selten, manchmal|gelegentlich, oft|häufig, meistens|sehr oft, immer",
    "ungenügend, mangelhaft, ausreichend, befriedigend, gut, sehr gut",
    "sehr schlecht, schlecht, mittel|mittelmäßig|mittelmässig|okay, gut, sehr gut",
    "sehr niedrig|sehr gering, niedrig|gering, mittel, hoch, sehr hoch",
    "gar nicht|überhaupt nicht, ein wenig|wenig, etwas|mittelmäßig, ziemlich, sehr, äußerst",
    "pas du tout d'accord, plutôt pas d'accord|pas d'accord, neutre|ni d'accord ni pas d'accord|"
    "sans opinion, plutôt d'accord, d'accord, tout à fait d'accord",
    "jamais, rarement, parfois|de temps en temps, souvent, toujours",
    "très mauvais, mauvais, moyen|passable, bon, très bon|excellent",
    "très faible, faible, moyen, élevé|fort, très élevé|très fort",
    "pas du tout, un peu, moyennement, beaucoup, énormément",
    "muy en desacuerdo|totalmente en desacuerdo, en desacuerdo, "
    "neutral|ni de acuerdo ni en desacuerdo|indiferente, de acuerdo, "
    "muy de acuerdo|totalmente de acuerdo",
    "nunca, casi nunca|rara vez, a veces|algunas veces, a menudo|frecuentemente, casi siempre, "
    "siempre",
    "muy malo, malo, regular, bueno, muy bueno|excelente",
    "muy bajo, bajo, medio, alto, muy alto",
    "discordo totalmente, discordo, neutro|não concordo nem discordo, concordo, "
    "concordo totalmente",
    "fortemente in disaccordo, in disaccordo, neutrale, d'accordo, fortemente d'accordo",
    "非常不同意|完全不同意|强烈不同意, 不同意|比较不同意, 一般|中立|不确定|普通, 同意|比较同意, "
    "非常同意|完全同意|强烈同意",
    "非常不满意, 不满意|比较不满意, 一般|中立, 满意|比较满意, 非常满意",
    "从不|从来没有, 很少, 有时, 经常, 总是",
    "很差|非常差, 差, 一般|中等, 好|良好, 很好|非常好|优秀",
    "全くそう思わない|まったくそう思わない, そう思わない|あまりそう思わない, "
    "どちらともいえない|どちらでもない, ややそう思う|そう思う, とてもそう思う|非常にそう思う",
    "低, 中, 高",
)  # fmt: skip

LADDERS = tuple(
    tuple(frozenset(step.split("|")) for step in ladder.split(", ")) for ladder in _WRITTEN
)
"""Scales, as steps; a step has several names."""
