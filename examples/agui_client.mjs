// A front end over AG-UI, as CopilotKit is one, without a page: state, a tool of its own, and a question to a person.
//
//     npm install @ag-ui/client
//     node agui_client.mjs http://127.0.0.1:8420/agui
//
// with `duologue serve --agent agui_shop:answer` in another terminal.

import { randomUUID } from "node:crypto";
import { buildResumeArray, HttpAgent } from "@ag-ui/client";

const agent = new HttpAgent({
  url: process.argv[2] ?? "http://127.0.0.1:8420/agui",
  threadId: randomUUID(),
  initialState: { cart: ["rice", "tea"] },
});

/** What this front end can do for the agent. */
const tools = [
  { name: "where_am_i", description: "The shelf before which the person stands.", parameters: { type: "object", properties: {} } },
];

async function say(text) {
  console.log(`> ${text}`);
  agent.addMessage({ id: randomUUID(), role: "user", content: text });
  await run();
}

/** Run the agent, show what it says, and do what it asks for. */
async function run(parameters = {}) {
  const { newMessages } = await agent.runAgent({ tools, ...parameters });
  for (const message of newMessages.filter(({ role }) => role === "assistant")) {
    if (message.content) console.log(message.content);
    for (const call of message.toolCalls ?? []) {
      agent.addMessage({ id: randomUUID(), role: "tool", toolCallId: call.id, content: "shelf 4" });
      console.log(`(ran ${call.function.name})`);
      await run();
    }
  }
}

await say("What is in my cart?");
await say("Where am I?");
await say("Order it, please.");
const [question] = agent.pendingInterrupts;
console.log(`? ${question.message} (yes)`);
await run({ resume: buildResumeArray([question], { [question.id]: { status: "resolved", payload: { approved: true } } }) });
