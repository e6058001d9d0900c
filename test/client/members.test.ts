import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { packs, problems, publicOperations } from "@holdfast/sdk/contract";
import type { Problem } from "@holdfast/sdk/contract";
import { HoldfastError, isConflict, isDenied } from "holdfast";
import type { Entity } from "holdfast";
import * as guards from "../../sdk/src/client/data/problem-guards.ts";
import * as intentGuards from "../../sdk/src/client/data/intents-guards.ts";
import * as fileGuards from "../../sdk/src/client/data/files-guards.ts";
import * as jobGuards from "../../sdk/src/client/data/jobs-guards.ts";
import * as programGuards from "../../sdk/src/client/data/programs-guards.ts";
import * as workspaceGuards from "../../sdk/src/client/data/workspace-guards.ts";
import * as planningGuards from "../../sdk/src/client/data/planning-guards.ts";
import { clientName } from "../../sdk/src/client/data/client-form.ts";
import { guardName } from "../../tools/make-client-data.ts";
import { coreProblemData } from "../../sdk/src/contract/problem-data.ts";
import { refusalOf } from "../api/refused-with.ts";
import { startNode } from "../engine/start-node.ts";
import { onEveryTransport } from "./every-transport.ts";

/** Names that a mapping by spelling would change. */
const names = fc.constantFrom("user_id", "userId", "__a", "ttl_seconds", "owner_id", "a_b_c", "_", "x-y", "ttlMs");
const value = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    fc.string(),
    fc.integer(),
    fc.constant(null),
    fc.array(tie("node"), { maxLength: 3 }),
    fc.dictionary(names, tie("node"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).node;

interface Plan {
  readonly title: string;
  readonly due_at: number;
}

describe("members of the wire and of the client", () => {
  test("entity values, patches, metadata and pointers pass byte for byte, regardless of their names", async () => {
    const node = await startNode({});
    const { client } = node;
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.dictionary(names, value, { maxKeys: 4, noNullPrototype: true }), async (given) => {
        count += 1;
        const id = String(count);
        const text = JSON.stringify(given);
        const made = await client.entities.create("doc", id, given);
        assert.equal(JSON.stringify(made.value), text);
        assert.equal(JSON.stringify((await client.entities.get("doc", id)).value), text);
        const merged = await client.entities.patch("doc", id, { merge: { user_id: given, userId: 1 } });
        assert.deepEqual((merged.value as Record<string, unknown>)["userId"], 1);
        const [step] = (await client.entities.history("doc", id, { limit: 1 })).items;
        assert.deepEqual((step?.data as { merge: unknown }).merge, { user_id: given, userId: 1 });
        const metadata = { user_id: given, __a: given };
        const lock = { paths: [`p/${id}`], ownerId: "ann", ttlMs: 60_000, metadata };
        await client.operations.acquireLock(lock);
        const records = await client.locks.records({ ownerId: "ann", limit: 1_000 });
        const own = records.items.find(({ resource }) => resource === `p/${id}`);
        assert.equal(JSON.stringify(own?.metadata.user_id), text);
        assert.equal(JSON.stringify(own?.metadata.__a), text);
        const stale = { expectedVersion: 1, ifUnchanged: ["/user_id"] };
        const conflict = await refusalOf(client.entities.patch("doc", id, { merge: { user_id: 2 } }, stale));
        assert.ok(isConflict(conflict));
        const { changes = [] } = conflict.data;
        assert.ok(changes.every(({ pointer }) => /^\/(user_id|userId)/u.test(pointer)));
      }),
      { numRuns: 30, seed: 7 },
    );
    await node.engine.stop();
  });

  test("payloads and results of jobs, and payloads and corrections of intents, pass byte for byte", async () => {
    const node = await startNode({});
    const worker = node.client.as(await node.client.agents.register({ name: "worker" }));
    const { jobs } = worker.operations;
    const { intents } = node.client.operations;
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.dictionary(names, value, { maxKeys: 4, noNullPrototype: true }), async (given) => {
        count += 1;
        const [id, text] = [String(count), JSON.stringify(given)];
        await jobs.submit({ id, type: "t", payload: given });
        const { next } = await jobs.offer({ types: ["t"], slots: 1 });
        const [started] = next ?? [];
        assert.equal(JSON.stringify(started?.payload), text);
        await jobs.complete({ id, claim: started?.claim ?? "", result: given });
        assert.equal(JSON.stringify((await jobs.get({ id })).result), text);
        const made = await intents.create({ id, payload: given });
        assert.equal(JSON.stringify(made.payload), text);
        const corrected = { diff: { user_id: given, userId: 1, __a: given }, source: "s", reason: "user_id" };
        await intents.reevaluate({ id, ...corrected });
        const { payload, correctionHistory } = await intents.get({ id });
        assert.equal((payload as Record<string, unknown>)["userId"], 1);
        assert.deepEqual(correctionHistory[0]?.diff, corrected.diff);
      }),
      { numRuns: 20, seed: 7 },
    );
    await node.engine.stop();
  });

  onEveryTransport("durations are in milliseconds, and one that is not a whole second is refused", async (client) => {
    const granted = await client.operations.acquireLock({ paths: ["a"], ownerId: "o", ttlMs: 45_000 });
    assert.equal(granted.granted && granted.ttlMs, 45_000);
    const refused = await refusalOf(client.operations.acquireLock({ paths: ["b"], ownerId: "o", ttlMs: 1_500 }));
    assert.equal(refused.code, "input_invalid");
    const message = "must be a multiple of 1,000: the server counts in seconds";
    assert.deepEqual(refused.data.issues, [{ pointer: "/ttlMs", message }]);
  });

  test("every time in a reply or a refusal is a text in ISO 8601, never a number", () => {
    const operations = [...publicOperations, ...packs.flatMap((pack) => pack.operations)];
    const outputs = operations.map(({ name, output }) => [name, output] as const);
    const refusals = Object.entries<Problem>(problems).map(([code, { data }]) => [code, data] as const);
    const found = [...outputs, ...refusals].flatMap(([name, schema]) => numericTimes(schema as Schema, name));
    // The end of a unique key is a state of the job, or a number of seconds.
    assert.deepEqual(
      found.filter((member) => !member.endsWith(".unique.until")),
      [],
    );
    const planted = { properties: { items: { items: { properties: { changed_at: { type: "integer" } } } } } };
    assert.deepEqual(numericTimes(planted, "planted"), ["planted.items.changed_at"]);
  });

  test("a call by name has the members of the wire in both directions", async () => {
    const node = await startNode({});
    const registered = await node.client.run("register-agent", { own_key: "k", inactivity_seconds: 600 });
    assert.deepEqual(
      Object.keys(registered).filter((name) => /[A-Z]/u.test(name)),
      [],
    );
    assert.equal(typeof registered.agent_id, "string");
    await node.engine.stop();
  });

  test("the client offers every operation of the contract and of its packs under its own name", async () => {
    const node = await startNode({});
    const methodOf = (name: string): string => clientName(name.replaceAll("-", "_"));
    const { operations } = node.client as unknown as { operations: Record<string, unknown> };
    for (const { name } of publicOperations) assert.equal(typeof operations[methodOf(name)], "function", name);
    for (const pack of packs) {
      const group = operations[pack.name] as Record<string, unknown>;
      for (const { name } of pack.operations) {
        assert.equal(typeof group[methodOf(name.slice(pack.name.length + 1))], "function", name);
      }
    }
    const made = await node.client.operations.planning.createOrganization({ id: "acme", name: "Acme" });
    assert.deepEqual([made.name, made.previousRevision], ["Acme", null]);
    await node.engine.stop();
  });

  onEveryTransport("typed entities give the value type of the program, and find gives undefined", async (client) => {
    const plans = client.entities<Plan>("plan");
    const made = await plans.create("1", { title: "Launch", due_at: 5 });
    const title: string = made.value.title;
    assert.equal(title, "Launch");
    const found: Entity<Plan> | undefined = await plans.find("1");
    assert.equal(found?.value.due_at, 5);
    assert.equal(await plans.find("2"), undefined);
    assert.equal(await client.entities.find("plan", "2"), undefined);
    await plans.update("1", (plan) => ({ ...plan, due_at: 6 }));
    assert.equal((await plans.get("1")).value.due_at, 6);
    await plans.delete("1");
    assert.equal(await plans.find("1"), undefined);
  });
});

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** The members of a schema that are named like a time and may be a number. */
function numericTimes(schema: Schema | undefined, at: string): readonly string[] {
  const { properties = {}, patternProperties = {}, items, anyOf = [] } = schema ?? {};
  const isNumber = ({ type = "", anyOf: choices = [] }: Schema): boolean =>
    ["integer", "number"].includes(type) || choices.some(isNumber);
  return [
    ...Object.entries(properties).flatMap(([name, member]) => [
      ...(/(?:^|_)(?:time|at|since|until)$/u.test(name) && isNumber(member) ? [`${at}.${name}`] : []),
      ...numericTimes(member, `${at}.${name}`),
    ]),
    ...[...Object.values(patternProperties), ...anyOf, ...(items === undefined ? [] : [items])].flatMap((part) =>
      numericTimes(part, at),
    ),
  ];
}

