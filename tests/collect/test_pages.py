"""Pages over plain HTTP: what raters can do, and what nobody can."""

from __future__ import annotations

import re
import socket
from asyncio import base_events
from pathlib import Path
from urllib.parse import urlencode

import pytest

from headcount.collect import web
from headcount.collect.plan import SIDES, Criterion, criteria_in
from headcount.collect.serve import Address, export_rows, make_links
from headcount.io.tools.study import answers_in, opened_study

from .conftest import Serve, Served
from .visitor import Visitor

HOSTILE = (
    "<script>window.hacked = 1</script>",
    "\"><img src='//evil.example/x' onerror='hacked = 1'>",
    "{{ 7 * 7 }}{% raise %}",
    "</p></main><form action='https://evil.example'>",
    "javascript:alert(1)\x00\x1b[31m",
    "&lt;b&gt; is not bold",
    "\u202etxet desrever",
)


def kept(served: Served) -> list[tuple[str, tuple[str, ...], str | None]]:
    with opened_study(served.store.path) as connection:
        return [(a.rater, a.labels, a.reason) for a in answers_in(connection)]


# What raters can do.


def test_a_rater_answers_skips_undoes_and_comes_back(serve: Serve):
    served = serve()
    anna = Visitor(served.links["anna"])
    assert "0 answered, 30 to go" in anna.page
    first = anna.texts
    anna.answer("ok", note="why <b>not</b>")
    assert "1 answered" in anna.page
    skipped = anna.texts
    anna.answer()
    assert "1 answered" in anna.page
    anna.undo()  # the skip
    anna.undo()
    assert anna.texts == first
    assert "is taken back" in anna.page
    anna.answer("toxic")
    again = Visitor(served.links["anna"])  # on another device
    assert "1 answered" in again.page
    assert again.texts == skipped  # which was taken back, and waits
    assert [(labels, reason) for _, labels, reason in kept(served)] == [
        (("ok",), "undone"), ((), "undone"), (("toxic",), None)]  # fmt: skip


def test_a_form_sent_twice_counts_once(serve: Serve):
    served = serve()
    anna = Visitor(served.links["anna"])
    path, fields = f"{anna.path}/answer", {**anna.fields(), "label": "ok"}
    for _ in range(3):
        anna.open(path, urlencode(fields))
        assert "notice" not in anna.page
    anna.open(path, urlencode({**fields, "label": "toxic"}))
    assert "Your first answer counts" in anna.page
    assert kept(served) == [("anna", ("ok",), None)]


@pytest.mark.parametrize(
    ("ask", "keys"),
    [
        ("ok,toxic", ["1", "2"]),
        ("yes,no", ["1 y", "2 n"]),
        ("1-5", ["1", "2", "3", "4", "5"]),
        ("0-10", [*"0123456789", ""]),
        ("-1-1", ["", "0", "1"]),  # a digit never means another number
    ],
)
def test_keys_choose_the_label_that_they_name(ask: str, keys: list[str]):
    (criterion,) = criteria_in(ask)
    choices = [web._choice(criterion.labels, n) for n in range(len(criterion.labels))]
    assert [choice["keys"] for choice in choices] == keys


def test_several_questions_on_one_page(serve: Serve):
    served = serve("anna", criteria=criteria_in("helpful=1-5;safe=yes,no"), per_item=1)
    anna = Visitor(served.links["anna"])
    assert anna.page.count("<fieldset>") == 2
    anna.answer(None, **{"label.helpful": "3"})
    assert "Please answer every question" in anna.page
    anna.answer(None, **{"label.helpful": "3", "label.safe": "maybe"})
    assert not kept(served)
    anna.answer(None, **{"label.helpful": "3", "label.safe": "yes"})
    assert kept(served) == [("anna", ("3", "yes"), None)]
    columns, _ = export_rows(served.store.path)
    assert list(columns) == ["item", "rater", "helpful", "safe", "seconds", "time"]


def test_pairs_show_two_texts_and_ask_for_a_side(serve: Serve):
    criteria = (Criterion("outcome", SIDES),)
    served = serve("anna", number=6, pairs=True, criteria=criteria)
    anna = Visitor(served.links["anna"])
    assert len(anna.texts) == 2
    shown = [text.removeprefix("text of item ") for text in anna.texts]
    anna.answer("tie")
    columns, _ = export_rows(served.store.path)
    assert [columns[name][0] for name in ("left", "right", "outcome", "rater")] == [
        f"i{shown[0]}", f"i{shown[1]}", "tie", "anna"]  # fmt: skip


