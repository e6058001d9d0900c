/** Uses every interface of a running server, as programs, people and clients do. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { problemOf } from "@holdfast/sdk/contract";
import { connect } from "holdfast";
import type { CallReply, WatchedEvent } from "holdfast";
import { script } from "../doors/operation-script.ts";
import { doorsOfServer } from "../doors/door-drivers.ts";

export interface ServerAddress {
  readonly url: string;
  /** The token of the operator. */
  readonly token: string;
}

/** Every operation through every door, by the script that reaches each route. */
async function driveOperations({ url, token }: ServerAddress): Promise<void> {
  for (const [door, speak] of Object.entries(doorsOfServer)) {
    const { run, close } = await speak(url, token);
    const answers: CallReply[] = [];
    for (const step of script) {
      const reply = await run(step, step.input(answers), step.agent?.(answers));
      answers.push(reply);
      const { outcome } = reply;
      const isAnswer = outcome.kind === "done" || problemOf(outcome.code).status < 500;
      assert.ok(isAnswer, `${step.operation} over ${door}: ${JSON.stringify(outcome)}`);
    }
    await close();
  }
}

/** An erasure saves a checkpoint, and replaces the file of the checkpoints. */
async function driveErasure({ url, token }: ServerAddress): Promise<void> {
  await using operator = await connect(url, { token });
  const id = randomUUID();
  const { position } = await operator.entities.create("note", id, "private");
  await operator.entities.delete("note", id);
  await operator.run("erase-payload", { position, reason: "asked for" });
}

/** The pages of the server for people, browsers and monitoring. */
async function drivePages({ url }: ServerAddress): Promise<void> {
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

/** Locks and live events on connections that stay open. */
async function driveClients({ url }: ServerAddress): Promise<void> {
  for (const transport of ["socket", "http"] as const) {
    await using client = await connect(url, { transport });
    await using lock = await client.acquire("side-by-side", { ttlMs: 30_000 });
    assert.ok(lock.granted);
    const name = "evt.note.created";
    const events = client.watch({ after: await client.cursor(), names: [name] });
    await client.entities.create("note", randomUUID(), transport);
    const { value: event } = (await events.next()) as { readonly value: WatchedEvent };
    assert.equal(event.name, name);
    await events.return?.();
  }
}

export async function driveDoors(address: ServerAddress): Promise<void> {
  await driveOperations(address);
  await driveErasure(address);
  await drivePages(address);
  await driveClients(address);
}
