"""The pages: a rater's and the owner's, as plain forms, and who may open them."""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache, wraps
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from unicodedata import category

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from headcount.collect.plan import SIDES
from headcount.collect.store import Shown, Store
from headcount.errors import HeadcountError, count
from headcount.results.tables import visible

if TYPE_CHECKING:
    from jinja2 import Environment
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from headcount.collect.monitor import Monitor

__all__ = ["Guard", "Site", "make_app"]

MOST_BODY, MOST_NOTE, MOST_NAME = 64_000, 2_000, 100
"""Bytes of a request; letters of a note, and of the name of a participant."""
RATE, BURST = 40.0, 120.0
"""Requests a second of one link, in the long run and at once."""
MOST_PARTICIPANTS = 20_000
YEAR = 365 * 24 * 3600
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
STATIC = {
    "collect.css": "text/css",
    "collect.js": "text/javascript",
    "result.css": "text/css",
}
"""The only files that are served, by name."""
KEYS = {"yes": "y", "no": "n", SIDES[0]: "ArrowLeft", SIDES[1]: "ArrowRight", SIDES[2]: "ArrowDown"}
"""Keys that labels have besides their number."""
HINTS = {"ArrowLeft": "←", "ArrowRight": "→", "ArrowDown": "↓"}
IN_WORDS = {"left": "Left", "right": "Right", "tie": "Equal"}


class Site:
    """Everything that requests share.

    Parameters
    ----------
    store : Store
    hosts : collection of str
        Values of the Host header that are answered.
    monitor : Monitor
        What is known so far, for the owner's page.
    secure : bool
        Whether visitors come by TLS, so that cookies are for TLS only.
    """

    def __init__(
        self, store: Store, hosts: Sequence[str], monitor: Monitor, *, secure: bool = False
    ) -> None:
        self.store, self.monitor, self.secure = store, monitor, secure
        self.hosts = frozenset(host.lower() for host in hosts)
        self.cookie = f"headcount_{store.get('name')}"
        self._buckets: dict[str, tuple[float, float]] = {}
        self._left: dict[int, tuple[float, int, int]] = {}

    def allows(self, who: str, *, rate: float = RATE, burst: float = BURST) -> bool:
        """Whether somebody may ask again already."""
        now = time.monotonic()
        if len(self._buckets) > MOST_PARTICIPANTS:
            self._buckets.clear()
        left, at = self._buckets.get(who, (burst, now))
        left = min(burst, left + (now - at) * rate)
        self._buckets[who] = (max(left - 1, 0), now)
        return left >= 1

    def left_for(self, rater: int, answered: int) -> int:
        """Count what a rater may still get, exactly every few seconds."""
        now = time.monotonic()
        at, before, left = self._left.get(rater, (-60.0, 0, 0))
        if now - at > 5:
            at, before, left = now, answered, self.store.left_for(rater)
            self._left[rater] = (at, before, left)
        return max(left - max(answered - before, 0), 0)

    def recount(self, rater: int) -> None:
        """Count again what a rater may still get."""
        self._left.pop(rater, None)


# What comes before every request: the Host header, sizes and rates; and headers of answers.


class TooLargeError(Exception):
    """The body of a request is too large."""


