/**
 * Grants of tickets that their owner did not accept in time. So a caller that is slow to answer learns why it has
 * neither lock nor ticket. Only registered agents have them: the number of other owners is unbounded.
 */
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { Event } from "../../../machine/entry.ts";
import type { DecideContext, Decision, Fold, FoldedEntry } from "../../../machine/feature.ts";
import type { StateReader, StateWriter } from "../../../machine/state.ts";
import type { TableSpec } from "../../../machine/table.ts";
import { findAgent } from "../../agents/agent-table.ts";
import { bytesOfTexts } from "../../bytes-of-texts.ts";
import type { GrantRow } from "./lock-tables.ts";
import { lockLimits } from "./settings.ts";

interface MissedGrant {
  /** The path of the grant, or the first path of a set. */
  readonly path: string;
  readonly grantedAt: number;
  readonly endedAt: number;
}

interface MissedGrantsRow {
  readonly owner: string;
  /** The newest last. */
  readonly missed: readonly MissedGrant[];
}

export const missedGrantTable: TableSpec<MissedGrantsRow, never> = {
  name: "lock-missed",
  boundedBy: "quota",
  key: (row) => row.owner,
  sorts: {},
  bytes: ({ missed }) => missed.reduce((sum, { path }) => sum + 100 + bytesOfTexts(path), 200),
};

/** Keeps an expired grant if its owner did not accept it in time. */
export function noteMissed(state: StateWriter, { data }: Event, grant: GrantRow, { time }: FoldedEntry): void {
  const { owner, acquiredAt } = grant;
  if (data["why"] !== "not_accepted" || findAgent(state, owner) === undefined) return;
  const rows = state.rows(missedGrantTable);
  const added = { path: data["resource_id"] as string, grantedAt: acquiredAt, endedAt: time };
  const missed = [...(rows.get(owner)?.missed ?? []), added].slice(-lockLimits.missedMax);
  rows.put({ owner, missed });
}

/** The end of an agent removes its missed grants. */
export function forgetMissed(state: StateWriter, owner: string): void {
  if (state.rows(missedGrantTable).get(owner) !== undefined) state.rows(missedGrantTable).delete(owner);
}

export const foldMissedShown: Fold = (state, { data }) => {
  forgetMissed(state, data["owner_id"] as string);
};

/** The member `missed` of replies. It is absent if the owner missed nothing. */
export function missedView(state: StateReader, owner: string): JsonObject {
  const row = state.rows(missedGrantTable).get(owner);
  if (row === undefined) return {};
  const missed = row.missed.map(({ path, grantedAt, endedAt }) => ({
    path,
    granted_at: new Date(grantedAt).toISOString(),
    ended_at: new Date(endedAt).toISOString(),
  }));
  return { missed };
}

/** Adds the missed grants of the owner to the reply, and removes them in the same entry. A refusal leaves them. */
export function showMissed({ state }: DecideContext, owner: string, decision: Decision): Decision {
  if (decision.outcome.kind === "refusal" || state.rows(missedGrantTable).get(owner) === undefined) return decision;
  const shown = { type: "lock.missed_shown", subject: "locks", data: { owner_id: owner } };
  return {
    ...decision,
    events: [...decision.events, shown],
    attachment: { ...decision.attachment, ...missedView(state, owner) },
  };
}
