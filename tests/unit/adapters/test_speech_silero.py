"""Silero VAD: where its model is found, and what is said where it cannot be loaded."""

import sys
from pathlib import Path

import pytest
from onnx import TensorProto, helper

from duologue.adapters.speech_silero import find_model, load_silero
from duologue.model.errors import SpeechError


def other_network(path: Path) -> Path:
    """Write the ONNX file of a network that only gives back what it takes."""
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in ("x", "y")]
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "g", ports[:1], ports[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=8)
    path.write_bytes(model.SerializeToString())
    return path


def test_the_model_is_found_in_the_package_that_carries_it_or_where_one_says() -> None:
    carried = find_model()
    assert carried is not None and carried.name == "silero_vad.onnx"
    assert find_model(str(carried)) == carried
    assert find_model("/nowhere/silero.onnx") is None
    assert load_silero(str(carried)).window_samples == 512


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(SpeechError, match=r"no file /nowhere/silero\.onnx; pip install 'duologue\[speech\]', or name"):
        load_silero("/nowhere/silero.onnx")


def test_a_file_that_is_no_model_is_named(tmp_path: Path) -> None:
    (tmp_path / "silero.onnx").write_bytes(b"no model at all" * 100)
    with pytest.raises(SpeechError, match=r"silero\.onnx cannot be loaded as an ONNX model"):
        load_silero(str(tmp_path / "silero.onnx"))


def test_another_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpeechError, match="is no Silero VAD of version 5 or later: it takes x"):
        load_silero(str(other_network(tmp_path / "other.onnx")))


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "duologue.adapters.speech_silero.model", raising=False)
    monkeypatch.delitem(sys.modules, "duologue.onnx.session", raising=False)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(SpeechError, match=r"no voice activity without onnxruntime; pip install 'duologue\[speech\]'"):
        load_silero()


def test_more_calls_than_there_was_room_for_are_remembered() -> None:
    model = load_silero()
    states = [model.new_state() for _ in range(100)]
    assert len({state.place for state in states}) == 100
    places = {state.place for state in states[:40]}
    del states[:40]
    again = [model.new_state() for _ in range(40)]
    assert {state.place for state in again} == places
