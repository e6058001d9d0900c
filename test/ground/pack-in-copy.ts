/**
 * The tests of the pack that a guide describes. They run in a copy of the project that has the pack, started by
 * throw-away-pack.test.ts.
 */
import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "node:test";
import { connect, open } from "holdfast";
import type { Client, WatchedEvent } from "holdfast";
import { verificationOf } from "../../server/src/assembly/data-folder.ts";
import type { Entry } from "../../server/src/machine/entry.ts";
import { gatedNode } from "../access/gated-node.ts";
import { refusalOf } from "../api/refused-with.ts";
import { clientNode } from "../client/client-node.ts";
import { doorDrivers } from "../doors/door-drivers.ts";
import { withCliServer } from "../scenario/cli-terminal.ts";
import { notesScript } from "./notes-script.ts";

type Members = Readonly<Record<string, unknown>>;

for (const [door, openDriver] of Object.entries(doorDrivers)) {
  test(`every operation of the pack answers as its guide says through ${door}`, async () => {
    await using driver = await openDriver();
    for (const { operation, input, key, code, data = {} } of notesScript) {
      const step = { operation, input: () => input, ...defined({ key }) };
      const { outcome } = await driver.run(step, input, undefined);
      const shown = `${operation}: ${JSON.stringify(outcome)}`;
      assert.equal(outcome.kind === "refusal" ? outcome.code : undefined, code, shown);
      for (const [name, value] of Object.entries(data)) {
        assert.deepEqual((outcome.data as Members)[name], value, `${name} of ${shown}`);
      }
    }
  });
}

test(
  "every operation of the pack answers as its guide says through the command line",
  withCliServer(async ({ cli }) => {
    for (const { operation, input, key, code } of notesScript) {
      const words = [
        "run",
        operation,
        JSON.stringify(input),
        "--operator",
        "--json",
        ...(key === undefined ? [] : ["--key", key]),
      ];
      const { out, code: exit } = await cli(words);
      const answer = JSON.parse(out) as Members;
      assert.equal(exit === 0 ? undefined : answer["code"], code, `${operation}: ${out}`);
    }
  }),
);

const milk = "buy milk";
const bytesOperations = [
  ["notes.read-text", { id: "b1/n1" }],
  ["notes.weigh-text", { book: "b1" }],
] as const;
const both = [{ id: "b1/n1" }, { id: "b2/n1" }];

/** Pins a note of two books and signs a text in each. */
async function workInTwoBooks(node: Awaited<ReturnType<typeof gatedNode>>): Promise<void> {
  for (const { id } of both) {
    await node.operator.run("notes.create", { id, text: "a b" });
    await node.operator.run("notes.pin", { id });
    await node.operator.run("notes.sign", { book: id.slice(0, 2), text: "t" });
  }
  await node.operator.entities.create("end", "1", {});
}

test("a token for one book sees the events, the history and the explanations of that book and of no other", async () => {
  const node = await gatedNode();
  await workInTwoBooks(node);
  const allow = [
    { verbs: ["read" as const], under: "book/b1" },
    { verbs: ["read" as const], under: "end" },
  ];
  const client = node.clientWith({ token: await node.tokenFor("reader", allow) });
  const seen: string[] = [];
  for await (const { name, subject } of client.watch({ after: "1.0" }) as AsyncIterable<WatchedEvent>) {
    if (subject === "end/1") break;
    seen.push(`${name} ${subject}`);
  }
  assert.deepEqual(seen, [
    ...["evt.note.created note/b1/n1", "evt.note.marked note/b1/n1"],
    ...["evt.note.pinned note/b1/n1", "evt.notes.signed notes/b1"],
  ]);
  const history = (await client.entities.history("note", "b1/n1")).items.map(({ event }) => event);
  assert.deepEqual(history, ["evt.note.marked", "evt.note.pinned", "evt.note.created"]);
  assert.equal((await refusalOf(client.entities.history("note", "b2/n1"))).code, "not_allowed");
  assert.equal((await refusalOf(client.run("notes.count", { book: "b2" }))).code, "not_allowed");
  const writer = node.clientWith({ token: await node.tokenFor("writer", [{ verbs: ["write"], under: "book/b1" }]) });
  const { code, data } = await refusalOf(writer.run("notes.pin", { id: "b1/n1" }));
  assert.deepEqual(
    [code, data],
    ["notes.already_pinned", {}],
    "an explanation is hidden from a caller that may not read",
  );
  assert.deepEqual((await refusalOf(writer.run("notes.pin", { id: "b2/n1" }))).code, "not_allowed");
  await node.stop();
});

