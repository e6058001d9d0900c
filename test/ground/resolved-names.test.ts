import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallReply } from "@holdfast/sdk";
import { openMesh } from "../../server/src/assembly/mesh.ts";
import { servicesOf, startEngine } from "../../server/src/assembly/open.ts";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import { operatorSecret } from "../access/gated-node.ts";
import { doorsOfServer, overMesh } from "../doors/door-drivers.ts";
import { doorsOfServices } from "../doors/doors-of-services.ts";
import type { OperationInput } from "../doors/script-step.ts";
import { startNats } from "../mesh/private-nats.ts";

type Run = (operation: string, input: OperationInput) => Promise<CallReply>;

/** A node whose registry notes each name that it looks up, with a caller for each door. */
async function countingNode() {
  await using opened = new AsyncDisposableStack();
  const engine = await startEngine({ journal: openMemoryJournal(createMemoryDisk()) });
  const plain = servicesOf(engine);
  const names: string[] = [];
  const find: typeof plain.operations.find = (name) => {
    names.push(name);
    return plain.operations.find(name);
  };
  const services = { ...plain, operations: { ...plain.operations, find } };
  const nats = opened.use(await startNats());
  const served = opened.use(await doorsOfServices(services));
  const mesh = await openMesh({ servers: [nats.url] }, { services, gate: served.gate });
  opened.defer(() => mesh.close());
  const runs = new Map<string, Run>([["in process", (operation, input) => served.inside.call(operation, input, {})]]);
  const drivers = [
    ...Object.entries(doorsOfServer).map(([door, connect]) => [door, connect(served.url, operatorSecret)] as const),
    ["NATS", overMesh(nats.url, operatorSecret)] as const,
  ];
  for (const [door, connecting] of drivers) {
    const { run, close } = await connecting;
    opened.defer(close);
    runs.set(door, (operation, input) => run({ operation, input: () => input }, input, undefined));
  }
  const closing = opened.move();
  return { names, runs, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

test("each door looks up the name of an operation once in a call, and a route has its operation from the start", async () => {
  await using node = await countingNode();
  const { names, runs } = node;
  assert.deepEqual([...runs.keys()], ["in process", "HTTP commands", "HTTP routes", "the socket", "NATS"]);
  for (const [index, [door, run]] of [...runs].entries()) {
    const id = String(index);
    const steps: readonly (readonly [operation: string, input: OperationInput])[] = [
      ["create-entity", { type: "note", id, value: {} }],
      ["patch-entity", { type: "note", id, merge: { n: 1 }, expected_revision: "1.1" }],
      ["get-entity", { type: "note", id }],
      ["acquire-lock", { paths: [`note/${id}`], owner_id: `owner-${id}`, ttl_seconds: 60 }],
      ["planning.create-organization", { id, name: `o${id}` }],
      ["intents.create", { id, payload: {} }],
      ["intents.reevaluate", { id, diff: { n: 1 }, source: "test", reason: "test" }],
    ];
    for (const [operation, input] of steps) {
      names.length = 0;
      const { outcome } = await run(operation, input);
      assert.equal(outcome.kind, "done", `${operation} through ${door}: ${JSON.stringify(outcome)}`);
      assert.deepEqual(names, door === "HTTP routes" ? [] : [operation], `${operation} through ${door}`);
    }
  }
});