def test_a_panel_has_one_link_and_gets_a_code_at_the_end(serve: Serve):
    served = serve("", number=3, link_per="PID", per_item=2)
    link = served.links["every PID"].replace("...", "P1")
    one = Visitor(link)
    while one.asked:
        one.answer("ok")
    assert served.store.get("code") in one.page
    assert served.store.get("code") in Visitor(link).page  # who comes back sees it again
    other = Visitor(link.removesuffix("P1") + "P2")  # the secret may hold a P1, too
    assert "0 answered, 3 to go" in other.page
    assert served.store.get("code") not in other.page
    assert list(served.store.raters()) == ["P1", "P2"]
    while other.asked:
        other.answer("ok")
    late = Visitor(link.removesuffix("P1") + "P3")  # who has answered nothing is owed nothing
    assert "nothing left" in late.page
    assert served.store.get("code") not in late.page
    for wrong in ("", "x" * 200, "a%00b"):
        assert Visitor(link.replace("P1", wrong)).status == 400


def test_the_owner_pauses_adds_raises_and_closes(serve: Serve):
    served = serve("anna", number=4, per_item=1)
    anna, owner = Visitor(served.links["anna"]), Visitor(served.links["owner"])
    anna.answer("ok")

    def change(**fields: str) -> None:
        token = re.search(r'name="form" value="(\w+)"', owner.page)
        owner.open("/owner/change", urlencode({"form": token and token[1], **fields}))
        if "Back" in owner.page:
            owner.open("/owner")

    change(do="pause")
    anna.answer("ok")  # what was shown already is taken
    assert "The study is paused" in anna.page
    change(do="resume")
    assert "2 answered" in anna.open(anna.path)
    change(do="add", name="dan <b>")
    link = re.search(r'class="link">([^<]+)<', owner.page)
    assert link is not None
    assert "dan &lt;b&gt;" in owner.page
    assert "to go" in Visitor(link[1]).page
    assert link[1] not in owner.open("/owner")  # shown once
    change(do="per_item", per_item="2")
    assert served.store.plan.per_item == 2
    for wrong in ("1", "3", "x"):  # there are two raters
        change(do="per_item", per_item=wrong)
        assert served.store.plan.per_item == 2
    assert anna.asked
    change(do="close")
    assert served.store.state == "closed"
    assert "Thank you" in anna.open(anna.path)  # whatever was shown before
    assert "answered: " not in owner.page
    assert served.store.events()[0][1].startswith("closed")


# What nobody can.


def test_pages_need_a_link_of_ones_own(serve: Serve):
    served = serve()
    anna, ben = Visitor(served.links["anna"]), Visitor(served.links["ben"])
    owner = Visitor(served.links["owner"])
    stranger = Visitor(served.links["anna"])
    fields = urlencode({**anna.fields(), "label": "ok"})
    for cookie in ("", "headcount=x", f"{served.site.cookie}=x", ben.cookie):
        stranger.cookie = cookie
        for method, path, body in (
            ("GET", anna.path, None),
            ("GET", "/owner", None),
            ("POST", f"{anna.path}/answer", fields),
            ("POST", f"{anna.path}/undo", fields),
            ("POST", "/owner/change", "do=close"),
        ):
            stranger.ask(method, path, body)
            assert stranger.status == 403, path
    for holder, path in ((anna, "/owner"), (owner, anna.path), (anna, ben.path)):
        holder.ask("GET", path)
        assert holder.status == 403
    for token in ("x", "a" * 43, "..%2f..", served.links["anna"][-10:]):
        stranger.ask("GET", f"/in/{token}")
        assert stranger.status == 404
    assert not kept(served)
    assert served.store.state == "open"


def test_forms_of_others_are_refused(serve: Serve):
    served = serve()
    anna, ben = Visitor(served.links["anna"]), Visitor(served.links["ben"])
    fields = {**anna.fields(), "label": "ok"}
    for wrong in ({"form": ""}, {"form": ben.fields()["form"]}, {"form": "é"}):
        anna.ask("POST", f"{anna.path}/answer", urlencode({**fields, **wrong}))
        assert anna.status == 403
    anna.ask("POST", f"{anna.path}/answer", urlencode(fields), Origin="https://evil.example")
    assert anna.status == 403
    ben.open(f"{ben.path}/answer", urlencode({**ben.fields(), "key": fields["key"], "label": "ok"}))
    assert "no longer yours" in ben.page  # another's item
    assert not kept(served)


