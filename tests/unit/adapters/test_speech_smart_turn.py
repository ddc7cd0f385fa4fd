"""Smart Turn: what it is shown of sound, with a network of its form that the test makes, and with the real one."""

import asyncio
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper
from tests.unit.adapters.babble import babble

from duologue.adapters.speech_smart_turn import find_model, load_smart_turn
from duologue.model import limits
from duologue.model.audio import RATE_HZ
from duologue.model.errors import SpeechError

EIGHT_SECONDS = 8 * RATE_HZ * 2


def network(path: Path, *, name: str = "input_features", bands: int = 80) -> str:
    """Write the ONNX file of a network of Smart Turn's form: the mean of what it is shown, as a probability."""
    shown = helper.make_tensor_value_info(name, TensorProto.FLOAT, ["calls", bands, 800])
    said = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["calls", 1])
    nodes = [
        helper.make_node("ReduceMean", [name], ["bands"], axes=[1], keepdims=0),
        helper.make_node("ReduceMean", ["bands"], ["mean"], axes=[1], keepdims=1),
        helper.make_node("Sigmoid", ["mean"], ["logits"]),
    ]
    graph = helper.make_graph(nodes, "mean", [shown], [said])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=8)
    path.write_bytes(model.SerializeToString())
    return str(path)


@pytest.mark.parametrize("ms", [8_000, 9_500, 1_200])
def test_it_is_shown_what_whisper_is_shown_of_the_last_eight_seconds(ms: int) -> None:
    extractor = pytest.importorskip("faster_whisper.feature_extractor", reason="faster-whisper is not installed")
    from duologue.adapters.speech_smart_turn.features import features

    pcm = babble(ms)
    sound = np.zeros(8 * RATE_HZ, np.float32)
    heard = np.frombuffer(pcm[-EIGHT_SECONDS:], "<i2") / np.float32(32_768)
    sound[8 * RATE_HZ - len(heard) :] = heard
    sound = (sound - sound.mean()) / np.sqrt(sound.var() + 1e-7)
    expected = extractor.FeatureExtractor(feature_size=80)(sound, padding=0)
    found = features(pcm)
    assert found.shape == (80, 800) and found.dtype == np.float32
    assert expected.shape == found.shape and np.abs(found - expected).max() < 1e-4


def test_no_sound_at_all_is_shown_as_silence() -> None:
    from duologue.adapters.speech_smart_turn.features import features

    assert len(set(features(b"").ravel().tolist())) == 1


@pytest.mark.anyio
async def test_it_is_judged_in_a_thread_of_its_own(tmp_path: Path) -> None:
    model = load_smart_turn(network(tmp_path / "turn.onnx"))
    try:
        from duologue.adapters.speech_smart_turn.features import features

        pcm = babble(400)
        expected = 1 / (1 + np.exp(-float(features(pcm).mean())))
        assert await model.probability(pcm, "") == pytest.approx(expected, abs=1e-4)
        assert [thread.name for thread in threading.enumerate()].count("end-of-turn_0") == 1
    finally:
        model.close()
        model.close()


@pytest.mark.anyio
async def test_more_than_can_be_judged_soon_are_refused(tmp_path: Path) -> None:
    model = load_smart_turn(network(tmp_path / "turn.onnx"))
    try:
        tasks = [asyncio.ensure_future(model.probability(b"", "")) for _ in range(limits.END_OF_TURN_WAITING + 2)]
        found = await asyncio.gather(*tasks, return_exceptions=True)
        refused = [one for one in found if isinstance(one, SpeechError)]
        assert len(refused) == 2 and all(error.retryable for error in refused)
        assert await model.probability(b"", "") > 0
    finally:
        model.close()


@pytest.mark.anyio
async def test_who_stops_waiting_makes_room(tmp_path: Path) -> None:
    model = load_smart_turn(network(tmp_path / "turn.onnx"))
    try:
        for _ in range(limits.END_OF_TURN_WAITING * 2):
            task = asyncio.ensure_future(model.probability(b"", ""))
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        assert await model.probability(b"", "") > 0
    finally:
        model.close()


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SpeechError, match=r"no file /nowhere/turn\.onnx; name an ONNX file of Smart Turn v3"):
        load_smart_turn("/nowhere/turn.onnx")
    (tmp_path / "turn.onnx").write_bytes(b"no model at all" * 100)
    with pytest.raises(SpeechError, match=r"turn\.onnx cannot be loaded as an ONNX model"):
        load_smart_turn(str(tmp_path / "turn.onnx"))
    with pytest.raises(SpeechError, match="is no Smart Turn v3: it takes x"):
        load_smart_turn(network(tmp_path / "other.onnx", name="x"))
    with pytest.raises(SpeechError, match="is no Smart Turn v3: it takes input_features"):
        load_smart_turn(network(tmp_path / "wide.onnx", bands=128))
    monkeypatch.delitem(sys.modules, "duologue.adapters.speech_smart_turn.judge", raising=False)
    monkeypatch.delitem(sys.modules, "duologue.onnx.session", raising=False)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(SpeechError, match=r"without onnxruntime; pip install 'duologue\[speech\]'") as raised:
        load_smart_turn(network(tmp_path / "turn.onnx"))
    assert not raised.value.retryable


@pytest.mark.anyio
async def test_the_real_network_is_loaded_from_the_package_that_carries_it() -> None:
    if find_model() is None:
        pytest.skip("no Smart Turn here; make test installs it where it is to be had")
    model = load_smart_turn()
    try:
        found = [await model.probability(pcm, "") for pcm in (b"", babble(500), babble(9_000))]
        assert all(0 <= one <= 1 for one in found) and len(set(found)) == 3
    finally:
        model.close()
