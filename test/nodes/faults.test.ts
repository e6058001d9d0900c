import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { systemClock } from "../../server/src/base/clock.ts";
import type { Engine } from "../../server/src/engine/engine.ts";
import { openPostgresJournal } from "../../server/src/journal/postgres/open.ts";
import { genesis } from "../../server/src/journal/seal.ts";
import { refusalOf } from "../api/refused-with.ts";
import { sampleBatch } from "../conformance/sample-entries.ts";
import { type OwnPostgres, startOwnPostgres } from "../scenario/private-postgres.ts";
import { type PostgresNode, shareJournal, type SharedJournal } from "./postgres-nodes.ts";
import { startTcpProxy } from "./tcp-proxy.ts";

/** Retries a write until it is acknowledged, as a client does after "try again". */
async function persist<Result>(write: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== "journal_unavailable" && code !== "outcome_unknown") throw error;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** Waits until every acknowledged entry is folded here, for any duration of the outage. */
function latest(engine: Engine): Promise<void> {
  return persist(async () => {
    try {
      await engine.catchUp();
    } catch (error) {
      throw Object.assign(new Error("not yet", { cause: error }), { code: "journal_unavailable" });
    }
  });
}

describe("a Postgres that fails under its nodes", () => {
  let postgres: OwnPostgres;
  let shared: SharedJournal;
  let nodes: readonly [PostgresNode, PostgresNode];

  before(async () => {
    postgres = await startOwnPostgres();
    shared = shareJournal(postgres);
    nodes = [await shared.node(), await shared.node()];
  });

  after(async () => {
    await shared.close();
    await postgres.stop();
  });

  /** Writes each key through both nodes until both acknowledge it. Then it must be there once. */
  async function writeThrough(prefix: string, count: number, disturb: (n: number) => Promise<void>): Promise<void> {
    const disturbing: Promise<void>[] = [];
    for (let n = 0; n < count; n += 1) {
      const id = `${prefix}${String(n)}`;
      const input = { type: "note", id, value: { n } };
      disturbing.push(disturb(n));
      const replies = await Promise.all(
        nodes.map(({ client }) => persist(() => client.run("create-entity", input, { key: id }))),
      );
      assert.deepEqual(replies[0], replies[1]);
    }
    await Promise.all(disturbing);
    for (const { engine, client } of nodes) {
      await latest(engine);
      for (let n = 0; n < count; n += 1) {
        assert.equal((await client.entities.get("note", `${prefix}${String(n)}`)).version, 1);
      }
    }
    assert.deepEqual(nodes[0].engine.head, nodes[1].engine.head);
  }

  test("a node begins no epoch if a delayed answer of one connection reports an older log than a later connection [X3]", async () => {
    let held: { readonly asked: () => void; readonly answer: Promise<void> } | undefined;
    const proxy = await startTcpProxy(postgres.url, {
      hold(chunk) {
        // The answer to the query that a node sends at the beginning of each connection.
        if (held === undefined || !chunk.includes("recovering")) return undefined;
        const { asked, answer } = held;
        held = undefined;
        asked();
        return answer;
      },
    });
    const options = { url: proxy.url, clock: systemClock, allowsFsyncOff: true, pollMs: 20, space: "late" };
    const journal = await openPostgresJournal(options);
    const { coordination } = journal;
    assert.ok(coordination !== undefined);

    /** Connects. The answer is in flight while the log grows and the node learns of the growth by other means. */
    const connectLate = async (connect: () => Promise<unknown>, learn: () => Promise<void>): Promise<void> => {
      const { promise: asked, resolve: onAsked } = Promise.withResolvers<undefined>();
      const { promise: answer, resolve: release } = Promise.withResolvers<undefined>();
      held = { asked: () => onAsked(undefined), answer: answer.then(() => undefined) };
      const connecting = connect();
      await asked;
      await shared.sql("SELECT pg_logical_emit_message(false, 'holdfast test', 'the log grows')");
      await learn();
      release(undefined);
      await connecting;
      assert.equal(journal.forkReason, undefined);
    };
    const nextStatus = (): Promise<void> =>
      new Promise((resolve) => {
        const stop = coordination.onClusterStatus(() => {
          stop();
          resolve();
        });
      });

    try {
      await connectLate(
        () => journal.append(sampleBatch(genesis, 1)),
        async () => {
          // The first query may have been sent earlier.
          await nextStatus();
          await nextStatus();
        },
      );
      await connectLate(
        () => coordination.takeTurn(),
        () => journal.settleFork(),
      );
    } finally {
      await journal.close();
      await proxy.close();
    }
  });

  test("nodes lose nothing and repeat nothing if Postgres ends connections in the middle of appends [X1 M4]", async () => {
    await writeThrough("cut ", 40, async () => {
      await shared.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holdfast writer'",
      );
    });
  });

  test("nodes lose nothing and repeat nothing if Postgres crashes and restarts [X1 M4]", async () => {
    await writeThrough("crash ", 12, async (n) => {
      if (n % 6 !== 3) return;
      await postgres.order("crash");
      await postgres.order("start");
    });
  });

  test("nodes without Postgres refuse writes and latest reads with a reason, and serve local reads", async () => {
    const [{ client, engine }] = nodes;
    await persist(() => client.entities.create("note", "known", {}));
    await postgres.order("stop");
    const refused = await refusalOf(
      client.run("create-entity", { type: "note", id: "unknown", value: {} }, { deadlineMs: 300 }),
    );
    assert.ok(["journal_unavailable", "outcome_unknown"].includes(refused.code), refused.code);
    await assert.rejects(engine.catchUp());
    const known = await client.execute("get-entity", { type: "note", id: "known" }, { reads: "local" });
    assert.equal(known.outcome.kind, "done");
    assert.equal(engine.health().isWritable, false);
    await postgres.order("start");
    await persist(() => client.entities.create("note", "after", {}));
  });

  test("nodes detect an older copy of the Postgres files, and raise the epoch before any other entry [X3]", async () => {
    const [a, b] = nodes;
    await postgres.order("stop");
    await postgres.order("save");
    await postgres.order("start");
    const lost = await persist(() => a.client.entities.create("note", "lost", {}));
    await latest(b.engine);
    await postgres.order("crash");
    await postgres.order("restore");
    await postgres.order("start");
    const written = await Promise.all(
      nodes.map(({ client }, n) => persist(() => client.entities.create("note", `new ${String(n)}`, {}))),
    );
    for (const { revision } of written) {
      assert.ok(Number(revision.split(".")[0]) > Number(lost.revision.split(".")[0]), revision);
    }
    for (const { client, engine } of nodes) {
      await latest(engine);
      assert.equal((await refusalOf(client.entities.get("note", "lost"))).code, "entity_not_found");
    }
    assert.ok([...a.reports, ...b.reports].some((report) => report.includes("new epoch")));
  });
});
