"""Which column plays which part: by the name the user gives, or by the names people use."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Self

from headcount.data.vocabulary import number_of
from headcount.errors import DataError, QuestionsError, closest, either, meant, option, some
from headcount.io.tables import SomeRows, Table
from headcount.results.notes import Note, Severity

__all__ = [
    "EXPERT_WORDS",
    "REMARKS",
    "RECORD_WORDS",
    "RECORD_PARTS",
    "RECORD_ENDS",
    "ABOUT_MODELS",
    "SUMMARY_WORDS",
    "FACT_WORDS",
    "TRUTH_WORDS",
    "LABEL_WORDS",
    "SURVEY_TIMES",
    "SURVEY_WHO",
    "SURVEY_WORDS",
    "ABOUT_THEM",
    "ASPECTS",
    "PERSON_FACTS",
    "INDEX_NAME",
    "RATED_AT",
    "ROLES",
    "ReadAs",
    "find_role",
    "plain_name",
    "is_remark",
    "is_summary",
    "given_role",
    "find_roles",
    "check_roles",
    "described",
    "named_roles",
    "roles_of",
    "missing_role",
    "are_raters",
    "item_column",
    "rows_of_question",
    "which_question",
]


# Names that all readers know: what columns of each role are called, and those beside them.

EXPERT_WORDS = frozenset({"expert", "experts", "true", "yes", "1", "y", "t"})
"""How a column says that a rater is an expert."""

REMARKS = frozenset(
    {
        "text", "reason", "reasoning", "rationale", "explanation", "comment", "comments", "prompt",
        "input", "output", "completion", "raw", "raw_output", "critique", "feedback", "timestamp",
        "note", "notes", "url", "link", "title", "sentence", "tweet", "comment_text", "created_at",
        "updated_at", "date_created", "inputs", "outputs", "reference_outputs", "user_input",
        "retrieved_contexts", "contexts", "context", "instruction", "conversation", "messages",
        "essay", "paragraph", "body", "content", "description", "full_text", "headline", "article",
        "abstract", "passage", "review", "review_text", "message", "snippet", "caption",
        "question_text", "document_text", "answer_text", "post_text", "remark", "remarks",
        "justification", "kommentar", "kommentare", "bemerkung", "bemerkungen", "anmerkung",
        "begründung", "notiz", "notizen", "commentaire", "commentaires", "remarque", "remarques",
        "justificación", "comentario", "comentarios", "observaciones", "commento", "note_libre",
        "备注", "评论", "说明", "理由", "文本", "コメント", "комментарий",
    }
)  # fmt: skip
"""What columns are called that hold neither ratings nor predictions."""

RECORD_WORDS = frozenset(
    {
        "status", "state", "error", "errors", "latency", "duration", "cost", "tokens", "index",
        "inner", "created", "updated", "updated_by", "created_by", "project", "file_upload",
        "user", "username", "email", "worker", "annotator", "split", "source", "language", "lang",
        "version", "model_version", "temperature", "seed", "row", "row_number", "line", "uuid",
        "hash", "metadata", "ip", "ip_address", "date", "time", "comment_authors", "provider",
        "dataset", "rubric", "experiment", "attempt", "attempts", "retries", "top_p", "top_k",
        "finish_reason", "stop_reason", "engine", "deployment", "benchmark", "topic", "domain",
        "correct", "is_correct", "matches", "author", "authors", "speaker", "writer", "journalist",
        "outlet", "publisher", "platform", "subreddit", "genre", "newspaper", "dialect", "channel",
        "prompt_name", "template", "elapsed", "price", "usage", "datum", "sprache",
    }
)  # fmt: skip
RECORD_PARTS = frozenset(
    {
        "tokens", "cost", "latency", "price", "elapsed", "duration", "runtime", "usd", "eur",
        "logprob", "logprobs", "perplexity", "spent", "likes", "retweets", "upvotes", "downvotes",
        "views", "clicks",
    }
)  # fmt: skip
RECORD_ENDS = (
    "_id", "_ids", "_uuid", "_hash", "_at", "_time", "_date", "_ms", "_seconds", "_count",
    "_tokens", "_cost", "_number", "_status", "_url", "_version", "_agent", "_annotations",
    "_predictions",
)  # fmt: skip
"""What columns are called, what is in their names, and how they end, that say how and when a record
came to be."""
ABOUT_MODELS = frozenset(
    {
        "model", "model_name", "model_id", "judge_model", "judge_name", "system", "classifier",
        "classifier_name", "method", "run", "task", "criteria", "criterion", "metric",
        "annotator_type", "group", "condition", "batch", "round", "set", "type", "kind", "n",
        "modell", "modèle", "modelo",
    }
)  # fmt: skip
"""What columns beside predictions are called that say of whom or of what they are."""

SUMMARY_WORDS = frozenset(
    {
        "total", "totals", "grand_total", "sum", "sums", "mean", "means", "average", "avg",
        "median", "mode", "std", "sd", "stdev", "variance", "min", "max", "majority",
        "majority_vote", "majority_label", "consensus", "consensus_label", "adjudicated",
        "adjudication", "adjudicated_label", "final_label", "final_decision", "gold",
        "gold_label", "gold_standard", "truth", "ground_truth", "true_label", "agreement",
        "adjudicator", "arbiter",
        "percent_agreement", "annotator_count", "rater_count", "n_annotations", "num_annotations",
        "n_votes", "num_votes", "n_ratings", "num_ratings", "n_raters", "num_raters",
        "n_annotators", "num_annotators", "final",
        "final_code", "final_score", "final_rating", "resolved", "agreed", "agreed_label",
        "correct_answer", "answer_key", "reference_label", "expected_label", "correct_label",
        "y_true", "difference", "diff", "range", "match", "matches", "mittelwert", "durchschnitt",
        "summe", "gesamt", "moyenne", "somme", "promedio", "suma", "totale", "gemiddelde", "kappa",
        "cohen's_kappa", "cohens_kappa", "fleiss_kappa", "icc", "krippendorff's_alpha", "std_dev",
        "standard_deviation", "std_dev_", "st_dev", "count_of_items", "n_items", "reconciled",
        "reconciliation", "tiebreak", "tiebreaker", "tie_break", "tie_breaker", "konsens",
        "konsensus", "mehrheit", "referenz", "musterlösung", "goldstandard", "consensus_final",
        "consenso", "mayoría", "vérité", "référence", "majorité", "verdad", "referencia",
        "标准答案", "参考答案", "正确答案", "真值", "金标准", "最终", "最终标签", "多数", "合计",
        "总计", "平均", "平均分", "正解", "多数決", "итог", "среднее",
    }
)  # fmt: skip
"""What columns beside raters are called that were made of their ratings or are the truth, and rows
below the items."""
SUMMARY_PARTS = frozenset(
    {
        "mean", "average", "avg", "median", "total", "majority", "consensus", "adjudicated",
        "gold", "truth", "resolved", "agreed", "final", "mittelwert", "durchschnitt", "moyenne",
    }
)  # fmt: skip
"""Words in the names of such columns: ``mean_score``, ``Resolved code``."""

FACT_WORDS = frozenset(
    {
        "weight", "weights", "n", "count", "round", "batch", "page", "condition", "group", "block",
        "fold", "session", "position", "trial", "wave", "phase", "stratum", "cluster", "length",
        "words", "n_words", "word_count", "n_chars", "age", "year", "week", "month", "confidence",
        "certainty", "duration", "seconds", "minutes", "reference", "expected", "target",
        "version", "priority", "set", "part", "section", "chapter", "line", "order", "rank",
        "result", "results", "outcome", "decision", "verdict", "model_score",
        "difficulty", "stars", "helpful_votes", "complexity", "readability", "popularity",
        "ergebnis", "entscheidung",
        "résultat", "décision", "resultado", "decisión", "结果", "master",
    }
)  # fmt: skip
"""What columns beside raters are called that say something of an item, in numbers like ratings."""

TRUTH_WORDS = frozenset(
    {
        "gold", "gold_label", "gold_standard", "truth", "ground_truth", "true_label", "y_true",
        "target", "expected", "expected_label", "reference_label", "correct_label", "human",
        "human_label", "human_rating", "human_score", "human_verdict", "human_judgment",
        "human_annotation", "majority", "majority_vote", "consensus",
    }
)  # fmt: skip
"""What a column beside predictions is called that holds the truth, or what people say."""

LABEL_WORDS = frozenset(
    {
        "yes", "no", "maybe", "unsure", "true", "false", "positive", "negative", "neutral", "pos",
        "neg", "neu", "mixed", "toxic", "nontoxic", "non_toxic", "not_toxic", "severe_toxic", "ok",
        "safe", "unsafe", "spam", "ham", "hate", "hateful", "offensive", "normal", "abusive",
        "insult", "threat", "obscene", "identity_hate", "entailment", "contradiction", "agree",
        "disagree", "strongly_agree", "strongly_disagree", "correct", "incorrect", "relevant",
        "irrelevant", "not_relevant", "good", "bad", "low", "medium", "high", "other", "none",
        "supports", "refutes", "neither", "hate_speech", "approve", "reject", "like", "dislike",
        "acceptable", "unacceptable", "present", "absent", "real", "fake", "rude", "polite",
        "civil", "uncivil",
        "funny", "sarcastic", "biased", "unbiased", "helpful", "unhelpful", "harmful", "harmless",
        "factual", "opinion", "happy", "sad", "angry", "anger", "joy", "fear", "male", "female",
        "pass", "fail", "red", "green", "blue", "e", "n", "c", "r",
    }
)  # fmt: skip
"""What labels are called; where columns are, they count labels and are not raters."""

SURVEY_TIMES = frozenset(
    {
        "timestamp", "start_time", "completion_time", "start_date", "end_date", "startdate",
        "enddate", "submitted_at", "submission_date", "submit_date", "date_submitted",
        "zeitstempel", "horodateur", "marca_temporal", "start_date_(utc)", "submit_date_(utc)",
        "stage_date_(utc)", "_submission_time", "submitdate", "datestamp",
    }
)  # fmt: skip
"""What the columns of survey tools are called that say when a respondent answered."""
SURVEY_WHO = (
    "respondent_id", "response_id", "email_address", "email", "username", "id", "name", "#",
    "_submitted_by", "_uuid", "network_id",
)  # fmt: skip
"""What their columns are called that say who, likeliest first."""
SURVEY_WORDS = frozenset(
    {
        *SURVEY_TIMES, *SURVEY_WHO, "collector_id", "ip_address", "first_name", "last_name",
        "custom_data_1", "last_modified_time", "duration", "duration_(in_seconds)",
        "response_type", "tags", "ending", "start", "end", "_id", "_validation_status", "_notes",
        "_status", "__version__", "_tags", "_index", "lastpage", "last_page", "startlanguage",
        "start_language", "seed", "ipaddr", "refurl", "token", "interviewtime", "total_time",
        "date_last_action", "date_started", "referrer_url",
    }
)  # fmt: skip
"""What their other columns of respondents are called; those that are left ask questions."""

ABOUT_THEM = re.compile(
    r"\b(consent|gender|sex|age|years old|how old|born|birth|education|educational|degree|"
    r"schooling|ethnicity|ethnic|race|country|nationality|citizenship|native|first language|"
    r"mother tongue|english proficiency|proficiency|income|employment|employed|occupation|"
    r"profession|job|religion|political|politics|party|marital|relationship status|children|"
    r"household|region|state of residence|zip|postcode|postal code|handedness|experience|expertise|"
    r"your name|prolific|attention|captcha|bot check|comments|feedback)\b",
    re.IGNORECASE,
)
"""Words of questions about respondents, of those that check them, and of remarks."""

PERSON_FACTS = frozenset(
    {
        "age", "gender", "sex", "country", "nationality", "native_language", "first_language",
        "mother_tongue", "language", "native_speaker", "education", "degree", "occupation", "job",
        "ethnicity", "race", "religion", "income", "experience", "experience_(years)", "years",
        "years_of_experience", "expertise", "role", "group", "team", "condition", "cohort",
        "batch", "date", "time", "duration", "seconds", "minutes", "site", "department",
        "affiliation", "institution", "email", "name", "first_name", "last_name", "consent",
        "alter", "geschlecht", "land", "sprache", "bildung", "muttersprache", "gender_id",
        "age_group", "region", "state", "city", "politics", "party", "comment", "comments",
        "notes", "total", "mean", "sum", "average",
    }
)  # fmt: skip
"""What columns are called that say something of raters, where these are the rows."""

ASPECTS = frozenset(
    {
        "helpfulness", "helpful", "honesty", "honest", "harmlessness", "harmless", "correctness",
        "coherence", "complexity", "verbosity", "fluency", "relevance", "relevancy", "clarity",
        "accuracy", "quality", "overall", "overall_quality", "consistency", "faithfulness",
        "factuality", "informativeness", "conciseness", "completeness", "creativity", "grammar",
        "style", "tone", "toxicity", "safety", "instruction_following", "truthfulness",
        "groundedness", "naturalness", "engagingness", "depth", "adequacy", "readability",
        "usefulness", "politeness", "empathy", "specificity", "originality", "organization",
        "humor", "sarcasm", "valence", "arousal", "dominance", "severity", "confidence",
    }
)  # fmt: skip
"""What is asked of items; columns of such names are questions, and no raters."""

RATED_AT = re.compile(
    r"(?i)pre|post|before|after|retest|baseline|"
    r"(?:round|time|wave|session|day|week|phase)[_ .#-]?\d+"
)
"""Names of times at which something was rated; columns and sheets of such names are not raters."""

_RATER = re.compile(
    r"(?i)(?:rater|r|annotator|ann|coder|c|judge|j|worker|w|labell?er|l|expert|e|person|p|user|u|"
    r"model|reviewer|assessor|participant|observer|human|h|subject|s|respondent|crowd|a|teacher|"
    r"grader|marker|examiner|evaluator|scorer|reader|manager|doctor|physician|clinician|nurse|"
    r"radiologist|pathologist|interviewer)"
    r"[_ .#-]?(?:\d+|[a-h])|[a-h]"
)
"""Names of raters: numbered ones, or letters."""

INDEX_NAME = re.compile(r"(?i)unnamed: ?\d+(?:[._]\w+)*|index|level_\d+|row[_ .]?names?")
"""Names under which programs write the numbers of rows."""

ROLES: dict[str, tuple[str, ...]] = {
    "item": (
        "item", "item_id", "items", "task", "task_id", "custom_id", "unit", "unit_id",
        "example", "example_id", "comment_id", "doc_id", "document_id", "text_id", "image_id",
        "hit_id", "hitid", "doc", "document", "image", "sample", "sample_id", "prompt_id",
        "query_id", "question_id", "id", "uid", "question", "idx", "key", "filename", "file_name",
    ),
    "rater": (
        "rater", "rater_id", "worker", "worker_id", "workerid", "annotator", "annotator_id",
        "performer", "coder", "coder_id", "assessor", "assessor_id", "labeler", "labeller",
        "judge", "judge_id", "judgeid", "reviewer", "participant", "participant_id", "respondent",
        "observer", "user", "user_id", "username", "voter", "voter_id", "who", "rated_by",
        "labelled_by", "labeled_by", "annotated_by", "coded_by", "rater_name", "annotator_name",
        "coder_name", "worker_name", "reviewer_name",
    ),
    "label": (
        "label", "labels", "rating", "answer", "response", "annotation", "judgment", "judgement",
        "class", "category", "choice", "vote", "grade", "score", "value", "prediction", "verdict",
    ),
    "truth": ("gold", "truth", "true", "gold_label", "true_label", "ground_truth", "label"),
    "classifier": ("classifier", "classifier_id", "model", "model_id", "system", "judge", "method"),
    "group": ("group", "team", "family"),
    "pool": ("pool", "expert", "experts", "expertise", "group", "role", "type"),
    "probability": ("probability", "prob", "proba", "p"),
    "left": (
        "left", "left_id", "left_item", "model_a", "item_a", "id_a", "option_a", "player_a",
        "text_a", "item_1", "item1", "player_1", "player1", "generator_1", "model_1", "system_a",
        "system_1", "system_left", "model_left", "home_team", "hometeam", "home",
        "white", "first", "a", "x", "links", "gauche", "izquierda", "sinistra", "左",
    ),
    "right": (
        "right", "right_id", "right_item", "model_b", "item_b", "id_b", "option_b", "player_b",
        "text_b", "item_2", "item2", "player_2", "player2", "generator_2", "model_2", "system_b",
        "system_2", "system_right", "model_right", "away_team", "awayteam", "away",
        "black", "second", "b", "y", "rechts", "droite", "derecha", "destra", "右",
    ),
    "outcome": (
        "outcome", "winner", "label", "result", "preference", "preferred", "choice", "answer",
        "vote", "response", "judgment", "judgement", "verdict", "better", "selected", "selection",
        "pick", "win", "ftr", "score_a", "score", "gewinner", "gagnant", "ganador", "vincitore",
        "ergebnis", "résultat", "resultat", "resultado", "risultato", "胜者", "勝者",
    ),
    "winner": (
        "winner", "winner_name", "winner_id", "winner_model", "winning_item", "won", "chosen_model",
    ),
    "loser": (
        "loser", "loser_name", "loser_id", "loser_model", "losing_item", "lost", "rejected_model",
    ),
    "tie": ("tie", "is_tie", "draw", "is_draw", "tied"),
    "asked": (
        "question", "question_id", "question_name", "aspect", "criterion", "criteria", "dimension",
        "attribute", "field", "metric",
    ),
    "weight": ("weight", "weights", "sample_weight"),
    "times": (
        "n", "count", "counts", "freq", "frequency", "times", "num", "cases", "n_times", "votes",
    ),
}  # fmt: skip
"""Names by which columns are recognised, likeliest first."""


# Which column plays which part: by the name the user gives, or by the names people use.


class ReadAs(Note):
    """A note on how a table was read, with the names of the columns that play roles in it.

    Examples
    --------
    >>> note = ReadAs("r.csv: item = 'id'.", {"item": "id"})
    >>> note, note.roles
    ("r.csv: item = 'id'.", {'item': 'id'})
    """

    roles: dict[str, str]

    def __new__(
        cls, text: str, roles: Mapping[str, str], severity: Severity = "info", *, short: str = ""
    ) -> Self:
        """Keep the roles with the text."""
        made = super().__new__(cls, text, severity, short=short)
        made.roles = dict(roles)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(ReadAs, short=self.short), (self.marked, self.roles, self.severity)


LAYOUTS = (
    " Comparisons have columns left, right and outcome, or winner and loser; rankings have a "
    "column for each place (rank1, rank2, ...), or a column for the rank of each item "
    "(apple_rank, pear_rank, ...); if each row has one item and its rank, reshape it to such "
    "columns."
)
"""What a table may look like in which no column is the left item."""


def find_role(names: Sequence[str], role: str, *, besides: int | None = None) -> int | None:
    """Position of the column that plays a role, by its name; None if no name fits.

    `besides` is a column that plays another role.

    Examples
    --------
    >>> find_role(["Task ID", "worker", "text"], "item")
    0
    """
    plain = [plain_name(name) for name in names]
    for known in ROLES[role]:
        if known in plain and plain.index(known) != besides:
            return plain.index(known)
    if role == "item":  # tweet_id, where no other column is called so
        others = SURVEY_WORDS.union(PERSON_FACTS, *ROLES.values())
        ids = [i for i, name in enumerate(plain) if name.endswith("_id") and name not in others]
        return ids[0] if len(ids) == 1 and ids[0] != besides else None
    return None


def plain_name(name: str) -> str:
    """Write the name of a column as those that are known are written.

    Examples
    --------
    >>> plain_name(" Task ID")
    'task_id'
    """
    return re.sub(r"[\s.\-]+", "_", name.strip().lower())


REMARK_ENDS = ("_confidence", "_certainty", "_time", "_seconds", "_duration", "_timestamp", "_date")
"""How columns end that say something of another: ``ann_confidence`` beside ``ann``."""


def is_summary(name: str) -> bool:
    """Whether a column is called the truth, or what was made of ratings: ``mean_score``."""
    return name in SUMMARY_WORDS or bool("_" in name and {*name.split("_")} & SUMMARY_PARTS)


def is_remark(name: str, others: Collection[str]) -> bool:
    """Whether a column holds remarks, by its plain name: a comment, or a reason for another column.

    Examples
    --------
    >>> is_remark("comment", []), is_remark("ann_reason", ["ann"]), is_remark("ann", ["bob"])
    (True, True, False)
    """
    stem, _, last = name.rpartition("_")
    if name in REMARKS or (stem and last in REMARKS and stem in others):
        return True
    if stem and last in ("comment", "comments", "notes", "reasoning", "rationale", "explanation"):
        return True
    return any(name.endswith(end) and name.removesuffix(end) in others for end in REMARK_ENDS)


def given_role(table: Table, role: str, name: object) -> int:
    """Position of the column that the user named for a role, if it has one."""
    name = str(name)  # pandas' names may be numbers
    if name in table.names:
        return table.names.index(name)
    raise DataError(
        f"{table.source} has no column '{name}'{f' for the {role}' * bool(role)}."
        f"{meant(name, table.names)} Columns: {some(table.names, 12)}."
    )


def find_roles(table: Table, given: Mapping[str, str | None]) -> dict[str, int]:
    """Columns by role: those that the user named, and those of others that names tell."""
    places = {
        role: find_role(table.names, role) if name is None else given_role(table, role, name)
        for role, name in given.items()
    }
    return {role: place for role, place in places.items() if place is not None}


def check_roles(table: Table, roles: Mapping[str, int], needed: Sequence[str]) -> None:
    """Refuse a table in which no column plays a role that is needed, or one plays two."""
    for role in needed:
        if role not in roles:
            raise missing_role(table, role, roles)
    if len(set(roles.values())) < len(roles):
        names = [option(role) for role in needed or roles]
        raise DataError(
            f"{table.source}: the same column cannot play two roles; {described(table, roles)}. "
            f"Name the columns with {', '.join(names[:-1])} and {names[-1]}."
        )


def described(table: Table, roles: Mapping[str, int]) -> str:
    """Write which column plays which role."""
    return ", ".join(f"{role} = '{name}'" for role, name in named_roles(table, roles).items())


def named_roles(table: Table, roles: Mapping[str, int]) -> dict[str, str]:
    """Names of the columns that play roles."""
    return {role: table.names[column] for role, column in roles.items()}


def roles_of(notes: Iterable[Note]) -> dict[str, str]:
    """Columns by role, of notes on how a table was read."""
    found: dict[str, str] = {}
    for note in notes:
        if isinstance(note, ReadAs):
            found |= note.roles
    return found


def missing_role(table: Table, role: str, roles: Mapping[str, int]) -> DataError:
    """Error for a role that no column plays, with the columns that come closest."""
    taken = {table.names[column] for column in roles.values()}
    free = [name for name in table.names if name not in taken]
    known = {other for others in ROLES.values() for other in others}  # a typing error is none
    free = [name for name in free if plain_name(name) not in known]
    near = next((name for name in free if closest(name, ROLES[role], cutoff=0.75)), None)
    hint = f" Did you mean '{near}'?" if near else ""
    of = " item" if role in ("left", "right") else ""
    more = LAYOUTS if role == "left" else ""
    return DataError(
        f"{table.source}: no column found for the {role}{of}.{hint} Columns: "
        f"{some(table.names, 12)}. "
        f"Name it with {option(role, '...')}.{more}"
    )


def are_raters(names: Sequence[str]) -> bool:
    """Whether columns are all called as raters are."""
    return len(names) > 1 and all(map(_RATER.fullmatch, names))


def item_column(table: Table, item: str | None = None) -> int:
    """Find the item column of a wide table: the one named, one that is called so, or the first."""
    if item is not None:
        return given_role(table, "item", item)
    column = find_role(table.names, "item")
    if column is not None:
        return column
    if (index := table.index_name()) is not None:
        raise DataError(
            f"{table.source}: the frame's index ('{index}') is not read. Call .reset_index() to "
            "make it the item column."
        )
    # Behind numbers of rows, the item is beside columns called as raters are, or texts that differ.
    first, *others = table.names
    if len(others) > 1 and (first in ("", "row") or INDEX_NAME.fullmatch(first)):
        plain = list(map(plain_name, others))
        named = [n for n, p in zip(others, plain, strict=True) if not is_remark(p, plain)]
        named = [name for name in named if not is_summary(plain_name(name))]
        if named[:1] == others[:1] and are_raters(["r1", *named[1:]]) and not are_raters(named):
            return 1
        texts = [] if 1 in table.nested() else table.codes(1)[1]
        if len(texts) == table.rows and all(number_of(text) is None for text in texts):
            return 1
        is_long = any(find_role(others, role) is not None for role in ("rater", "label"))
        ids = [name for name in named if name and _may_be_ids(table, table.names.index(name))]
        if ids and not is_long:  # else that is said
            ways = " or ".join(option("item", name) for name in ids[:3])
            raise DataError(
                f"{table.source}: '{first}' may only number the rows, and {some(ids)} differs in "
                f"each, as ids do. Say {ways}; or {option('item', first)} if each other column is "
                "a rater."
            )
    return 0


LEAST_IDS = 5
"""Rows that show that a column differs in each."""


def _may_be_ids(table: Table, column: int) -> bool:
    """Whether a column holds another whole number in each row."""
    if column in table.nested() or table.rows < LEAST_IDS:
        return False
    texts = table.codes(column)[1]
    numbers = [number_of(text) for text in texts]
    return len(texts) == table.rows and not any(n is None or n % 1 for n in numbers)


# Several questions in one table: which one is read.


def rows_of_question(table: Table, column: int, question: str) -> Table:
    """Keep the rows of one question, of which a column names the questions."""
    codes, texts = table.codes(column)
    if question not in texts:
        raise which_question(table.source, texts, question)
    return SomeRows(table, codes == texts.index(question), "another question")


def which_question(source: str, questions: Sequence[str], question: str | None) -> DataError:
    """Error for a question that was not chosen, or is not there: the questions are listed."""
    if question is None:
        return QuestionsError(
            f"{source}: {len(questions)} questions have answers: {some(questions, 20)}. Choose "
            f"one: {either([option('question', name) for name in questions[:4]])}.",
            dict.fromkeys(questions, ()),
        )
    error = DataError(
        f"{source}: no question '{question}'.{meant(question, questions)} Questions: "
        f"{some(questions, 20)}."
    )
    error.option = "question"
    return error
