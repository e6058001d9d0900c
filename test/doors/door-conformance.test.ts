/** Every operation gives the same answer through every door. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { packs, publicOperations, routedOperations } from "@holdfast/sdk/contract";
import type { Operation } from "@holdfast/sdk/contract";
import type { CallReply } from "holdfast";
import { routeRequestOf } from "./route-request.ts";
import { script } from "./operation-script.ts";
import { doorDrivers } from "./door-drivers.ts";

/** Bytes are carried by HTTP and in process only: see test/files and test/http/streams.test.ts. */
const isCarried = ({ body, answer }: Operation): boolean => body === undefined && answer === undefined;
const operations = [...publicOperations, ...packs.flatMap((pack) => pack.operations)].filter(isCarried);

async function answersThrough(door: string): Promise<readonly CallReply[]> {
  await using driver = await doorDrivers[door]!();
  const answers: CallReply[] = [];
  for (const step of script) answers.push(await driver.run(step, step.input(answers), step.agent?.(answers)));
  return answers;
}

let inProcess: Promise<readonly CallReply[]> | undefined;
const expected = (): Promise<readonly CallReply[]> => (inProcess ??= answersThrough("in process"));

/** Replaces the values that differ between runs: random ids, secrets and times. */
function timeless(reply: CallReply): CallReply {
  const text = JSON.stringify(reply)
    .replaceAll(/hf_[0-9a-f]+/gu, "<secret>")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32,}/gu, "<drawn>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "<time>")
    .replaceAll(/\b1\d{12}\b/gu, "0")
    .replaceAll(/"(duration_ms|waited_ms)":\d+/gu, '"$1":0');
  return JSON.parse(text) as CallReply;
}

test("the script runs every operation of the contract and of its packs, and each succeeds at least once", async () => {
  const answers = await expected();
  const driven = new Set(script.map(({ operation }) => operation));
  const missing = operations.filter(({ name }) => !driven.has(name)).map(({ name }) => name);
  assert.deepEqual(missing, []);
  const done = new Set(
    script.filter((_, index) => answers[index]?.outcome.kind === "done").map((one) => one.operation),
  );
  const neverDone = operations.filter(({ name }) => !done.has(name)).map(({ name }) => name);
  assert.deepEqual(neverDone, [
    // It needs a data folder: see test/scenario/operator-socket.test.ts.
    "rotate-operator-token",
    // They need a second person: see test/workspace/approvals.test.ts.
    ...["workspace.delete-project", "workspace.decide-approval", "workspace.restore-project"],
  ]);
});

test("every member of every answer and event has a snake_case name", async () => {
  const answers = await expected();
  const members = new Set(answers.flatMap(({ outcome, events }) => [outcome.data, events].flatMap(membersOf)));
  assert.deepEqual(
    // The key of a map may be a number, such as the one of a run.
    [...members].filter((name) => !/^([a-z][a-z0-9_]*|\d+)$/u.test(name)),
    [],
  );
});

function membersOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(membersOf);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => [name, ...membersOf(part)]);
}

test("the script uses every route of the contract [X8]", async () => {
  const answers = await expected();
  const taken = script.map((step, index) => {
    const before = answers.slice(0, index);
    return routeRequestOf(step, step.input(before), step.agent?.(before))?.routed;
  });
  const missing = routedOperations.filter((routed) => isCarried(routed.operation) && !taken.includes(routed));
  assert.deepEqual(
    missing.map(({ route }) => `${route.method} ${route.path}`),
    [],
  );
});

/** The part of a reply that a route returns: no events, and one position of a problem. */
function asRoute({ outcome, position, replayed }: CallReply): unknown {
  if (outcome.kind === "done") return { outcome, position, replayed };
  const { position: _position, ...data } = outcome.data;
  return { outcome: { ...outcome, data }, position, replayed };
}

for (const door of Object.keys(doorDrivers).filter((one) => one !== "in process")) {
  test(`every operation through ${door} gives the same answer as in process [X8]`, async () => {
    const [wanted, actual] = [await expected(), await answersThrough(door)];
    for (const [index, { operation }] of script.entries()) {
      const [one, other] = [timeless(actual[index]!), timeless(wanted[index]!)];
      const isRoute = door === "HTTP routes";
      assert.deepEqual(isRoute ? asRoute(one) : one, isRoute ? asRoute(other) : other, `${String(index)} ${operation}`);
    }
  });
}