def test_links_can_be_replaced(serve: Serve):
    served = serve()
    anna = Visitor(served.links["anna"])
    base = Address(port=served.port).base(served.port)
    served.store.gathers = False
    new = dict(make_links(served.store, base, [], renew=True))
    assert set(new) == {"anna", "ben", "owner"}
    anna.ask("GET", anna.path)
    assert anna.status == 403
    assert Visitor(served.links["anna"]).status == Visitor(served.links["owner"]).status == 404
    assert Visitor(new["anna"]).asked
    assert not make_links(served.store, base, ["anna"], renew=False)


def test_secrets_are_kept_hashed(serve: Serve):
    served = serve()
    visitors = [Visitor(link) for link in served.links.values()]
    served.store._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    held = served.store.path.read_bytes()
    for name, link in served.links.items():
        token = link.rpartition("/")[2]
        assert len(token) == 43, name  # 256 bits
        assert token.encode() not in held
    for visitor in visitors:
        assert visitor.cookie.partition("=")[2].encode() not in held


def test_requests_that_no_browser_sends_are_refused(serve: Serve, monkeypatch):
    served = serve()
    anna = Visitor(served.links["anna"])
    for host in ("evil.example", f"evil.example:{served.port}", "127.0.0.1", "127.0.0.1:1", ""):
        anna.ask("GET", anna.path, Host=host)
        assert anna.status == 421
    anna.ask("POST", f"{anna.path}/answer", "label=" + "x" * 70_000)
    assert anna.status == 413
    anna.close()
    anna.connection.request(
        "POST", f"{anna.path}/answer", iter([b"x" * 40_000, b"x" * 40_000]),
        {"Host": anna.host, "Cookie": anna.cookie}, encode_chunked=True,
    )  # fmt: skip
    assert anna.connection.getresponse().status in (403, 413)
    anna.close()
    for path in ("/../pyproject.toml", "/%2e%2e/store.py", "/store.py", "/task.html", "/r/x", "/r"):
        anna.ask("GET", path)
        assert anna.status == 404
    for method in ("PUT", "DELETE", "POST"):
        anna.ask(method, anna.path, "")
        assert anna.status == 405
    monkeypatch.setattr(web, "BURST", 5.0)
    allowed = [served.site.allows("somebody", rate=0.001, burst=5) for _ in range(9)]
    assert allowed == [True] * 5 + [False] * 4


def test_too_many_requests_and_wrong_links_wait(serve: Serve):
    served = serve()
    anna = Visitor(served.links["anna"])
    who = web.sha256(anna.cookie.partition("=")[2].encode()).hexdigest()
    served.site._buckets[who] = (0.0, web.time.monotonic() + 60)
    answer = anna.ask("GET", anna.path)
    assert (anna.status, answer.headers["Retry-After"]) == (429, "1")
    ben = Visitor(served.links["ben"])
    assert ben.asked  # others are not held up
    served.site._buckets["wrong 127.0.0.1"] = (0.0, web.time.monotonic() + 60)
    ben.ask("GET", "/in/wrong")
    assert ben.status == 429
    assert Visitor(served.links["ben"]).asked


def test_made_up_sessions_wait_together(serve: Serve):
    served = serve()
    ben = Visitor(served.links["ben"])
    stranger = web.sha256(b"127.0.0.1").hexdigest()
    served.site._buckets[stranger] = (0.0, web.time.monotonic() + 60)
    own, name = ben.cookie, ben.cookie.partition("=")[0]
    for made_up in ("a", "b"):
        ben.cookie = f"{name}={made_up}"
        ben.ask("GET", ben.path)
        assert ben.status == 429
    ben.cookie = own
    ben.ask("GET", ben.path)
    assert ben.status == 200


def test_answers_say_what_browsers_may_do_with_them(serve: Serve):
    served = serve()
    link = served.links["anna"]
    anna = Visitor(link)
    response = anna.ask("GET", "/in/" + link.rpartition("/")[2])
    cookie = response.headers["Set-Cookie"]
    for part in ("HttpOnly", "SameSite=lax", f"Path={anna.path}"):
        assert part in cookie
    assert "Secure" not in cookie  # it is plain HTTP on this machine
    for path in (anna.path, "/owner", "/nothing", "/collect.js", "/favicon.ico"):
        headers = anna.ask("GET", path).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "Server" not in headers
    assert "<script>" not in anna.open(anna.path)
    assert "style=" not in anna.page