test("an author gets the notices of its pinned notes, and a token for another book does not see them", async () => {
  const node = await gatedNode();
  await node.operator.run("notes.create", { id: "b1/n1", text: "a b", author: "ann" });
  await node.operator.run("notes.pin", { id: "b1/n1" });
  const [all, other] = await Promise.all(
    ["", "book/b2"].map(async (under) => {
      const client = node.clientWith({ token: await node.tokenFor("reader", [{ verbs: ["read"], under }]) });
      return client.notices({ owner: "ann" });
    }),
  );
  const pinned = (id: string) => ({
    ...{ notice: "note.pinned", ownerId: "ann", paths: [`book/${id.replace("/", "/note/")}`], noteId: id },
    words: 2,
  });
  assert.deepEqual((await all?.next())?.value, pinned("b1/n1"), "a new listener gets the current notices");
  await node.operator.run("notes.create", { id: "b2/n1", text: "a b", author: "ann" });
  await node.operator.run("notes.pin", { id: "b2/n1" });
  assert.deepEqual((await all?.next())?.value, pinned("b2/n1"));
  assert.deepEqual((await other?.next())?.value, pinned("b2/n1"), "the notice of the other book is left out");
  await Promise.all([all?.return?.(), other?.return?.()]);
  await node.stop();
});

test("the evidence of a pack is recorded, and a change of the note needs a new verdict", async () => {
  await using client = await open({ memory: true });
  await client.run("notes.create", { id: "b1/n1", text: "good" });
  assert.deepEqual(await client.run("notes.proofread", { id: "b1/n1" }), { version: 1 });
  await client.run("notes.update", { id: "b1/n1", changes: { text: "baaad" }, expected_revision: "1.1" });
  const { code, data } = await refusalOf(client.run("notes.proofread", { id: "b1/n1" }));
  assert.deepEqual([code, data], ["notes.misspelled", { faults: ["baaad"] }]);
  const { items } = await client.journal.list({ subject: "note/b1/n1" });
  const found = items.find(({ operation }) => operation === "notes.proofread");
  assert.deepEqual(found?.evidence, { check: "notes-spelling/1", version: 1, faults: [] });
});

test("the audit trail shows the events of the pack as records, and their data can be erased", async () => {
  const node = await gatedNode();
  await workInTwoBooks(node);
  const { items } = await node.operator.audit.list({ operation: "notes.pin" });
  assert.deepEqual(
    items.map(({ records }) => records),
    both.map(() => [{ event: "NOTE_PINNED", words: 2 }]),
  );
  const [signed] = (await node.operator.audit.list({ operation: "notes.sign" })).items;
  assert.ok(signed?.records?.[0]?.event === "TEXT_SIGNED");
  await node.operator.run("erase-payload", { position: signed.position, reason: "asked for" });
  const [erased] = (await node.operator.audit.list({ operation: "notes.sign" })).items;
  assert.deepEqual(erased?.records, [{ event: "TEXT_SIGNED" }]);
  await node.stop();
});

test("a loan of the pack ends at its time, not before, and the note can be lent again", async () => {
  await using node = await clientNode();
  const client = node.fresh("ann");
  await client.run("notes.create", { id: "b1/n1", text: "a b" });
  await client.run("notes.lend", { id: "b1/n1", reader: "ann", lend_ms: 60_000 });
  const loans = async (): Promise<readonly Members[]> =>
    ((await client.run("notes.list-loans", { book: "b1" })) as { readonly loans: readonly Members[] }).loans;
  const events = async (): Promise<readonly string[]> =>
    (await client.entities.history("note", "b1/n1")).items.map(({ event }) => event);
  await node.clock.pass(59_000, 1_000);
  assert.deepEqual(
    (await loans()).map(({ id, reader }) => [id, reader]),
    [["b1/n1", "ann"]],
  );
  const { code } = await refusalOf(client.run("notes.lend", { id: "b1/n1", reader: "bob", lend_ms: 1_000 }));
  assert.equal(code, "notes.already_lent");
  await node.clock.pass(2_000, 1_000);
  assert.deepEqual(await loans(), []);
  assert.deepEqual(await events(), ["evt.note.returned", "evt.note.lent", "evt.note.created"]);
  await client.run("notes.lend", { id: "b1/n1", reader: "bob", lend_ms: 1_000 });
  assert.equal((await loans()).length, 1);
});

test("the deletion of a note ends its loan in the same entry, and the data of an open loan cannot be erased", async () => {
  await using client = await open({ memory: true });
  await client.run("notes.create", { id: "b1/n1", text: "a b" });
  await client.run("notes.lend", { id: "b1/n1", reader: "ann", lend_ms: 60_000 });
  const [lent] = (await client.audit.list({ operation: "notes.lend" })).items;
  const position = lent?.position ?? 0;
  const erase = () => client.run("erase-payload", { position, reason: "asked for" });
  assert.equal((await refusalOf(erase())).code, "entry_in_use");
  await client.run("notes.delete", { id: "b1/n1" });
  const [deleted] = (await client.audit.list({ operation: "notes.delete" })).items;
  assert.deepEqual(deleted?.events, ["evt.note.deleted", "evt.note.returned"]);
  await erase();
});

