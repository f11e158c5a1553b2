"""Names that all readers know: what columns of each role are called, and those beside them."""

from __future__ import annotations

import re

__all__ = [
    "ABOUT_MODELS",
    "ABOUT_THEM",
    "ASPECTS",
    "EXPERT_WORDS",
    "FACT_WORDS",
    "LABEL_WORDS",
    "NO_PERSONS",
    "RATED_AT",
    "RECORD_ENDS",
    "RECORD_PARTS",
    "RECORD_WORDS",
    "REMARKS",
    "ROLES",
    "SUMMARY_PARTS",
    "SUMMARY_WORDS",
    "SURVEY_TIMES",
    "SURVEY_WHO",
    "SURVEY_WORDS",
    "TRUTH_WORDS",
]

EXPERT_WORDS = frozenset({"expert", "experts", "true", "yes", "1", "y", "t"})
"""How a column says that a rater is an expert."""

REMARKS = frozenset(
    {
        "text", "reason", "reasoning", "rationale", "explanation", "comment", "comments", "prompt",
        "input", "output", "completion", "raw", "raw_output", "critique", "feedback", "timestamp",
        "note", "notes", "url", "link", "title", "sentence", "tweet", "comment_text", "created_at",
        "updated_at", "date_created", "inputs", "outputs", "reference_outputs", "user_input",
        "retrieved_contexts", "contexts", "context", "instruction", "conversation", "messages",
        "essay", "paragraph", "body", "content", "description", "full_text",
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
        "prompt_name", "template", "elapsed", "price", "usage", "datum", "sprache",
    }
)  # fmt: skip
RECORD_PARTS = frozenset(
    {
        "tokens", "cost", "latency", "price", "elapsed", "duration", "runtime", "usd", "eur",
        "logprob", "logprobs", "perplexity",
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
        "model", "model_name", "model_id", "judge", "judge_model", "judge_name", "llm", "system",
        "classifier", "classifier_name", "method", "run", "task", "criteria", "criterion",
        "metric", "response", "answer", "choice", "category", "n", "modell", "modèle", "modelo",
        "annotator_type", "group", "condition", "batch", "round", "set", "type", "kind",
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
        "result", "results", "outcome", "decision", "verdict", "ergebnis", "entscheidung",
        "résultat", "décision", "resultado", "decisión", "结果", "master",
    }
)  # fmt: skip
"""What columns beside raters are called that say something of an item, in numbers like ratings."""

NO_PERSONS = frozenset(
    {
        "gold",
        "gold_label",
        "gold_standard",
        "truth",
        "ground_truth",
        "true_label",
        "majority",
        "majority_vote",
        "majority_label",
        "consensus",
        "adjudicated",
        "adjudication",
        "adjudicator",
        "arbiter",
        "tiebreaker",
    }
)
"""What is called a rater in long data, and is the truth or what raters said together."""

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
        "supports", "refutes", "approve", "reject", "like", "dislike", "acceptable",
        "unacceptable", "present", "absent",
    }
)  # fmt: skip
"""What labels are called; where columns are, they count labels and are no raters."""

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
    r"(?i)(?:pre|post|before|after|test|retest|baseline|follow[_ -]?up|vorher|nachher|avant|après|"
    r"(?:round|time|wave|session|day|week|phase|runde|pass)[_ .#-]?\d+)(?:[_ .-]?test)?"
)
"""Names of times at which something was rated; columns of such names are no raters."""

ROLES: dict[str, tuple[str, ...]] = {
    "item": (
        "item", "item_id", "items", "task", "task_id", "custom_id", "id", "unit", "unit_id",
        "example", "example_id", "question", "question_id", "comment_id", "doc_id", "document_id",
        "text_id", "image_id", "hit_id", "hitid", "doc", "document", "image", "sample", "sample_id",
        "uid", "prompt_id", "query_id", "idx", "key",
    ),
    "rater": (
        "rater", "rater_id", "worker", "worker_id", "workerid", "annotator", "annotator_id",
        "performer", "coder", "coder_id", "assessor", "assessor_id", "labeler", "labeller",
        "judge", "judge_id", "reviewer", "participant", "participant_id", "respondent",
        "observer", "user", "user_id", "username", "voter", "voter_id",
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
        "winner", "winner_id", "winner_model", "winning_item", "won", "chosen_model", "chosen",
    ),
    "loser": (
        "loser", "loser_id", "loser_model", "losing_item", "lost", "rejected_model", "rejected",
    ),
    "tie": ("tie", "is_tie", "draw", "is_draw", "tied"),
    "asked": (
        "question", "question_id", "question_name", "aspect", "criterion", "criteria", "dimension",
        "attribute", "field", "metric",
    ),
    "weight": ("weight", "weights", "sample_weight"),
    "times": ("n", "count", "counts", "freq", "frequency", "times", "num", "cases", "n_times"),
}  # fmt: skip
"""Names by which columns are recognised, likeliest first."""
