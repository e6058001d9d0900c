import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { machineOf } from "../../server/src/assembly/open.ts";
import { ownerTable, principalTable } from "../../server/src/features/locks/tables/lock-tables.ts";
import { Decider } from "./decider.ts";

const quota = 1_048_576;

/** A machine with the smallest quota. */
function smallSpace(): Decider {
  const decider = new Decider();
  decider.decide("configure", { settings: { state_bytes_max: quota } });
  return decider;
}

const secretHash = (seed: number): string => seed.toString(16).padStart(64, "0");

function createToken(decider: Decider, seed: number, more: object = {}) {
  const allow = [{ verbs: ["read"], under: "" }];
  return decider.decide("create-token", { principal: "ci", allow, secret_hash: secretHash(seed), ...more }, "operator");
}

describe("quota of state bytes", () => {
  const filling: readonly (readonly [string, number, (decider: Decider, index: number) => string])[] = [
    ["locks", 1_600, (decider, index) => decider.acquire(`o${index}`, `a/${index}`).code],
    ["tickets", 1_000, (decider, index) => decider.wait(`w${index}`, "held").code],
    ["agents", 900, (decider, index) => decider.decide("register-agent", { name: `agent ${index}` }).code],
    ["tokens", 900, (decider, index) => createToken(decider, index).code],
  ];
  for (const [rows, countMax, add] of filling) {
    test(`${rows} count against the quota of state bytes, and new ones are refused over it [X15]`, () => {
      const decider = smallSpace();
      decider.acquire("holder", "held");
      let count = 0;
      for (; count <= countMax; count += 1) if (add(decider, count) === "space_full") break;
      assert.ok(count > 100 && count <= countMax, `${count} ${rows} were added`);
    });
  }

  test("a full space refuses new locks, tickets, agents and tokens, and still renews, releases and ends [X15]", () => {
    const decider = smallSpace();
    const agent = decider.decide("register-agent", { own_key: "a" }).data["agent_id"] as string;
    const token = createToken(decider, 1, { own_key: "t" }).data["token_id"] as string;
    const held = decider.acquire("ann", "held");
    const { fence } = held.data as { fence: string };
    decider.acquire("ann", "shared:read");
    decider.acquire("bob", "shared:read");
    const { ticket } = decider.wait("bob", "held").data as { ticket: string };
    for (let index = 0; decider.acquire(`filler${index}`, `fill/${index}`).code === "done"; index += 1);
    const full = decider.acquire("cid", "other");
    assert.deepEqual([full.code, full.data["state_bytes_max"]], ["space_full", quota]);
    assert.ok((full.data["state_bytes"] as number) > quota);
    const refused = [
      decider.wait("cid", "held"),
      decider.decide("upgrade-lock", { path: "shared", owner_id: "ann", wait: true }),
      decider.decide("register-agent", {}),
      createToken(decider, 2),
      decider.decide("create-entity", { type: "doc", id: "1", value: 1 }),
    ];
    assert.deepEqual(
      refused.map(({ code }) => code),
      refused.map(() => "space_full"),
    );
    const working = [
      decider.acquire("ann", "held"),
      decider.wait("bob", "held"),
      decider.decide("renew-lock", { fence, owner_id: "ann", note: "still at work" }),
      decider.decide("accept-lock", { ticket, owner_id: "bob" }),
      decider.decide("register-agent", { own_key: "a" }),
      createToken(decider, 3, { own_key: "t" }),
      decider.decide("request-release", { path: "held", reason: "please", owner_id: "bob" }),
      decider.release("ann", "held"),
      decider.decide("end-agent", { agent_id: agent }),
      decider.decide("revoke-token", { token_id: token }, "operator"),
      decider.decide("configure", { settings: { state_bytes_max: 2 * quota } }),
      decider.acquire("cid", "other"),
    ];
    assert.deepEqual(
      working.map(({ code }) => code),
      working.map(() => "done"),
    );
    assert.ok(decider.holders().includes("bob: held write"), "a full space grants the next ticket");
  });

  test("metadata, purpose and note of a lock have 4 KiB together, also when a renewal changes the note [X15]", () => {
    const decider = new Decider();
    const acquire = (path: string, terms: object) =>
      decider.decide("acquire-lock", { paths: [path], owner_id: "o", ttl_seconds: 60, ...terms });
    const before = decider.machine.durable.bytes;
    const huge = acquire("a", { metadata: { a: "y".repeat(900_000) } });
    const [issue] = huge.data["issues"] as { pointer: string; message: string }[];
    assert.deepEqual([huge.code, issue?.pointer], ["input_invalid", "/metadata"]);
    assert.match(issue?.message ?? "", /at most 4096 bytes/u);
    assert.equal(decider.machine.durable.bytes, before);
    const metadata = { a: "y".repeat(3_900) };
    assert.equal(acquire("a", { metadata, purpose: "p".repeat(300) }).code, "input_invalid");
    assert.equal(acquire("a", { metadata, purpose: "p".repeat(100) }).code, "done");
    assert.ok(decider.machine.durable.bytes - before > 4_000, "the quota counts what the lock carries");
    const renew = (note?: string) =>
      decider.decide("renew-lock", { path: "a", owner_id: "o", ...defined({ note }) }).code;
    assert.deepEqual([renew("n".repeat(200)), renew("short"), renew()], ["input_invalid", "done", "done"]);
  });

  test("the owners of a principal share one limit of paths, held and waited for, that an operator sets [X15]", () => {
    const decider = new Decider();
    decider.decide("configure", { settings: { paths_per_principal_max: 5 } });
    decider.acquire("ann", "a b c");
    decider.wait("bob", "a");
    const { code, data } = decider.acquire("cid", "d e");
    assert.deepEqual([code, data], ["lock_limit", { paths: 6, limit: 5, counted: "principal" }]);
    assert.equal(decider.acquire("cid", "d").code, "done");
    assert.equal(decider.wait("bob", "a").code, "done", "a repeated request keeps its ticket at the limit");
    assert.equal(decider.decide("transfer-lock", { path: "d", owner_id: "cid", to: "dee" }).code, "done");
    const other = { paths: ["other"], owner_id: "zoe", ttl_seconds: 60 };
    assert.equal(decider.decide("acquire-lock", other, "another").code, "done");
    decider.release("dee", "d");
    assert.equal(decider.acquire("cid", "d").code, "done");
  });
});