type Guards = typeof guards &
  typeof planningGuards &
  typeof intentGuards &
  typeof programGuards &
  typeof jobGuards &
  typeof fileGuards;
type Narrowed<Guard> = Guard extends ((error: unknown) => error is infer Known) ? Known : never;
/** Guards whose error has no literal code, or whose data is not described. */
type Wide = {
  [Name in keyof Guards]: Narrowed<Guards[Name]> extends { readonly code: infer Code; readonly data: infer Data }
    ? string extends Code
      ? Name
      : unknown extends Data
        ? Name
        : never
    : Name;
}[keyof Guards];

describe("guards of problems", () => {
  test("every problem with data has a guard that narrows the error to its code and its data", () => {
    const wide: readonly Wide[] = [] satisfies readonly never[];
    assert.equal(wide.length, 0);
    const all = {
      ...guards,
      ...planningGuards,
      ...intentGuards,
      ...programGuards,
      ...jobGuards,
      ...fileGuards,
      ...workspaceGuards,
    } as Readonly<Record<string, (error: unknown) => boolean>>;
    const packProblems = packs.flatMap(({ problems }) => Object.entries(problems));
    const codes = [
      ...Object.keys(coreProblemData),
      ...packProblems.filter(([, problem]) => problem.data !== undefined).map(([code]) => code),
    ];
    assert.deepEqual(codes.map(guardName).sort(), Object.keys(all).sort());
    for (const code of codes) {
      const error = new HoldfastError("run", code);
      const matching = Object.keys(all).filter((name) => all[name]?.(error) === true);
      assert.deepEqual(matching, [guardName(code)], code);
    }
  });

  test("a guard accepts the code of a pack, and refuses other errors and errors with the members of the wire", () => {
    assert.ok(isConflict(new HoldfastError("run", "planning.concurrency_mismatch")));
    assert.ok(!isDenied(new HoldfastError("run", "lock_denied", { isWire: true })));
    assert.ok(!isDenied(new Error("lock_denied")));
  });
});
