// Judges webhooks as their receivers would: one request of JSON on each line of stdin, one verdict on each of stdout.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { WebhookResponse as Sdk } from "@jambonz/sdk/webhook";

const require = createRequire(import.meta.url);
const { WebhookResponse: Older } = require("@jambonz/node-client");
const Ajv = require("ajv");
const schema = require("@jambonz/schema/callbacks/agent-turn.schema.json");

// As the package's own validator makes it.
const validate = new Ajv({ allErrors: true, strict: false, validateSchema: false, logger: false }).compile(schema);

/** Whether a middleware lets a request through. */
function passes(middleware, request) {
  let passed = false;
  try {
    middleware(request, {}, (error) => {
      passed = error === undefined;
    });
  } catch {
    return false;
  }
  return passed;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { body, signature, secret } = JSON.parse(line);
  // What a web framework hands on: the body parsed, the header by name.
  const parsed = JSON.parse(body);
  const request = {
    body: parsed,
    headers: { "jambonz-signature": signature },
    get: () => signature,
    url: "/hook",
  };
  const valid = validate(parsed);
  const verdict = {
    errors: valid ? [] : validate.errors.map((error) => `${error.instancePath} ${error.message}`),
    sdk: passes(Sdk.verifySignature(secret), request),
    older: passes(Older.verifyJambonzSignature(secret), request),
  };
  process.stdout.write(`${JSON.stringify(verdict)}\n`);
}
