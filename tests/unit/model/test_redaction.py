import pytest

from duologue.model.redaction import HIDDEN, redacted


@pytest.mark.parametrize(
    ("text", "pointers", "shown"),
    [
        ('{"a":1,"b":2}', (), '{"a":1,"b":2}'),
        ('{"a":1,"b":2}', ("/b",), '{"a":1,"b":"[hidden]"}'),
        ('{"a":{"b":[{"c":1,"d":2},{"c":3}]}}', ("/a/b/*/c",), '{"a":{"b":[{"c":"[hidden]","d":2},{"c":"[hidden]"}]}}'),
        ('{"a":[1,2]}', ("/a/1",), '{"a":[1,"[hidden]"]}'),
        ('{"a/b":1,"c~d":2}', ("/a~1b", "/c~0d"), '{"a/b":"[hidden]","c~d":"[hidden]"}'),
        ('{"a":1}', ("/b/c", "/a/b"), '{"a":1}'),
        ("not JSON", ("/a",), HIDDEN),
        ("[" * 5_000, ("/a",), HIDDEN),
        ("", ("/a",), ""),
        ('"words"', ("/a",), '"words"'),
    ],
)
def test_fields_are_hidden_and_the_rest_stays(text: str, pointers: tuple[str, ...], shown: str) -> None:
    assert redacted(text, pointers) == shown
