"""The page shows the machine that runs."""

from pathlib import Path

from duologue.engine.machine import STATES, diagram

PAGE = (Path(__file__).parents[3] / "docs" / "state-machine.md").read_text()


def test_the_diagram_is_drawn_from_the_data() -> None:
    assert f"<!-- diagram -->\n```mermaid\n{diagram()}```\n<!-- /diagram -->" in PAGE


def test_every_state_is_named() -> None:
    assert all(f"`{state}`" in PAGE for state in STATES)
