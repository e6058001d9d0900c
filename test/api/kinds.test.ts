import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defineKind, open, refuse } from "holdfast";
import Type from "typebox";
import { refusalOf, refusedWith } from "./refused-with.ts";
import { promise, promiseOnEveryStore } from "./with-client.ts";

describe("entity kinds", () => {
  promiseOnEveryStore("a kind checks every change of its entities against its schema", async ({ entities }) => {
    const refused = await refusalOf(entities.create("ticket", "1", { title: "", status: "new" }));
    assert.equal(refused.code, "kind_violated");
    assert.deepEqual(
      (refused.data["issues"] as { pointer: string }[]).map(({ pointer }) => pointer),
      ["/title", "/status"],
    );
    await entities.create("ticket", "1", { title: "a", status: "open" });
    await assert.rejects(entities.patch("ticket", "1", { merge: { color: "red" } }), refusedWith("kind_violated"));
    await assert.rejects(entities.replace("ticket", "1", {}), refusedWith("kind_violated"));
    const steps = [{ op: "remove" as const, path: "/title" }];
    await assert.rejects(entities.patch("ticket", "1", { patch: steps }), refusedWith("kind_violated"));
    assert.equal((await entities.get("ticket", "1")).version, 1);
  });

  promise("a kind checks every change against its rule, for every operation", async ({ entities }) => {
    await entities.create("ticket", "1", { title: "a", status: "closed" });
    const open = { title: "a", status: "open" };
    await assert.rejects(entities.replace("ticket", "1", open), refusedWith("ticket.stays_closed"));
    await assert.rejects(entities.patch("ticket", "1", { merge: open }), refusedWith("ticket.stays_closed"));
  });

  promise("a command of a kind has conditions, keys and published names like any other command", async (client) => {
    const { entities } = client;
    await entities.create("ticket", "1", { title: "a", status: "open" });
    const stale = client.run("close-ticket", { id: "1", reason: "done", expected_version: 7 });
    await assert.rejects(stale, refusedWith("concurrency_mismatch"));
    const first = await client.execute("close-ticket", { id: "1", reason: "done", expected_version: 1 }, { key: "k" });
    assert.deepEqual(first.outcome.kind === "done" && (first.outcome.data as { value: unknown }).value, {
      title: "a",
      status: "closed",
      reason: "done (alice)",
    });
    assert.equal(first.events[0]?.name, "evt.ticket.closed");
    const again = await client.execute("close-ticket", { id: "1", reason: "done", expected_version: 1 }, { key: "k" });
    assert.deepEqual({ ...again, replayed: false }, first);
    const refused = await refusalOf(client.run("close-ticket", { id: "1", reason: "again" }));
    assert.deepEqual([refused.code, refused.data], ["ticket.already_closed", { reason: "done (alice)" }]);
    await assert.rejects(client.run("close-ticket", { id: "2", reason: "x" }), refusedWith("entity_not_found"));
    await assert.rejects(client.run("close-ticket", { id: "1" }), refusedWith("input_invalid"));
  });

  test("a rule of a kind reads other entities at the position of its own decision", async () => {
    const task = defineKind({
      type: "task",
      value: Type.Object({ project: Type.String() }),
      rule: (next, _previous, { get }) =>
        next !== undefined && get("project", next.project) === undefined
          ? refuse("no_project", { ...next })
          : undefined,
    });
    await using client = await open({ memory: true }, { kinds: [task] });
    const results = await Promise.allSettled([
      client.entities.create("task", "1", { project: "p" }),
      client.entities.create("project", "p", {}),
      client.entities.create("task", "2", { project: "p" }),
      client.entities.delete("project", "p"),
      client.entities.create("task", "3", { project: "p" }),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ["rejected", "fulfilled", "fulfilled", "fulfilled", "rejected"],
    );
  });

  test("a kind that returns a value outside JSON causes an internal error, and nothing is written", async () => {
    const broken = defineKind({
      type: "thing",
      value: Type.Object({ n: Type.Number() }),
      commands: {
        spoil: {
          summary: "Returns a value outside JSON.",
          input: {},
          event: "spoilt",
          decide: () => ({ n: Number.NaN }),
        },
      },
    });
    const reports: string[] = [];
    await using client = await open(
      { memory: true },
      { kinds: [broken], client: { retry: false }, report: (message) => reports.push(message) },
    );
    await client.entities.create("thing", "1", { n: 1 });
    await assert.rejects(client.run("spoil-thing", { id: "1" }), refusedWith("internal_error"));
    assert.deepEqual((await client.entities.get("thing", "1")).value, { n: 1 });
    assert.equal(reports.length, 1);
  });

  test("a kind cannot be defined twice, and its commands cannot have the name of another operation", async () => {
    const kind = defineKind({ type: "thing", value: Type.Any() });
    await assert.rejects(open({ memory: true }, { kinds: [kind, kind] }), /two kinds have the type thing/);
    const command = { summary: "", input: {}, event: "x", decide: () => 1 };
    const entity = defineKind({ type: "entity", value: Type.Any(), commands: { create: command } });
    await assert.rejects(open({ memory: true }, { kinds: [entity] }), /two operations have the name create-entity/);
  });
});
