import assert from "node:assert/strict";
import { test } from "node:test";
import { JournalError } from "../../server/src/journal/journal.ts";
import { type PostgresAppend, createAppend } from "../../server/src/journal/postgres/append.ts";
import type { PostgresSession } from "../../server/src/journal/postgres/session.ts";
import { genesis } from "../../server/src/journal/seal.ts";
import { sampleBatch } from "../conformance/sample-entries.ts";

/** A connection on which every statement fails. */
function failing(error: Error): PostgresSession {
  const client = { query: () => Promise.reject(error) };
  return { ready: () => Promise.resolve(client), drop: () => undefined } as unknown as PostgresSession;
}

const noKeys = { hashes: [], from: 0 };

function appendOn(session: PostgresSession, isForkUnread = () => false): PostgresAppend {
  return createAppend({ session, space: "main", hasTurn: () => false, isForkUnread });
}

const certainty = async (error: Error): Promise<boolean> => {
  const failure: unknown = await appendOn(failing(error))(sampleBatch(genesis, 1), noKeys).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(failure instanceof JournalError);
  return failure.certain;
};

test("an append may have been written if its connection is lost, and was not written if the server refuses it [X1]", async () => {
  assert.equal(await certainty(new Error("Connection terminated unexpectedly")), false);
  assert.equal(await certainty(Object.assign(new Error("terminating"), { code: "57P01", severity: "FATAL" })), false);
  assert.equal(await certainty(Object.assign(new Error("no space"), { code: "53100", severity: "ERROR" })), true);
});

test("a node sends nothing to a server that differs from the last one, until the node has accepted the new server [X3]", async () => {
  const sent: unknown[] = [];
  const client = {
    query: (statement: unknown) => Promise.resolve({ rows: sent.push(statement) > 0 ? [["appended"]] : [] }),
  };
  const session = { ready: () => Promise.resolve(client), drop: () => undefined } as unknown as PostgresSession;
  let isForkUnread = true;
  const append = appendOn(session, () => isForkUnread);
  assert.deepEqual(await append(sampleBatch(genesis, 1), noKeys), { kind: "behind" });
  assert.deepEqual(sent, []);
  isForkUnread = false;
  assert.deepEqual(await append(sampleBatch(genesis, 1), noKeys), { kind: "appended" });
});
