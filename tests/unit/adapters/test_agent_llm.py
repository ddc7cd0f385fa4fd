"""What a language model is sent, and how its agent is made; a real one is asked in tests/conformance/agents."""

from typing import cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.messages import (
    BinaryContent,
    ModelRequest,
    ModelResponse,
    ToolReturnPart,
    UserPromptPart,
)

from duologue.adapters.agent_llm import Endpoint, LlmAgent, LlmOptions
from duologue.adapters.agent_llm.budget import recent, tokens
from duologue.adapters.agent_llm.models import make_model, takes_images
from duologue.adapters.agent_llm.prompt import DATA_CLOSE, DATA_OPEN, GO_ON, Picture, messages, tools
from duologue.model.agent import AgentRequest
from duologue.model.content import (
    Attachment,
    ClientTool,
    ContextItem,
    Message,
    NdefRecord,
    NfcObservation,
    PhotoObservation,
    Role,
    ToolCall,
)
from duologue.model.errors import SettingsError

REQUEST = AgentRequest(session_id="s", subject="local", response_id="response-1", turn=3, text="Hello")


def said(role: Role, text: str) -> Message:
    return Message(role=role, text=text, turn=1)


def upload(name: str, media_type: str) -> Attachment:
    return Attachment(upload_id=name, name=name, media_type=media_type, size_bytes=3, sha256="0" * 64)


def last_content(request: AgentRequest, *pictures: Picture) -> object:
    sent = messages(request, system_prompt="", history_tokens=0, pictures=pictures)[-1]
    assert isinstance(sent, ModelRequest)
    (part,) = sent.parts
    assert isinstance(part, UserPromptPart)
    return part.content


def test_the_estimate_is_a_third_of_the_bytes_and_something_for_each_message() -> None:
    assert [tokens(text) for text in ("", "a", "abc", "abcd", "日本語")] == [4, 5, 5, 6, 7]


def test_history_is_cut_at_whole_messages_and_the_newest_are_kept() -> None:
    history = (said("user", "a" * 300), said("assistant", "b"), said("user", "c"), said("assistant", "d"))
    assert recent(history, within=10) == history[2:]
    assert recent(history, within=15) == history[2:], "an answer without its question is left out"
    assert recent(history, within=119) == history
    assert recent(history, within=0) == ()


@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text(max_size=50)), max_size=12),
    st.integers(0, 300),
)
def test_what_is_kept_fits_and_is_the_end(told: list[tuple[Role, str]], within: int) -> None:
    history = tuple(said(role, text) for role, text in told)
    kept = recent(history, within=within)
    assert kept == history[len(history) - len(kept) :]
    assert sum(tokens(message.text) for message in kept) <= within
    assert not kept or kept[0].role == "user"


@given(st.text(max_size=200))
def test_whatever_a_client_sends_stays_inside_its_block(value: str) -> None:
    request = msgspec.structs.replace(REQUEST, context=(ContextItem(description="d", value=value),))
    content = last_content(request)
    assert isinstance(content, str)
    head, _, rest = content.partition(f"{DATA_OPEN}\n")
    inside, _, after = rest.partition(f"\n{DATA_CLOSE}")
    assert "no instruction" in head or "no instruction in it" in head
    assert msgspec.json.decode(inside) == {"context": [{"description": "d", "value": value}]}
    assert after == "\n\nHello"


def test_a_tag_is_data_too() -> None:
    record = NdefRecord(tnf=1, type="T", payload="AmVu", text="Shelf 4")
    tag = NfcObservation(tag_id="04a1", records=(record,), observed_at="2026-01-02T10:00:00Z")
    content = last_content(msgspec.structs.replace(REQUEST, text="", observation=tag))
    assert isinstance(content, str)
    assert '"nfc":{"tag_id":"04a1","records":["Shelf 4"]' in content
    assert content.endswith(DATA_CLOSE)


def test_pictures_that_are_shown_follow_the_words_and_others_are_named() -> None:
    photo, scan = upload("photo", "image/jpeg"), upload("scan", "application/pdf")
    observation = PhotoObservation(photo=photo, width=1, height=1, observed_at="2026-01-02T10:00:00Z")
    request = msgspec.structs.replace(REQUEST, observation=observation, attachments=(scan,))
    shown = last_content(request, Picture(upload=photo, data=b"jpg"))
    assert isinstance(shown, list)
    parts = cast(list[object], shown)
    assert '"files_not_shown":[{"name":"scan"' in str(parts[0]) and "photo" not in str(parts[0])
    assert parts[1:] == ["Hello", BinaryContent(data=b"jpg", media_type="image/jpeg")]
    hidden = last_content(request)
    assert isinstance(hidden, str)
    assert '"name":"photo"' in hidden and '"name":"scan"' in hidden


def test_a_key_is_not_shown() -> None:
    options = LlmOptions(endpoint=Endpoint(model="m", base_url="http://127.0.0.1:1/v1", api_key="hunter2"))
    assert "hunter2" not in f"{options} {options!r} {LlmAgent(options)!r}"


def test_a_model_is_made_by_name_and_with_its_key() -> None:
    model = make_model(Endpoint(model="openai:gpt-5-mini", api_key="k"))
    assert (model.model_name, model.system) == ("gpt-5-mini", "openai")
    assert takes_images(model)
    assert LlmAgent(LlmOptions(endpoint=Endpoint(model="openai:gpt-5-mini", api_key="k"))).name == "openai:gpt-5-mini"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gpt-5-mini", "Unknown model"),
        ("nobody:gpt-5-mini", "Unknown"),
        ("openai:gpt-5-mini", "OPENAI_API_KEY"),
        ("anthropic:claude-sonnet-4-5", "package is not installed"),
    ],
)
def test_a_model_that_cannot_be_made_is_told(name: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(SettingsError, match=said):
        make_model(Endpoint(model=name))


CALLED = Message(
    role="assistant",
    text="Let me look.",
    turn=3,
    calls=(ToolCall(call_id="1", name="stock", arguments='{"item":"tea"}', runs_on="server", result="3"),),
)


def test_another_leg_goes_on_after_the_calls_and_their_results() -> None:
    sent = messages(
        msgspec.structs.replace(REQUEST, leg=2, so_far=(CALLED,)), system_prompt="", history_tokens=0, pictures=()
    )
    assert [type(one).__name__ for one in sent] == ["ModelRequest", "ModelResponse", "ModelRequest"]
    assert isinstance(sent[1], ModelResponse)
    assert sent[1].text == "Let me look."
    (result,) = sent[2].parts
    assert isinstance(result, ToolReturnPart)
    assert (result.tool_name, result.content, result.tool_call_id) == ("stock", "3", "1")


def test_what_goes_on_by_itself_ends_with_a_reason_to() -> None:
    later = Message(role="assistant", text="Somebody has to allow that.", turn=3)
    request = msgspec.structs.replace(REQUEST, resumed="tool", so_far=(CALLED, later))
    assert last_content(request) == GO_ON


def test_tools_of_the_server_are_offered_and_one_of_a_client_cannot_take_their_place() -> None:
    client = ClientTool(name="stock", description="a client's", parameters=None)
    server = ClientTool(name="stock", description="the server's", parameters={"type": "object"})
    request = msgspec.structs.replace(REQUEST, tools=(client, ClientTool(name="b", description="b")), offered=(server,))
    assert [(tool.name, tool.description) for tool in tools(request)] == [("stock", "the server's"), ("b", "b")]
