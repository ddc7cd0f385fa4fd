"""What happens in a call, in a few words each, for a list of events."""

from duologue.model import events as e


def about(event: e.AnyVoiceEvent) -> str:
    """Say what an event of a call says; empty where its name says all."""
    match event:
        case e.CallBegan():
            return f"{event.mode} turns"
        case e.CallFinished():
            return event.reason
        case e.Transcribed():
            return f"{event.text} ({'final' if event.final else 'so far'})"
        case e.TurnExtended():
            return event.text
        case e.WordSpoken():
            return event.word
        case e.SpeechPaused():
            return f"after {event.duration_ms} ms"
        case e.PauseJudged():
            return f"{event.probability:.2f}, {'the end' if event.finished else 'no end'}"
        case e.NothingHeard():
            return event.why
        case e.SpeechIgnored():
            return f"{event.why} {event.text}".strip()
        case e.BargedIn() | e.SpeakingFinished():
            return f"{event.heard} characters heard"
        case e.AnswerRevealed():
            return f"{event.tokens} pieces had waited"
        case e.NobodySpoke():
            return f"for {event.waited_ms / 1000:g} s"
        case e.VoiceFailed():
            return f"{event.part}: {event.message}"
        case _:
            return ""
