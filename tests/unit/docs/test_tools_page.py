"""The examples of the page about tools, as they stand."""

import re
import sys
from pathlib import Path

import pytest

from duologue.ports.tool import ToolContext, ToolFailed
from duologue.server.settings_load import load_settings
from duologue.server.tooling import make_toolbox

pytestmark = pytest.mark.anyio

PAGE = Path(__file__).parents[3] / "docs" / "tools.md"
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE.read_text(), re.DOTALL)
TOML = [text for kind, text in BLOCKS if kind == "toml"]


@pytest.mark.parametrize("place", range(len(TOML)))
def test_settings_of_the_page_are_good(place: int, tmp_path: Path) -> None:
    (tmp_path / "duologue.toml").write_text(TOML[place])
    load_settings({}, tmp_path)


def test_declared_tools_of_the_page_can_be_registered(tmp_path: Path) -> None:
    declared = [text for text in TOML if "[[tools.http]]" in text or "[[tools.client]]" in text]
    (tmp_path / "duologue.toml").write_text("\n".join(declared))
    box = make_toolbox(load_settings({}, tmp_path).tools)
    assert [(spec.name, spec.policy, spec.side_effect) for spec in box.specs] == [("open_page", "auto", "read")]
    assert box.wrong_with("open_page", '{"path": "hours"}') != ""


async def test_the_python_tools_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = next(text for kind, text in BLOCKS if kind == "python")
    (tmp_path / "my_tools.py").write_text(source)
    (tmp_path / "duologue.toml").write_text(next(text for text in TOML if "modules" in text))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    box = make_toolbox(load_settings({}, tmp_path).tools)
    assert [spec.name for spec in box.specs] == ["stock", "reserve"]
    context = ToolContext(session_id="s", subject="ada", turn=1, call_id="c", key="k")
    stock, reserve = box.tool("stock"), box.tool("reserve")
    assert stock is not None and reserve is not None
    assert await stock.call({"item": "tea"}, context) == 3
    assert await reserve.call({"item": "tea"}, context) == "1 tea for ada, under k"
    with pytest.raises(ToolFailed, match="there is no salt"):
        await stock.call({"item": "salt"}, context)
    assert box.wrong_with("stock", '{"item": 3}') != ""
