// An application as jambonz's SDK makes it: it prints its port, then each agent event that a session hands it.
import http from "node:http";
import { createEndpoint } from "@jambonz/sdk/websocket";

const server = http.createServer();
const makeService = createEndpoint({ server });
makeService({ path: "/" }).on("session:new", (session) => {
  session.on("agent:event", (event) => {
    process.stdout.write(`${JSON.stringify(event)}\n`);
  });
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${server.address().port}\n`);
});
