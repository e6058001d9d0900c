import type { JsonObject } from "@holdfast/sdk/json/json";
import { done } from "../../machine/refusal.ts";
import type { Outcome } from "../../machine/entry.ts";
import type { ReadContext } from "../../machine/read-context.ts";
import type { PureRead } from "../pack-rules.ts";
import { gap, intentTable } from "./intent-table.ts";
import type { IntentRow } from "./intent-table.ts";
import { intentsLimits } from "./intents-limits.ts";
import { settingsInForce } from "./intent-settings-table.ts";
import { isRefusal, readStatus, readWord } from "./read-word.ts";
import { defined } from "@holdfast/sdk/base/defined";

const pageSize = 100;

interface ListInput {
  readonly status?: string;
  readonly run?: string;
  readonly pipeline?: string;
  readonly after?: string;
  readonly limit?: number;
}

/** Lists rows of the pack's own table: neither histories nor steps are read. */
export const listIntents: PureRead = {
  view: "scan",
  run(input: ListInput, { state }: ReadContext): Outcome {
    const { limit = pageSize } = input;
    const status = input.status === undefined ? undefined : readStatus("status", input.status);
    if (isRefusal(status)) return status.outcome;
    const run =
      input.run === undefined
        ? undefined
        : readWord(["running", "interrupted", "paused"], "run", { text: input.run, fallback: "running" });
    if (isRefusal(run)) return run.outcome;
    const [sort, prefix] =
      run !== undefined
        ? (["run", `${run}${gap}`] as const)
        : status !== undefined
          ? (["status", `${status}${gap}`] as const)
          : (["id", ""] as const);
    const after = input.after === undefined ? undefined : `${prefix}${input.after}`;
    const rows = state.rows(intentTable).scan(sort, { prefix, after, limit: intentsLimits.rowsPerPage });
    return pageOf(rows, (row) => matches(row, { status, pipeline: input.pipeline }), limit);
  },
};

interface RowFilter {
  readonly status: string | undefined;
  readonly pipeline: string | undefined;
}

function matches(row: IntentRow, { status, pipeline }: RowFilter): boolean {
  return (status === undefined || row.status === status) && (pipeline === undefined || row.pipeline === pipeline);
}

function pageOf(rows: readonly IntentRow[], isListed: (row: IntentRow) => boolean, limit: number): Outcome {
  const items: JsonObject[] = [];
  for (const [index, row] of rows.entries()) {
    const { id, status, run, pipeline } = row;
    if (isListed(row)) items.push({ id, status, ...defined({ run, pipeline }) });
    const isLast = index === rows.length - 1 && rows.length < intentsLimits.rowsPerPage;
    if (items.length === limit) return done({ items, next: isLast ? null : id });
  }
  return done({ items, next: rows.length < intentsLimits.rowsPerPage ? null : (rows.at(-1)?.id ?? null) });
}

export const listStrategies: PureRead = {
  view: "keys",
  run: (_input: object, { state }: ReadContext) => done(settingsInForce(state)),
};