test("a loan of the pack outlives a restart of the server", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-loans-"));
  context.after(() => {
    rmSync(folder, { recursive: true });
  });
  const loansOf = (client: Client) => client.run("notes.list-loans", { book: "b1" });
  let before: unknown;
  {
    await using client = await open(folder);
    await client.run("notes.create", { id: "b1/n1", text: "a b" });
    await client.run("notes.lend", { id: "b1/n1", reader: "ann", lend_ms: 60_000 });
    before = await loansOf(client);
  }
  await using client = await open(folder);
  assert.deepEqual(await loansOf(client), before);
});

test("the read rule of the pack refuses the list to an agent and not to an operator", async () => {
  await using client = await open({ memory: true });
  const agent = client.as(await client.agents.register({ name: "a" }));
  assert.equal((await refusalOf(agent.run("notes.list", {}))).code, "notes.list_closed");
  assert.equal((await refusalOf(agent.entities.list("note"))).code, "notes.list_closed");
  assert.deepEqual(await client.run("notes.list", {}), { items: [], next: null });
});

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test(
  "a stream of the pack has a length, a type, a tag and ranges, and its upload is read, in process and over HTTP",
  withCliServer(async ({ url }) => {
    for (const connecting of [open({ memory: true }), connect(url)]) {
      await using client = await connecting;
      await client.run("notes.create", { id: "b1/n1", text: milk });
      const { stream, outcome: read } = await client.execute(
        "notes.read-text",
        { id: "b1/n1" },
        { acceptsStream: true },
      );
      assert.ok(stream !== undefined, JSON.stringify(read));
      assert.deepEqual([stream.length, stream.contentType], [milk.length, "text/plain"]);
      assert.match(stream.etag ?? "", /b1\/n1-1/u);
      assert.equal(await textOf(stream.open({ start: 4, end: 8 })), "milk");
      const body = Readable.from([Buffer.from("one tw"), Buffer.from("o three")]);
      const { outcome } = await client.execute("notes.weigh-text", { book: "b1" }, { body });
      assert.equal((outcome.data as Members)["words"], 3);
    }
  }),
);

for (const door of ["HTTP commands", "the socket", "NATS"] as const) {
  test(`bytes of the pack are refused through ${door} with operation_needs_http`, async () => {
    await using driver = await doorDrivers[door]?.();
    assert.ok(driver !== undefined);
    for (const [operation, input] of bytesOperations) {
      const { outcome } = await driver.run({ operation, input: () => input }, input, undefined);
      assert.equal(outcome.kind === "refusal" ? outcome.code : undefined, "operation_needs_http", operation);
    }
  });
}

test("the rule of the pack about targets refuses files below a book", async () => {
  await using client = await open({ memory: true });
  const agent = client.as(await client.agents.register({ name: "a" }));
  assert.equal((await refusalOf(agent.run("files.get", { target: "book/b1" }))).code, "notes.no_files");
  assert.equal((await refusalOf(agent.run("files.list-versions", { target: "book/b1" }))).code, "notes.no_files");
  assert.notEqual((await refusalOf(agent.run("files.get", { target: "shelf" }))).code, "notes.no_files");
});

test("a pack is off while a component that it needs is off, and switching it on explicitly refuses the start", async () => {
  const off = { component_toggles: { lock_manager: false } };
  await using client = await open({ memory: true }, off);
  for (const [operation, input] of [
    ["notes.count", { book: "b" }],
    ["notes.sign", { book: "b", text: "t" }],
  ] as const) {
    const { code, data } = await refusalOf(client.run(operation, input));
    assert.deepEqual([code, data], ["notes.off", { toggle: "component_toggles.lock_manager" }]);
  }
  const explicit = { component_toggles: { lock_manager: false, notes: true } };
  await assert.rejects(
    open({ memory: true }, explicit),
    /needs lock_manager, but component_toggles\.lock_manager is off/u,
  );
  await using own = await open({ memory: true }, { component_toggles: { notes: false } });
  const { code, data } = await refusalOf(own.run("notes.count", { book: "b" }));
  assert.deepEqual([code, data], ["notes.off", { toggle: "component_toggles.notes" }]);
});

test("verify decides the refusals of a pack of this build again, and folds those of an unknown one", () => {
  const { canRedecide } = verificationOf([]);
  const entry = (code: string) => ({ outcome: { kind: "refusal", code, data: {} } }) as unknown as Entry;
  assert.deepEqual(
    ["notes.already_pinned", "planning.name_taken", "unknown.code"].map((code) => canRedecide(entry(code))),
    [true, true, false],
  );
});
