/** Several nodes on one Postgres, every write durable, with direct Postgres locks, etcd and Emmett in the same run. */
import { startOwnPostgres } from "../test/scenario/private-postgres.ts";
import { eventRow } from "./node-events.ts";
import { lockRows } from "./node-locks.ts";
import { type Bench, rowTable } from "./report.ts";
import type { Plan } from "./rounds.ts";

const full: Plan = { rounds: 5, warmUpMs: 5_000, durationMs: 3_000 };
const quick: Plan = { rounds: 3, warmUpMs: 500, durationMs: 500 };

export const nodes: Bench = async ({ isQuick, report: report }) => {
  const plan = isQuick ? quick : full;
  const postgres = await startOwnPostgres({ isDurable: true });
  try {
    const rows = [...(await lockRows(postgres.url, plan, report)), await eventRow(postgres.url, plan, report)];
    report(rowTable(rows, 1));
    return rows;
  } finally {
    await postgres.stop();
  }
};
