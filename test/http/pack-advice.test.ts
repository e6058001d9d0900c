/** The next step of a refusal: for entities that a pack owns it names the operations of the pack. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { connect } from "holdfast";
import { packs, publicOperations } from "@holdfast/sdk/contract";
import { defined } from "@holdfast/sdk/base/defined";
import { routeRequestOf } from "../doors/route-request.ts";
import { step } from "../doors/script-step.ts";
import { httpServer } from "./http-server.ts";
import type { HttpServer, JsonBody } from "./http-server.ts";

let server: HttpServer;
before(async () => {
  server = await httpServer();
});
after(() => server.close());

const operations = packs.flatMap((pack) => pack.operations);
const names = new Set([...publicOperations, ...operations].map(({ name }) => name));
/** The general operations, which cannot write entities of packs. */
const general = /\b(create|replace|patch|delete)-entity\b/u;
const operationName = /\b[a-z]+\.[a-z]+(?:-[a-z]+)*\b/gu;

/** The answer to an operation, sent to its own route. An input that no route can express is sent as a command. */
async function send(operation: string, input: JsonBody): Promise<JsonBody> {
  const request = routeRequestOf(step(operation, input), input);
  if (request === undefined) return (await server.request("POST", "/v1/commands", { body: { operation, input } })).body;
  const { method, path, headers, body } = request;
  const answer = await server.request(method, path, { headers, ...defined({ text: body }) });
  return answer.body;
}

function assertAdvice(operation: string, { code, next }: JsonBody): void {
  assert.doesNotMatch(String(next), general, `${operation}: ${String(code)}`);
  for (const [name] of String(next).matchAll(operationName)) {
    assert.ok(names.has(name), `${operation}: ${String(code)} names ${name}, which is not an operation`);
  }
}

describe("advice about the entities of packs", () => {
  test("no operation of a pack that finds nothing advises a general operation on entities [P9 B11]", async () => {
    const seen = new Set<unknown>();
    for (const { name, example, routes } of operations) {
      if (routes.length === 0 || !routes.some(({ path }) => path.includes("{"))) continue;
      const answer = await send(name, example);
      seen.add(answer["code"]);
      assertAdvice(name, answer);
    }
    for (const code of ["entity_not_found", "jobs.unknown"]) assert.ok(seen.has(code), [...seen].join());
  });

  test("a missing, an existing and a deleted resource each name the operation of their pack [P9 B11]", async () => {
    const created = { id: "1", payload: {} };
    assert.match(String((await send("intents.get", { id: "1" }))["next"]), /create it with intents\.create\./u);
    const { revision } = await send("intents.create", created);
    const twice = await send("intents.create", created);
    assert.equal(twice["code"], "entity_exists");
    assert.match(String(twice["next"]), /change it with intents\.update\./u);
    await send("intents.delete", { id: "1", expected_revision: revision });
    const deleted = await send("intents.get", { id: "1" });
    assert.deepEqual([deleted["code"], deleted["status"]], ["entity_deleted", 410]);
    assert.match(String(deleted["next"]), /create it again with intents\.create\./u);
  });

  test("the general reads and the client name the same operation, and create-entity for other types [P9 B11]", async () => {
    const { body } = await server.request("GET", "/v1/entities/intent/none");
    assert.match(String(body["next"]), /create it with intents\.create\./u);
    await using client = await connect(server.url);
    await assert.rejects(client.intents.get("none"), { message: /create it with intents\.create\./u });
    await assert.rejects(client.entities.get("intent", "none"), { message: /create it with intents\.create\./u });
    for (const type of ["plan", "constructor"]) {
      await assert.rejects(client.entities.get(type, "none"), { message: /create it with create-entity\./u });
    }
  });
});
