"""The process in which Whisper runs: `python -m duologue.adapters.speech_whisper.worker OPTIONS`, options as JSON.

It reads frames `{"id", "language", "beam"}` with PCM16 at 16 kHz as the body, and answers each, in order, with
`{"id", "text", "confidence", "language"}`, or `{"id", "failed"}`. It ends when its input does.
"""

import json
import sys
from typing import Final

from duologue.adapters.speech_whisper.decoding import Decoder
from duologue.runtime.pipe import Head, WorkerEnd

_SHOWN_CHARS: Final = 300
"""How much of an error's text is handed on."""


def main() -> int:
    """Load the model, say so, and recognise until nobody asks any more."""
    end = WorkerEnd()
    try:
        options = json.loads(sys.argv[1])
        decoder = Decoder(**options)
        decoder.warm()
    except Exception as error:  # noqa: BLE001 - whatever it is, the operator has to read it
        end.write({"failed": f"{type(error).__name__}: {error}"[:_SHOWN_CHARS]})
        end.read()
        return 1
    end.write({"ready": True, "multilingual": decoder.multilingual})
    while (frame := end.read()) is not None:
        end.write(_answer(decoder, *frame))
    return 0


def _answer(decoder: Decoder, head: Head, pcm: bytes) -> Head:
    try:
        said = decoder.decode(pcm, language=str(head["language"]), beam=int(str(head["beam"])))
    except Exception as error:  # noqa: BLE001 - one window that fails is no reason to end
        return {"id": head["id"], "failed": type(error).__name__}
    return {"id": head["id"], "text": said.text, "confidence": said.confidence, "language": said.language}


if __name__ == "__main__":
    sys.exit(main())