def test_texts_are_texts_in_every_page(serve: Serve, tmp_path: Path):
    items = tmp_path / "hostile.jsonl"
    import json

    rows = [{"id": f"{text}{n}", "text": text} for n, text in enumerate(HOSTILE)]
    items.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    served = serve(
        "", items=items, per_item=2, prompt=HOSTILE[0],
        criteria=(Criterion("label", (HOSTILE[0], HOSTILE[1])),),
    )  # fmt: skip
    base = Address(port=served.port).base(served.port)
    served.store.gathers = False
    links = dict(make_links(served.store, base, list(HOSTILE[:4]), renew=False))
    served.store.gathers = True
    pages: list[str] = []
    seen: set[str] = set()
    for name in HOSTILE[:2]:
        visitor = Visitor(links[name])
        while visitor.asked:
            pages.append(visitor.page)
            seen.update(visitor.texts)
            visitor.answer(HOSTILE[len(pages) % 2])
        pages.append(visitor.page)
    assert {text for text in HOSTILE if text.isprintable()} <= seen
    assert len(seen) == len(HOSTILE)
    served.monitor._fitted = {}
    from headcount.collect.evaluate import evaluate

    served.monitor._fitted = evaluate(str(served.store.path))
    pages.append(Visitor(served.links["owner"]).page)
    assert served.monitor._fitted["html"] in pages[-1]
    tags = {tag.lower() for page in pages for tag in re.findall(r"<(/?[a-zA-Z!][a-zA-Z]*)", page)}
    assert not tags & {"img", "script/", "iframe", "svg", "b>"}
    for page in pages:
        assert "<script>" not in page
        assert page.count("<script") == page.count('<script src="/collect.js" defer></script>')
        assert "\x00" not in page
        assert "\x1b" not in page
        assert "49" not in page or "{{ 7" not in page.replace("{{ 7 * 7 }}", "")
        assert re.findall(r'<form[^>]*action="([^"/][^"]*)"', page) == []


def test_no_page_has_what_others_or_judges_say(serve: Serve, tmp_path: Path):
    judges = tmp_path / "judge.csv"
    judges.write_text("item,gpt\n" + "".join(f"i{n},toxic\n" for n in range(30)), encoding="utf-8")
    pages: list[str] = []
    for with_judges in (True, False):
        served = serve("anna,ben", judges=str(judges) if with_judges else None, per_item=2)
        ben = Visitor(served.links["ben"])
        for _ in range(6):
            ben.answer("toxic" if with_judges else "ok", note="a note of ben's" * with_judges)
        anna = Visitor(served.links["anna"])
        text = anna.page
        for name, value in anna.fields().items():
            text = text.replace(value, name)
        pages.append(text)
    assert pages[0] == pages[1]  # whatever they say, the page is the same
    for word in ("gpt", "judge", "ben"):
        assert word not in pages[0]


def test_a_full_disk_keeps_the_answer_on_the_page(serve: Serve):
    served = serve()
    anna = Visitor(served.links["anna"])
    connection = served.store._connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    anna.answer("ok", note="n" * 1900)
    for _ in range(100):
        if anna.status == 507:
            break
        anna.answer("ok", note="n" * 1900)
    assert anna.status == 507
    assert "its disk is full" in anna.page
    before = len(kept(served))
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', anna.page))
    assert fields["label"] == "ok"
    connection.execute("PRAGMA max_page_count = 1000000")
    anna.open(f"{anna.path.removesuffix('/answer')}/answer", urlencode(fields))
    assert anna.asked
    assert len(kept(served)) == before + 1


@pytest.mark.parametrize(("platform", "again"), [("linux", True), ("win32", False)])
def test_a_port_is_used_again_at_once_but_where_two_servers_would_share_it(
    monkeypatch, platform, again
):
    monkeypatch.setattr("headcount.collect.serve.sys.platform", platform)
    with Address(port=0).listen() as listening:
        assert bool(listening.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR)) is again


def test_a_page_does_not_wait_for_its_head_to_be_acknowledged():
    with Address(port=0).listen() as listening:
        listening.setblocking(True)
        with socket.create_connection(listening.getsockname()), listening.accept()[0] as accepted:
            base_events._set_nodelay(accepted)  # what asyncio does, of sockets that it knows
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_what_listening_means_is_said(host):
    address = Address(host=host, port=0)
    assert (address.warning is None) == (host == "127.0.0.1")
    assert address.is_local == (host == "127.0.0.1")
    behind = Address(port=8765, url="https://labels.example.org/")
    assert behind.warning is None
    assert behind.base(8765) == "https://labels.example.org"
    assert "labels.example.org" in behind.hosts(8765)
