"""A LangGraph graph that asks before it orders, served over AG-UI, for Duologue to answer with.

    pip install "ag-ui-langgraph[fastapi]" uvicorn
    python examples/agui_langgraph.py

and in another terminal:

    DUOLOGUE_AGENT__KIND=agui DUOLOGUE_AGUI__URL=http://127.0.0.1:8002/ DUOLOGUE_AGUI__REMEMBERS=true duologue serve

The graph keeps the conversation itself, hence DUOLOGUE_AGUI__REMEMBERS. Say "order tea": the run stops until somebody
has answered, across a reload and a restart of Duologue.
"""

import sys

import uvicorn
from ag_ui_langgraph import LangGraphAgent, add_langgraph_fastapi_endpoint
from fastapi import FastAPI
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt

PRICES = {"tea": 3.20, "rice": 1.99}


def answer(state: MessagesState) -> dict[str, list[AIMessage]]:
    words = str(state["messages"][-1].content).lower()
    item = next((name for name in PRICES if name in words), None)
    if item is None:
        said = f"We have {' and '.join(PRICES)}."
    elif "order" not in words:
        said = f"One pack of {item} is {PRICES[item]:.2f} €."
    else:
        decided = interrupt({"reason": "approval", "message": f"Order {item} for {PRICES[item]:.2f} €?"})
        said = f"Ordered: {item}." if decided.get("approved") else "Nothing was ordered."
    return {"messages": [AIMessage(said)]}


builder = StateGraph(MessagesState)
# The package leaves type arguments of these open.
builder.add_node("answer", answer)  # pyright: ignore[reportUnknownMemberType]
builder.add_edge(START, "answer")
builder.add_edge("answer", END)
graph = builder.compile(checkpointer=InMemorySaver())  # pyright: ignore[reportUnknownMemberType]

app = FastAPI()
shop = LangGraphAgent(name="shop", graph=graph, emit_interrupt_outcome=True, emit_raw_events=False)
add_langgraph_fastapi_endpoint(app, shop)

if __name__ == "__main__":
    uvicorn.run(app, port=int(sys.argv[1]) if len(sys.argv) > 1 else 8002, log_level="warning")
