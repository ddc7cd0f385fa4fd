"""The process in which Piper runs: `python -m duologue.adapters.speech_piper.worker OPTIONS`, options as JSON.

Piper is under the GPL-3. It is imported in this process only, which talks to Duologue through a pipe; nothing else of
Duologue imports this module.

It reads `{"id", "text"}` and `{"id", "cancel": true}`. For each sentence of a text it answers with `{"id", "words"}`
and PCM16 at 16 kHz as the body, then with `{"id", "end": true}`, or `{"id", "failed"}`. Texts take turns after each
sentence. It ends when its input does.
"""

import json
import queue
import sys
import threading
from collections import deque
from typing import Final

from duologue.adapters.speech_piper.speaking import Speaker, Speech
from duologue.runtime.pipe import Head, WorkerEnd

_SHOWN_CHARS: Final = 300
"""How much of an error's text is handed on."""


def main() -> int:
    """Load the voice, say so, and speak until nobody asks any more."""
    end = WorkerEnd()
    try:
        speaker = Speaker(**json.loads(sys.argv[1]))
        speaker.warm()
    except Exception as error:  # noqa: BLE001 - whatever it is, the operator has to read it
        end.write({"failed": f"{type(error).__name__}: {error}"[:_SHOWN_CHARS]})
        end.read()
        return 1
    end.write({"ready": True, "word_times": speaker.word_times})
    asked: queue.SimpleQueue[Head | None] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(end, asked), daemon=True).start()
    _Turns(end, speaker, asked).serve()
    return 0


def _listen(end: WorkerEnd, asked: "queue.SimpleQueue[Head | None]") -> None:
    """Read while the other thread speaks, so that a cancel overtakes."""
    while (frame := end.read()) is not None:
        asked.put(frame[0])
    asked.put(None)


class _Turns:
    """Speaks the texts of all calls, a sentence of each in turn."""

    def __init__(self, end: WorkerEnd, speaker: Speaker, asked: "queue.SimpleQueue[Head | None]") -> None:
        self._end = end
        self._speaker = speaker
        self._asked = asked
        self._speeches: deque[tuple[object, Speech]] = deque()

    def serve(self) -> None:
        """Go on until the pipe is closed."""
        while self._take_in():
            if self._speeches:
                number, speech = self._speeches.popleft()
                if self._sentence(number, speech):
                    self._speeches.append((number, speech))

    def _take_in(self) -> bool:
        """Take what was asked, waiting where there is nothing else to do. Returns whether to go on."""
        while not self._speeches or not self._asked.empty():
            head = self._asked.get()
            if head is None:
                return False
            number = head["id"]
            if "cancel" in head:
                self._speeches = deque(pair for pair in self._speeches if pair[0] != number)
            else:
                self._speeches.append((number, self._speaker.speech(str(head["text"]))))
        return True

    def _sentence(self, number: object, speech: Speech) -> bool:
        """Speak the next sentence. Returns whether there may be another."""
        try:
            spoken = speech.next()
        except Exception as error:  # noqa: BLE001 - a text that cannot be said is no reason to end
            self._end.write({"id": number, "failed": type(error).__name__})
            return False
        if spoken is None:
            self._end.write({"id": number, "end": True})
            return False
        self._end.write({"id": number, "words": spoken.words}, spoken.pcm)
        return True


if __name__ == "__main__":
    sys.exit(main())