class Guard:
    """Refuses what no browser with one of our links sends."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self.app, self.site = app, site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            return
        started, size = False, 0

        async def bounded() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > MOST_BODY:
                raise TooLargeError
            return message

        async def with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                extra = [(k.lower().encode(), v.encode()) for k, v in HEADERS.items()]
                if self.site.secure:
                    extra.append((b"strict-transport-security", f"max-age={YEAR}".encode()))
                message["headers"] = [*message.get("headers", []), *extra]
            await send(message)

        request = Request(scope)
        refused = self._refused(request)
        try:
            if refused is not None:
                await refused(scope, receive, with_headers)
            else:
                await self.app(scope, bounded, with_headers)
        except TooLargeError:
            if not started:
                await _plain("This is longer than can be sent.", 413)(scope, receive, with_headers)

    def _refused(self, request: Request) -> Response | None:
        if request.headers.get("host", "").lower() not in self.site.hosts:
            return _plain("This address is not served here.", 421)
        length = request.headers.get("content-length", "0")
        if not length.isascii() or not length.isdecimal() or int(length) > MOST_BODY:
            return _plain("This is longer than can be sent.", 413)
        origin = request.headers.get("origin")
        if request.method not in ("GET", "HEAD") and origin not in (None, "null"):
            host = (origin or "").partition("://")[2].lower()
            if host not in self.site.hosts:
                return _plain("This form comes from another site.", 403)
        session = request.cookies.get(self.site.cookie, "")
        who = session if self.site.store.is_session(session) else _client(request)
        if not self.site.allows(sha256(who.encode()).hexdigest()):
            answer = _plain("Too many requests at once. Wait a second, then reload the page.", 429)
            answer.headers["Retry-After"] = "1"
            return answer
        return None


def _client(request: Request) -> str:
    return request.client.host if request.client else "unknown"


def _plain(text: str, status: int) -> Response:
    return PlainTextResponse(f"{text}\n", status)


# The pages.


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader

    def load(name: str) -> str:
        return files("headcount.collect").joinpath(name).read_text("utf-8")

    made = Environment(autoescape=True, loader=FunctionLoader(load), trim_blocks=True)
    made.filters.update(visible=visible)  # pyright: ignore[reportUnknownMemberType]
    return made


def _page(name: str, status: int = 200, **values: Any) -> HTMLResponse:
    return HTMLResponse(_environment().get_template(name).render(**values), status)


def _message(title: str, *lines: str, status: int = 200, **values: Any) -> HTMLResponse:
    return _page("message.html", status, title=title, lines=lines, **values)


def _of_session(session: str) -> str:
    """Make the token that every form of a session carries: no other site can know it."""
    return sha256(f"form:{session}".encode()).hexdigest()


Handler = Callable[["Pages", Request], Awaitable[Response]]


def kept(handler: Handler) -> Handler:
    """Answer a request only once everything that it wrote is on the disk."""

    @wraps(handler)
    async def answer(pages: Pages, request: Request) -> Response:
        try:
            return await handler(pages, request)
        finally:
            await pages.store.committed()

    return answer


def make_app(site: Site) -> Starlette:
    """Make the application."""
    pages = Pages(site)
    routes = [
        Route("/in/{token}", pages.enter),
        Route("/r/{rater:int}", pages.show),
        Route("/r/{rater:int}/answer", pages.answer, methods=["POST"]),
        Route("/r/{rater:int}/undo", pages.undo, methods=["POST"]),
        Route("/owner", pages.owner),
        Route("/owner/change", pages.change, methods=["POST"]),
        Route("/favicon.ico", Response(status_code=204)),
        Route("/{name}", pages.static),
    ]
    handlers: Any = {HTTPException: _failed, sqlite3.Error: _not_saved, 500: _broken}
    return Starlette(
        routes=routes, middleware=[Middleware(Guard, site=site)], exception_handlers=handlers
    )


async def _failed(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    title = "No such page" if status == 404 else "This does not work"
    return _message(title, "Open the link that you were given.", status=status)


async def _broken(request: Request, error: Exception) -> Response:
    return _message("Something went wrong", "Nothing was saved. Try again.", status=500)


async def _not_saved(request: Request, error: Exception) -> Response:
    """Say that the disk has not taken an answer, and keep it on the page to be sent again."""
    fields: list[tuple[str, str]] = []
    if request.method == "POST":
        form = await request.form()
        fields = [(name, value) for name, value in form.multi_items() if isinstance(value, str)]
    full = "full" in str(error)
    why = f"The server cannot write{': its disk is full' if full else ''}. "
    why += "Tell whoever sent you the link"
    status = 507 if full else 503
    if request.method != "POST":
        return _message(
            "This page cannot be opened now", f"{why}, and reload this page later.", status=status
        )
    return _message(
        "Your answer is not saved yet",
        f"{why}. Your answer is kept on this page: leave it open, and send it again later.",
        status=status,
        again=request.url.path,
        fields=fields,
    )


class Pages:
    """What answers requests."""

    def __init__(self, site: Site) -> None:
        self.site, self.store = site, site.store

    # Links

    @kept
    async def enter(self, request: Request) -> Response:
        """Take a secret link, and give a cookie for it."""
        holder = self.store.holder(request.path_params["token"])
        if holder is None:
            if not self.site.allows(f"wrong {_client(request)}", rate=2, burst=30):
                return _plain("Too many wrong links. Wait a minute.", 429)
            return _message(
                "This link does not work",
                "Perhaps it was not copied whole, or a newer one has replaced it. Ask whoever "
                "sent it to you.",
                status=404,
            )
        if holder == "join":
            return self._join(request)
        rater = None if holder == "owner" else int(holder)
        return self._welcome("/owner" if rater is None else f"/r/{rater}", rater)

    def _join(self, request: Request) -> Response:
        """Let a participant of a panel in, by the id in the address."""
        parameter = self.store.plan.link_per or ""
        name = request.query_params.get(parameter, "").strip()
        if not name or len(name) > MOST_NAME or not name.isprintable():
            return _message(
                "Your participant number is missing",
                f"The address must end in ?{parameter}= and your number. Start again from the "
                "site that sent you here.",
                status=400,
            )
        known = self.store.raters()
        if name not in known and (
            len(known) >= MOST_PARTICIPANTS
            or not self.site.allows(f"join {_client(request)}", rate=10, burst=200)
        ):
            return _plain("Too many participants at once. Try again in a minute.", 429)
        rater = self.store.participant(name)
        return self._welcome(f"/r/{rater}", rater)

    def _welcome(self, path: str, rater: int | None) -> Response:
        answer = RedirectResponse(path, 303)
        answer.set_cookie(
            self.site.cookie,
            self.store.new_session(rater),
            max_age=YEAR,
            path=path,
            httponly=True,
            samesite="lax",
            secure=self.site.secure,
        )
        return answer

    def _session(self, request: Request, rater: int | None) -> str:
        """Return the session of a request; refuse one that has none, or that of somebody else."""
        session = request.cookies.get(self.site.cookie, "")
        if not session or not self.store.has_session(session, rater):
            raise HTTPException(403)
        return session

    async def _form(self, request: Request, rater: int | None) -> Mapping[str, str]:
        """Return what a form says, if it is ours."""
        session = self._session(request, rater)
        form = await request.form(max_files=0, max_fields=60)
        values = {name: value for name, value in form.items() if isinstance(value, str)}
        if not secrets.compare_digest(
            values.get("form", "").encode(), _of_session(session).encode()
        ):
            raise HTTPException(403)
        return values

    # A rater's page

    @kept
    async def show(self, request: Request) -> Response:
        """Show what a rater is to answer."""
        rater = request.path_params["rater"]
        return self._task(rater, self._session(request, rater), request.query_params.get("was", ""))

    def _task(self, rater: int, session: str, was: str = "") -> Response:
        plan, store = self.store.plan, self.store
        shown = store.give(rater)
        answered = store.answered_by(rater)
        values: dict[str, Any] = {
            "rater": rater,
            "form": _of_session(session),
            "undo": store.last_answer(rater),
            "answered": answered,
            "plan": plan,
        }
        if shown is None:
            return self._nothing(rater, answered, values)
        left = self.site.left_for(rater, answered)
        notice = {
            "undone": "Your last answer is taken back. Answer again:",
            "locked": "An answer that has been evaluated can no longer be taken back.",
            "changed": "You had answered that item before. Your first answer counts; "
            "take it back with Undo if you want to change it.",
            "stale": "That item was no longer yours to answer. Here is the next one.",
            "incomplete": "Please answer every question.",
        }.get(was, "")
        return _page(
            "task.html",
            **values,
            shown=shown,
            sides=_sides(shown, plan.show),
            criteria=[(c.name, [_choice(c.labels, n) for n in range(len(c.labels))])
                      for c in plan.criteria],
            number=answered + 1,
            share=round(100 * answered / max(answered + left, 1)),
            left=left,
            notice=notice,
        )  # fmt: skip

    def _nothing(self, rater: int, answered: int, values: Mapping[str, Any]) -> Response:
        """Say why there is nothing to answer."""
        store = self.store
        state, given = store.state, count(answered, "answer")
        code = store.get("code") if answered and store.plan.link_per is not None else ""
        if state == "paused":
            return _message(
                "The study is paused", "This page looks again by itself.", refresh=20, **values
            )
        full = store.plan.per_rater is not None and answered >= store.plan.per_rater
        waits = store.plan.until is not None and store.plan.pairs and not full
        if state == "open" and (store.left_for(rater) > 0 or waits):
            return _message(
                "Nothing to answer at this moment",
                f"You gave {given}. Others are answering what is left; more may come. This page "
                "looks again by itself.",
                refresh=15,
                code=code,
                **values,
            )
        thanks = f"You gave {given}. There is nothing left for you to do."
        return _message("Thank you!", thanks, code=code, **values)

    @kept
    async def answer(self, request: Request) -> Response:
        """Keep an answer; the same form sent twice counts once."""
        rater = request.path_params["rater"]
        form = await self._form(request, rater)
        labels = None if form.get("skip") else _labels(self.store, form)
        if labels is not None and not labels:
            return RedirectResponse(f"/r/{rater}?was=incomplete", 303)
        note = form.get("note", "").strip()[:MOST_NOTE]
        outcome = self.store.answer(rater, form.get("key", ""), labels, note)
        if labels is None:
            self.site.recount(rater)
        self.site.monitor.heard(rater)
        was = {"changed": "?was=changed", "unknown": "?was=stale"}.get(outcome, "")
        return RedirectResponse(f"/r/{rater}{was}", 303)

    @kept
    async def undo(self, request: Request) -> Response:
        """Take back the last answer."""
        rater = request.path_params["rater"]
        form = await self._form(request, rater)
        number = form.get("answer", "")
        last = self.store.last_answer(rater)
        done = number.isdecimal() and self.store.undo(rater, int(number))
        self.site.recount(rater)
        was = "?was=undone" if done else "?was=locked" if last is None else ""
        return RedirectResponse(f"/r/{rater}{was}", 303)

    # The owner's page

    @kept
    async def owner(self, request: Request) -> Response:
        """Show how far the study is."""
        session = self._session(request, None)
        link = request.query_params.get("link", "")
        return _page(
            "owner.html",
            form=_of_session(session),
            plan=self.store.plan,
            state=self.store.state,
            link=self.site.monitor.take_link(link),
            events=self.store.events(),
            refresh=30,
            **self.site.monitor.overview(),
        )

    @kept
    async def change(self, request: Request) -> Response:
        """Pause, resume, extend or close the study."""
        form = await self._form(request, None)
        try:
            link = self.site.monitor.change(form)
        except HeadcountError as error:
            return _message("This does not work", str(error), status=400, back="/owner")
        return RedirectResponse(f"/owner{link and f'?link={link}'}", 303)

    # Files

    async def static(self, request: Request) -> Response:
        """Serve the stylesheets and the script, which are in memory."""
        name = request.path_params["name"]
        if name not in STATIC:
            raise HTTPException(404)
        return Response(_static(name), media_type=STATIC[name])


@cache
def _static(name: str) -> str:
    room = "headcount.results" if name == "result.css" else "headcount.collect"
    return files(room).joinpath(name).read_text("utf-8")


def _sides(shown: Shown, show: Sequence[str]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return what is to be read: a title and texts, of an item, or of both of a pair."""

    def texts(fields: Mapping[str, str]) -> list[tuple[str, str]]:
        named = len(show) > 1
        return [(name if named else "", visible_text(fields.get(name, ""))) for name in show]

    if shown.second is None:
        return [("", texts(shown.first))]
    return [(IN_WORDS["left"], texts(shown.first)), (IN_WORDS["right"], texts(shown.second))]


