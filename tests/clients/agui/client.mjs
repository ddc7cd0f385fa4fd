// The official AG-UI client, holding one of the conversations below: `node client.mjs <url> <name>`.
// What it has seen goes to stdout as one line of JSON; what it warns of goes to stderr.
import { HttpAgent } from "@ag-ui/client";

const [url, name] = process.argv.slice(2);
const WHERE = { name: "where", description: "where you are", parameters: { type: "object" } };

// What the client throws it also writes; only what it does not throw is a warning.
const write = console.error;
console.error = (...words) => words[0] === "Agent execution failed:" || write(...words);

let said = 0;
const agentOf = (threadId) => new HttpAgent({ url, threadId });
const say = (agent, content) => {
  said += 1;
  agent.addMessage({ id: `${agent.threadId}-u${said}`, role: "user", content });
};

/** Run, and note how it ended, as a subscriber is told. */
async function run(agent, parameters = {}) {
  const ended = { kinds: [] };
  const subscriber = {
    onEvent: ({ event }) => void ended.kinds.push(event.type),
    onRunFinishedEvent: ({ outcome, interrupts, pendingToolCallIds, event }) =>
      Object.assign(ended, { outcome, interrupts, pending: pendingToolCallIds, usage: event.usage }),
    onRunErrorEvent: ({ event }) => Object.assign(ended, { error: event.code }),
    onCustomEvent: ({ event }) => void (ended.custom ??= []).push(event.name),
  };
  try {
    await agent.runAgent(parameters, subscriber);
  } catch (error) {
    Object.assign(ended, { thrown: error.message, status: error.status, payload: error.payload });
  }
  return ended;
}

const conversations = {
  async text() {
    const agent = agentOf("text");
    say(agent, "hello");
    const first = await run(agent);
    say(agent, "again");
    const second = await run(agent);
    return { first, second, messages: agent.messages };
  },
  async follow() {
    const follower = new HttpAgent({ url: `${url}/follow`, threadId: "follow" });
    const agent = agentOf("follow");
    const hear = async (words) => {
      const begun = new Promise((done) => follower.subscribe({ onRunStartedEvent: () => void done() }));
      const following = run(follower);
      await begun;
      say(agent, words);
      await run(agent);
      return following;
    };
    return { first: await hear("hello"), second: await hear("again"), messages: follower.messages, own: agent.messages };
  },
  async ownTool() {
    const agent = agentOf("ownTool");
    say(agent, "tool");
    const first = await run(agent);
    say(agent, "thanks");
    return { first, second: await run(agent), messages: agent.messages };
  },
  async clientTool() {
    const agent = agentOf("clientTool");
    say(agent, "where");
    const first = await run(agent, { tools: [WHERE] });
    for (const id of first.pending) {
      agent.addMessage({ id: `${id}-mine`, role: "tool", toolCallId: id, content: "Ulm" });
    }
    return { first, second: await run(agent, { tools: [WHERE] }), messages: agent.messages };
  },
  async approval() {
    const agent = agentOf("approval");
    say(agent, 'refund {"order": "7"}');
    const first = await run(agent);
    const pending = agent.pendingInterrupts;
    const resume = pending.map((one) => ({
      interruptId: one.id, status: "resolved", payload: { approved: true },
    }));
    const second = await run(agent, { resume });
    return { first, pending, second, messages: agent.messages, left: agent.pendingInterrupts };
  },
  async upgraded() {
    const agent = agentOf("upgraded");
    const follower = new HttpAgent({ url: `${url}/follow`, threadId: "upgraded" });
    const begun = new Promise((done) => follower.subscribe({ onRunStartedEvent: () => void done() }));
    const following = run(follower);
    await begun;
    say(agent, "Will the weather be fine?");
    const first = await run(agent);
    await following;
    return { first, messages: agent.messages, followed: follower.messages };
  },
  async interrupt() {
    const agent = agentOf("interrupt");
    say(agent, "refund");
    const first = await run(agent);
    const pending = agent.pendingInterrupts;
    // As another device, which does not know of the interrupt, would do it.
    const other = agentOf("interrupt");
    other.messages = [...agent.messages];
    say(other, "something else");
    const plain = await run(other);
    const resume = pending.map((one) => ({
      interruptId: one.id, status: "resolved", payload: { approved: true },
    }));
    const second = await run(agent, { resume });
    const late = await run(other, { resume });
    return { first, pending, plain, second, late, messages: agent.messages, left: agent.pendingInterrupts };
  },
  async silentInterrupt() {
    const agent = agentOf("silentInterrupt");
    say(agent, "silent question");
    const first = await run(agent);
    const resume = [{ interruptId: "q", status: "resolved", payload: "tea" }];
    return { first, second: await run(agent, { resume }), messages: agent.messages };
  },
  async busy() {
    const agent = agentOf("busy");
    say(agent, "wait");
    let begun;
    const spoke = new Promise((resolve) => (begun = resolve));
    const first = agent.runAgent({}, { onTextMessageContentEvent: () => begun() });
    await spoke;
    const other = agentOf("busy");
    say(other, "me too");
    const second = await run(other);
    process.stderr.write("refused\n");
    await first;
    return { second, messages: agent.messages };
  },
  async error() {
    const agent = agentOf("error");
    say(agent, "fail");
    const first = await run(agent);
    say(agent, "hello");
    return { first, second: await run(agent), messages: agent.messages };
  },
  async operator() {
    const agent = agentOf("operator");
    const follower = new HttpAgent({ url: `${url}/follow`, threadId: "operator" });
    say(agent, "hello");
    await run(agent);
    const desk = async (path, body) => {
      const headers = { "Content-Type": "application/json", "Duologue-Subject": "mia" };
      const address = new URL(`/api/handoffs/${path}`, url);
      return (await fetch(address, { method: "POST", headers, body: JSON.stringify(body) })).json();
    };
    const { handoff } = await desk("take-over", { sessionId: "operator" });
    const begun = new Promise((done) => follower.subscribe({ onRunStartedEvent: () => void done() }));
    const following = run(follower);
    await begun;
    await desk(`${handoff.id}/say`, { text: "Mia here." });
    await following;
    say(agent, "a person?");
    const second = await run(agent);
    return { second, messages: agent.messages, followed: follower.messages };
  },
  async elsewhere() {
    const agent = agentOf("elsewhere");
    say(agent, "hello");
    await run(agent);
    const chat = new URL("/chat/stream", url);
    const body = { sessionId: "elsewhere", requestId: "c-1", text: "from the chat" };
    const headers = { "Content-Type": "application/json", Accept: "application/json" };
    await (await fetch(chat, { method: "POST", headers, body: JSON.stringify(body) })).text();
    say(agent, "and now?");
    const second = await run(agent);
    const reloaded = agentOf("elsewhere");
    const looked = await run(reloaded);
    return { second, messages: agent.messages, looked, reloaded: reloaded.messages };
  },
};

process.stdout.write(`${JSON.stringify(await conversations[name]())}\n`);
