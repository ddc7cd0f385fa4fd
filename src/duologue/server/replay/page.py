"""What came of recordings as one page: nothing else to load, light and dark, by keyboard and on a phone."""

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from duologue.server.replay.suite import Replayed, TurnResult
from duologue.server.replay.turns import Difference, TurnView, written
from duologue.server.replay.words import pieces


def page(replayed: Sequence[Replayed]) -> str:
    """Write the page."""
    turns = sum(len(one.turns) for one in replayed)
    different = sum(one.different for one in replayed)
    failed = sum(one.failed for one in replayed)
    agents = sorted({one.agent for one in replayed if one.agent})
    who = f"answered by {', '.join(agents)}" if agents else "as it was recorded"
    summary = f"{_count(len(replayed), 'session')}, {_count(turns, 'turn')}: {different} different, {failed} failed"
    template = (files("duologue.server.replay") / "page.html").read_text(encoding="utf-8")
    body = "".join(map(_session, replayed))
    for mark, text in (("{{who}}", escape(who)), ("{{summary}}", escape(summary)), ("{{body}}", body)):
        template = template.replace(mark, text, 1)
    return template


def _session(one: Replayed) -> str:
    state = "failed" if one.failed else "different" if one.different else "same"
    turns = "".join(_turn(result) for result in one.turns) or "<p class='note'>No turn was run again.</p>"
    return (
        f"<section class='session {state}'><h2>{escape(one.name)}</h2>"
        f"<p class='note'>{escape(_law(one))}</p>{turns}</section>\n"
    )


def _law(one: Replayed) -> str:
    law = one.law
    if law.breach is not None:
        said = f"The law is broken at event {law.breach.seq}: stored {law.breach.stored}, stepped {law.breach.stepped}"
    else:
        stepped = f"{_count(law.records, 'recorded input')} stepped again"
        said = f"{stepped}: {_count(law.events, 'event')}, byte for byte the same"
    if law.older:
        said += f"; {law.older} of an earlier version lack members that came later"
    if law.before:
        said += f"; {_count(law.before, 'event')} before them cannot be, as retention removed what led to them"
    if one.stopped:
        said += f". {one.stopped}"
    if one.same_bytes is not None:
        said += ". Run again, the journal has " + ("the same bytes" if one.same_bytes else "other bytes")
    return f"{said}."


def _turn(result: TurnResult) -> str:
    pair = result.pair
    state = "failed" if result.failures else "different" if pair.differences else "same"
    shown = pair.now or pair.recorded
    asked = escape(shown.asked if shown else "") or "<em>showed something</em>"
    open_ = "" if state == "same" else " open"
    what = ", ".join(difference.what for difference in pair.differences)
    chip = f"{state}: {what}" if what else state
    return (
        f"<details class='turn {state}' tabindex='-1'{open_}><summary><span class='no'>{pair.turn}</span>"
        f"<span class='asked'>{asked}</span><span class='chip'>{escape(chip)}</span></summary>"
        f"{_failures(result)}{_answer(pair.recorded, pair.now)}"
        f"{''.join(_difference(one) for one in pair.differences if one.what not in ('text', 'turn'))}"
        f"{_times(pair.recorded, pair.now)}</details>\n"
    )


def _failures(result: TurnResult) -> str:
    if not result.failures:
        return ""
    return "<ul class='failures'>" + "".join(f"<li>{escape(one)}</li>" for one in result.failures) + "</ul>"


def _answer(recorded: TurnView | None, now: TurnView | None) -> str:
    old, new = recorded.text if recorded else "", now.text if now else ""
    tags = {"same": "span", "gone": "del", "new": "ins"}
    found = pieces(old, new)
    apart = "<br>" if [kind for kind, _ in found] == ["gone", "new"] else ""
    parts = [f"<{tags[kind]}>{escape(text)}</{tags[kind]}>" for kind, text in found]
    same = recorded is not None and now is not None and recorded.citations == now.citations
    sources = f"<p class='sources'>{escape(written(now, 'citations'))}</p>" if same and now and now.citations else ""
    return f"<div class='answer'>{apart.join(parts) or '<em>no text</em>'}</div>{sources}"


def _difference(one: Difference) -> str:
    gone = f"<del>{escape(one.recorded)}</del>" if one.recorded else "none"
    new = f"<ins>{escape(one.now)}</ins>" if one.now else "none"
    return f"<dl><dt>{escape(one.what)}</dt><dd>{gone}</dd><dd>{new}</dd></dl>"


def _times(recorded: TurnView | None, now: TurnView | None) -> str:
    most = max([1, *(view.duration_ms for view in (recorded, now) if view is not None)])
    rows = [_bar(name, view, most) for name, view in (("recorded", recorded), ("now", now)) if view is not None]
    return f"<div class='times'>{''.join(rows)}</div>"


def _bar(name: str, view: TurnView, most: int) -> str:
    first = view.duration_ms if view.ttft_ms is None else min(view.ttft_ms, view.duration_ms)
    wait, speak = round(100 * first / most, 2), round(100 * (view.duration_ms - first) / most, 2)
    told = (
        f"{view.duration_ms} ms"
        if view.ttft_ms is None
        else f"{view.ttft_ms} ms to the first text, {view.duration_ms} ms"
    )
    return (
        f"<div class='bar'><span>{name}</span><svg viewBox='0 0 100 4' preserveAspectRatio='none' aria-hidden='true'>"
        f"<rect class='wait' width='{wait}' height='4'/>"
        f"<rect class='speak' x='{wait}' width='{speak}' height='4'/></svg>"
        f"<span>{told}</span></div>"
    )


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
