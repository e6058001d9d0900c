/**
 * A program that embeds Holdfast and puts it under load until it is killed. It reads its plan from standard input. It
 * writes a line for each request and each acknowledgement before it continues. Lines that the parent has not read when
 * this process dies are still in the pipe.
 */
import { defined } from "@holdfast/sdk/base/defined";
import { readFileSync, writeSync } from "node:fs";
import { open } from "holdfast";
import type { Client } from "holdfast";
import { openSqliteJournal } from "../../server/src/journal/sqlite/open.ts";
import { clientOf, servicesOf, startEngine } from "../../server/src/assembly/open.ts";
import { dyingJournal } from "./dying-journal.ts";
import { type Answer, type Line, type Plan, seededRandom, type WriteRequest } from "./kill-lines.ts";

const plan = JSON.parse(readFileSync(0, "utf8")) as Plan;
const random = seededRandom(plan.seed);
const waiting = [...plan.requests];
let made = 0;

function report(line: Line): void {
  let rest = Buffer.from(`${JSON.stringify(line)}\n`);
  while (rest.length > 0) rest = rest.subarray(written(rest));
}

/** The number of bytes that the pipe accepted. While the pipe is full, the caller retries until the parent has read. */
function written(bytes: Buffer): number {
  try {
    return writeSync(1, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return 0;
    throw error;
  }
}

async function openClient(): Promise<Client> {
  const { folder, tailRows, dies } = plan;
  if (dies !== undefined) return clientOf(servicesOf(await startEngine({ journal: await dyingJournal(folder, dies) })));
  if (tailRows === undefined) return open(folder);
  return clientOf(
    servicesOf(await startEngine({ journal: await openSqliteJournal({ folder, tailRows, startedAt: "now" }) })),
  );
}

const oneOf = (count: number): number => Math.floor(random() * count);

/** Creates, plain patches, and increments that expect the version they read. Many of the increments conflict. */
async function nextRequest(client: Client, number: number): Promise<WriteRequest> {
  const key = oneOf(2) === 0 ? {} : { key: `key ${number}` };
  const roll = oneOf(10);
  if (roll < 3) {
    const input = { type: "note", id: String(number), value: { number } };
    return { number, operation: "create-entity", input, ...key };
  }
  if (roll < 5) {
    const input = { type: "board", id: "main", merge: { number, [`place${oneOf(20)}`]: number } };
    return { number, operation: "patch-entity", input, ...key };
  }
  const target = { type: "counter", id: String(oneOf(4)) };
  const { outcome } = await client.execute("get-entity", target);
  const { version, value } = outcome.data as { version: number; value: { count: number } };
  const input = { ...target, merge: { count: value.count + 1, number }, expected_version: version };
  return { number, operation: "patch-entity", input, ...key };
}

async function call(client: Client): Promise<void> {
  for (;;) {
    const again = waiting.shift();
    if (again === undefined && made >= plan.freshMax) return;
    if (again === undefined) made += 1;
    const request = again ?? (await nextRequest(client, plan.from + made - 1));
    report({ kind: "sent", request });
    const { operation, input, key } = request;
    const reply = await client.execute(operation, input, defined({ key }));
    const { outcome, position, replayed } = reply as Answer;
    report({ kind: "answered", number: request.number, answer: { outcome, position, replayed } });
  }
}

const client = await openClient();
report({ kind: "up" });
await Promise.all(Array.from({ length: plan.callers }, () => call(client)));
report({ kind: "closing" });
await client.close();
report({ kind: "closed" });
