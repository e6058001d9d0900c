/** The two commands of the README in one checkout: `npm start` goes on while `npm ci` replaces what is installed. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { problemOf } from "@holdfast/sdk/contract";
import { connect } from "holdfast";
import type { CallReply, WatchedEvent } from "holdfast";
import { script } from "../doors/script.ts";
import { doorsOfServer } from "../doors/ways.ts";
import { MeshAgent } from "../mesh/mesh-client.ts";
import { startNats } from "../mesh/private-nats.ts";
import { FreshCheckout } from "./fresh-checkout.ts";
import { startOwnPostgres } from "./private-postgres.ts";
import { inEmptyFolder, type Program, startCommand, startProgram } from "./program.ts";

interface Address {
  readonly url: string;
  /** The token of the operator. */
  readonly token: string;
}

/** Every operation through every door, by the script that reaches each route. */
async function driveOperations({ url, token }: Address): Promise<void> {
  for (const [door, speak] of Object.entries(doorsOfServer)) {
    const { take, close } = await speak(url, token);
    const answers: CallReply[] = [];
    for (const step of script) {
      const reply = await take(step, step.input(answers), step.agent?.(answers));
      answers.push(reply);
      const { outcome } = reply;
      const isAnswer = outcome.kind === "done" || problemOf(outcome.code).status < 500;
      assert.ok(isAnswer, `${step.operation} over ${door}: ${JSON.stringify(outcome)}`);
    }
    await close();
  }
}

/** An erasure saves a checkpoint, and writes the file of the checkpoints anew. */
async function driveErasure({ url, token }: Address): Promise<void> {
  await using operator = await connect(url, { token });
  const id = randomUUID();
  const { position } = await operator.entities.create("note", id, "private");
  await operator.entities.delete("note", id);
  await operator.run("erase-payload", { position, reason: "asked for" });
}

/** What the server shows to people and programs that are no clients. */
async function drivePages({ url }: Address): Promise<void> {
  for (const [page, content] of [
    ["/docs", /<html/],
    ["/openapi.json", /"openapi":/],
    ["/metrics", /^holdfast_/m],
    ["/health", /"ready":true/],
  ] as const) {
    const response = await fetch(url + page);
    assert.equal(response.status, 200, page);
    assert.match(await response.text(), content);
  }
}

/** What clients do on connections that stay: locks, and events as they happen. */
async function driveClients({ url }: Address): Promise<void> {
  for (const transport of ["socket", "http"] as const) {
    await using client = await connect(url, { transport });
    await using lock = await client.acquire("side-by-side", { ttlSeconds: 30 });
    assert.ok(lock.granted);
    const name = "evt.note.created";
    const events = client.watch({ after: await client.cursor(), names: [name] });
    await client.entities.create("note", randomUUID(), transport);
    const { value: event } = (await events.next()) as { readonly value: WatchedEvent };
    assert.equal(event.name, name);
    await events.return?.();
  }
}

async function driveDoors(address: Address): Promise<void> {
  await driveOperations(address);
  await driveErasure(address);
  await drivePages(address);
  await driveClients(address);
}

/** What `npm start` printed when it was up. */
async function addressOf(server: Program, folder: string): Promise<Address> {
  const url = (await server.line(/^ +address/)).replace(/^ +address +/, "");
  await server.line(/Ctrl\+C/);
  return { url, token: readFileSync(join(folder, ".holdfast", "operator-token"), "utf8").trim() };
}

async function assertStopsCleanly(server: Program): Promise<void> {
  server.signal("SIGTERM");
  const { code, lines, errors } = await server.ended;
  assert.equal(code, 0, errors);
  assert.match(lines.at(-1) ?? "", /^stopped; the last position is \d+\.$/);
  assert.doesNotMatch(errors, /ENOENT|ERR_MODULE_NOT_FOUND|Cannot find/);
}

test(
  "a server of npm start answers through every door while its packages are gone and after they are installed again [X12]",
  inEmptyFolder(async (folder) => {
    const checkout = new FreshCheckout(folder);
    const server = startCommand("npm", ["start"], { folder, env: { HOLDFAST_PORT: "0" } });
    try {
      const address = await addressOf(server, folder);
      await using client = await connect(address.url);
      const held = await client.acquire("demo");
      // It gets the lock after the thread that renews it became unloadable, and holds it for longer than a lease.
      const words = ["lock", "demo", "--ttl", "4", "--", "sh", "-c", "echo runs; sleep 6; echo ends"];
      const waiter = startProgram(join(folder, "server", "bin", "holdfast.js"), words, { folder });
      await waiter.errorLine(/waiting, number 1/);

      checkout.remove();
      await held[Symbol.asyncDispose]();
      await waiter.line(/runs/);
      await driveDoors(address);

      checkout.install();
      await driveDoors(address);
      const { code, lines, errors } = await waiter.ended;
      assert.deepEqual([code, lines], [0, ["runs", "ends"]], errors);
      const backup = await startCommand("npx", ["holdfast", "backup", "copy"], { folder }).ended;
      assert.equal(backup.code, 0, backup.errors);
    } finally {
      await assertStopsCleanly(server);
    }
  }),
);

test(
  "a server of npm start connects to Postgres and NATS again after its packages are gone [X12]",
  inEmptyFolder(async (folder) => {
    const checkout = new FreshCheckout(folder);
    const postgres = await startOwnPostgres({ isDurable: true });
    await using stack = new AsyncDisposableStack();
    stack.defer(() => postgres.stop());
    await using nats = await startNats();
    const env = { HOLDFAST_PORT: "0", HOLDFAST_JOURNAL: postgres.url, HOLDFAST_NATS: nats.url };
    const server = startCommand("npm", ["start"], { folder, env });
    try {
      const address = await addressOf(server, folder);
      checkout.remove();
      await Promise.all([postgres.order("crash"), nats.kill()]);
      await Promise.all([postgres.order("start"), nats.start()]);
      await using client = await connect(address.url);
      await client.entities.create("note", "first", 1);
      await using agent = await MeshAgent.connect(nats.url);
      const acquire = { resource_id: "doc/1", owner_id: "ann", ttl_seconds: 60 };
      const authorization = { Authorization: `Bearer ${address.token}` };
      const { headers } = await agent.command("cmd.lock.acquire", acquire, authorization);
      assert.equal(headers["Holdfast-Event"], "evt.lock.acquired");
      await driveDoors(address);
    } finally {
      await assertStopsCleanly(server);
    }
  }),
);