const owner = fc.constantFrom("ann", "bob", "cid");
const path = fc.constantFrom("a", "a/b", "a/b/c", "d", "e/f");
const pick = fc.nat(30);
const text = fc.string({ maxLength: 20, unit: fc.constantFrom("x", "é", "漢") });
const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("acquire" as const), owner, path, text, wait: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("release" as const), owner, path }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("transfer" as const), owner, path, to: owner }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("renew" as const), owner, path, text }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("request" as const), owner, path, text }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("register" as const), text, pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("end" as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("token" as const), text, pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.nat(40_000) }) },
);
type QuotaCommand = typeof command extends fc.Arbitrary<infer C> ? C : never;

function run(decider: Decider, command: QuotaCommand, index: number): void {
  switch (command.do) {
    case "acquire": {
      const { owner, path, text, wait } = command;
      const terms = { ttl_seconds: 20, hold_off_seconds: 5, note: text, metadata: { text } };
      decider.decide("acquire-lock", { paths: [path], owner_id: owner, wait, ...terms }, `of ${owner}`);
      break;
    }
    case "release":
      decider.decide("release-lock", { paths: [command.path], owner_id: command.owner }, `of ${command.owner}`);
      break;
    case "transfer": {
      const { path, owner, to } = command;
      decider.decide("transfer-lock", { path, owner_id: owner, to }, `of ${owner}`);
      break;
    }
    case "renew": {
      const { path, owner, text } = command;
      decider.decide("renew-lock", { path, owner_id: owner, note: text }, `of ${owner}`);
      break;
    }
    case "request": {
      const { path, owner, text } = command;
      decider.decide("request-release", { path, owner_id: owner, reason: text }, `of ${owner}`);
      break;
    }
    case "register":
      decider.decide("register-agent", { name: command.text, own_key: `k${command.pick % 5}` });
      break;
    case "end":
      decider.decide("end-agent", { agent_id: `command-${command.pick}` });
      break;
    case "token":
      createToken(decider, index, { note: command.text, own_key: `t${command.pick % 4}` });
      break;
    case "pass":
      decider.pass(command.ms);
  }
}

describe("counters of the quota", () => {
  test("the bytes and the paths of each principal equal a recount after any commands, also after a rollback [X15]", () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 80, size: "max" }), (commands) => {
        const decider = new Decider();
        for (const [index, item] of commands.entries()) run(decider, item, index);
        const { machine } = decider;
        const bytes = machine.durable.bytes;
        const undone = { paths: ["z/y"], owner_id: "zoe", ttl_seconds: 9, metadata: { a: [1] } };
        const place = { position: 9_999, time: decider.time, grace: false, prior: undefined };
        machine.decide({ id: "undone", operation: "acquire-lock", principal: "z", input: undone }, place);
        assert.ok(machine.durable.bytes > bytes);
        machine.undo();
        const again = machineOf([]);
        again.load(JSON.parse(JSON.stringify([...machine.dump()])) as never);
        assert.equal(machine.durable.bytes, again.durable.bytes);
        assert.equal(machine.durable.bytes, bytes);
        assert.deepEqual(countedPaths(decider), recountedPaths(decider));
      }),
      { numRuns: 60 },
    );
  });
});

interface CountRow {
  readonly principal: string;
  readonly pathCount: number;
  readonly waitCount?: number;
}

function rowsOf(decider: Decider, name: string): readonly CountRow[] {
  return [...decider.machine.dump()].filter(({ table }) => table === name).map(({ row }) => row as CountRow);
}

function countedPaths(decider: Decider): Record<string, number> {
  const rows = rowsOf(decider, principalTable.name);
  return Object.fromEntries(rows.map(({ principal, pathCount }) => [principal, pathCount]));
}

function recountedPaths(decider: Decider): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { principal, pathCount, waitCount = 0 } of rowsOf(decider, ownerTable.name)) {
    counts[principal] = (counts[principal] ?? 0) + pathCount + waitCount;
  }
  return counts;
}