def visible_text(text: str) -> str:
    """Show control characters by their numbers, but for the ends of lines."""
    return "".join(
        char if char in "\n\t" or category(char) not in ("Cc", "Cs") else visible(char)
        for char in text.replace("\r\n", "\n")
    )


def _choice(labels: Sequence[str], index: int) -> dict[str, str]:
    """Return a label, with the keys that choose it and how they are shown."""
    label = labels[index]
    digits = {*labels} & {*"0123456789"}  # a digit is the key of its own label, and of no other
    keys = [label] if label in digits else [str(index + 1)][: index < 9 and not digits]
    if label.lower() in KEYS:
        keys.append(KEYS[label.lower()])
    words = IN_WORDS.get(label, label) if set(labels) <= set(SIDES) else label
    hint = HINTS.get(keys[-1], keys[-1]) if keys and keys[-1] != label else ""
    return {"label": label, "words": words, "keys": " ".join(keys), "hint": hint}


def _labels(store: Store, form: Mapping[str, str]) -> list[str]:
    """Return the labels that a form chooses, one a criterion; [] if one is missing or unknown."""
    criteria = store.plan.criteria
    names = ["label"] if len(criteria) == 1 else [f"label.{c.name}" for c in criteria]
    given = [form.get(name, "") for name in names]
    fits = all(label in c.labels for c, label in zip(criteria, given, strict=True))
    return given if fits else []
