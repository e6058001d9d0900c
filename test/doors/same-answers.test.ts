/** Each operation, driven through every door, gives the same answer. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { packs, publicOperations, routedOperations } from "@holdfast/sdk/contract";
import type { CallReply } from "holdfast";
import { spell } from "./route-way.ts";
import { script } from "./script.ts";
import { ways } from "./ways.ts";

const operations = [...publicOperations, ...packs.flatMap((pack) => Object.values(pack.operations))];

async function answersThrough(way: string): Promise<readonly CallReply[]> {
  await using there = await ways[way]!();
  const answers: CallReply[] = [];
  for (const step of script) answers.push(await there.take(step, step.input(answers), step.agent?.(answers)));
  return answers;
}

let inProcess: Promise<readonly CallReply[]> | undefined;
const expected = (): Promise<readonly CallReply[]> => (inProcess ??= answersThrough("in process"));

/** What differs from one run to the next by its nature: names that are drawn, secrets, and the time of day. */
function timeless(reply: CallReply): CallReply {
  const text = JSON.stringify(reply)
    .replaceAll(/hf_[0-9a-f]+/gu, "<secret>")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32,}/gu, "<drawn>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "<time>")
    .replaceAll(/\b1\d{12}\b/gu, "0");
  return JSON.parse(text) as CallReply;
}

test("the script drives every operation of the contract and of its packs, and each to success", async () => {
  const answers = await expected();
  const driven = new Set(script.map(({ operation }) => operation));
  const missing = operations.filter(({ name }) => !driven.has(name)).map(({ name }) => name);
  assert.deepEqual(missing, []);
  const done = new Set(
    script.filter((_, index) => answers[index]?.outcome.kind === "done").map((one) => one.operation),
  );
  const neverDone = operations.filter(({ name }) => !done.has(name)).map(({ name }) => name);
  assert.deepEqual(neverDone, []);
});

test("every member of every answer and event is snake_case", async () => {
  const answers = await expected();
  const members = new Set(answers.flatMap(({ outcome, events }) => [outcome.data, events].flatMap(membersOf)));
  assert.deepEqual(
    [...members].filter((name) => !/^[a-z][a-z0-9_]*$/u.test(name)),
    [],
  );
});

function membersOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(membersOf);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => [name, ...membersOf(part)]);
}

test("the script goes through every route of the contract [X8]", async () => {
  const answers = await expected();
  const taken = script.map((step, index) => {
    const before = answers.slice(0, index);
    return spell(step, step.input(before), step.agent?.(before))?.routed;
  });
  const missing = routedOperations.filter((routed) => !taken.includes(routed));
  assert.deepEqual(
    missing.map(({ route }) => `${route.method} ${route.path}`),
    [],
  );
});

/** What an answer over a route tells: no events, and of a problem one position. */
function asRoute({ outcome, position, replayed }: CallReply): unknown {
  if (outcome.kind === "done") return { outcome, position, replayed };
  const { position: _position, ...data } = outcome.data;
  return { outcome: { ...outcome, data }, position, replayed };
}

for (const way of Object.keys(ways).filter((one) => one !== "in process")) {
  test(`every operation through ${way} answers as in process [X8]`, async () => {
    const [wanted, actual] = [await expected(), await answersThrough(way)];
    for (const [index, { operation }] of script.entries()) {
      const [one, other] = [timeless(actual[index]!), timeless(wanted[index]!)];
      const isRoute = way === "the routes of HTTP";
      assert.deepEqual(isRoute ? asRoute(one) : one, isRoute ? asRoute(other) : other, `${String(index)} ${operation}`);
    }
  });
}
