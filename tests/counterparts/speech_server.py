"""A server with OpenAI's two addresses for speech, over real Whisper and real Piper, for the test's process."""

import asyncio
import io
import json
import socket
import wave
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from tests.spoken import piper, whisper

from duologue.model import audio
from duologue.runtime.voice.resample import Resampler
from duologue.testing.speech_to_text_suite import finals, push

RATE_HZ = 24_000


class SpeechServer:
    """Attributes:
    refusals: statuses to answer the next requests with, with OpenAI's error object.
    requests: what was asked: address, and fields as text.
    key: the bearer token that is wanted.
    cut_after_bytes: where the sound of the next texts is cut off; 0 for not.
    """

    def __init__(self) -> None:
        self.refusals: list[int] = []
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.key = "a-key"
        self.cut_after_bytes = 0
        self.url = ""
        self._voice = piper()
        self._recogniser = whisper(partial_ms=0)

    @asynccontextmanager
    async def serving(self) -> AsyncGenerator[None]:
        """Serve on a free port for a block."""
        routes = [
            Route("/v1/audio/speech", self._speech, methods=["POST"]),
            Route("/v1/audio/transcriptions", self._transcription, methods=["POST"]),
        ]
        with socket.create_server(("127.0.0.1", 0)) as listening:
            self.url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
            config = uvicorn.Config(Starlette(routes=routes), log_level="error", lifespan="off")
            server = uvicorn.Server(config)
            async with asyncio.TaskGroup() as group:
                group.create_task(server.serve(sockets=[listening]))
                try:
                    yield
                finally:
                    server.should_exit = True
                    await self._voice.aclose()
                    await self._recogniser.aclose()

    def _refused(self, request: Request) -> Response | None:
        if request.headers.get("authorization") != f"Bearer {self.key}":
            return JSONResponse({"error": {"message": "the key a-bad-key is wrong", "code": "invalid_api_key"}}, 401)
        if self.refusals:
            return JSONResponse({"error": {"message": "no", "type": "rate_limit"}}, self.refusals.pop(0))
        return None

    async def _speech(self, request: Request) -> Response:
        asked = json.loads(await request.body())
        self.requests.append(("speech", {key: str(value) for key, value in asked.items()}))
        if (refused := self._refused(request)) is not None:
            return refused
        return StreamingResponse(self._sound(asked["input"]), media_type="application/octet-stream")

    async def _sound(self, text: str) -> AsyncGenerator[bytes, None]:
        resampler = Resampler(audio.RATE_HZ, RATE_HZ)
        sent = 0
        async for spoken in self._voice.speak(text, "en"):
            pcm = resampler.feed(spoken.pcm)
            # In odd parts, as a network delivers them.
            for begin in range(0, len(pcm), 4_801):
                if self.cut_after_bytes and sent >= self.cut_after_bytes:
                    raise ConnectionError("cut off, as the test wants it")
                yield pcm[begin : begin + 4_801]
                sent += 4_801
        yield resampler.finish()

    async def _transcription(self, request: Request) -> Response:
        async with request.form() as form:
            upload = form["file"]
            assert isinstance(upload, UploadFile)
            body = await upload.read()
            fields = {key: str(value) for key, value in form.items() if key != "file"}
        self.requests.append(("transcriptions", fields))
        if (refused := self._refused(request)) is not None:
            return refused
        with wave.open(io.BytesIO(body)) as file:
            assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (16_000, 1, 2)
            pcm = file.readframes(file.getnframes())
        transcription = self._recogniser.open("en")
        push(transcription, pcm)
        transcription.finish()
        (heard,) = await finals(transcription, 1)
        await transcription.aclose()
        said: dict[str, object] = {"text": heard.text}
        if fields["response_format"] == "verbose_json":
            said |= {"language": "english", "segments": [{"id": 0, "avg_logprob": -0.5}]}
        return JSONResponse(said)
