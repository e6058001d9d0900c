import { stateLoading } from "../base/state-loading.ts";
import type { Head, ClusterStatus } from "../journal/journal.ts";
import { engineLimits } from "./limits.ts";

export interface EngineHealth {
  readonly head: Head;
  readonly isWritable: boolean;
  /** Why it is not ready: it can't write, it is behind, or it hears nothing of a journal that it shares. */
  readonly reasons: readonly string[];
  readonly pendingCount: number;
  /** For how long the journal can't be written; 0 if it can. */
  readonly outageMs: number;
  /** The last entry that is in a checkpoint, if there is one. */
  readonly saved: Head | undefined;
  readonly subscriberCount: number;
  /** How many nodes share the journal, this one included. */
  readonly nodeCount: number;
  readonly lag: JournalLag;
}

/** How far this node is behind the head of its journal, as far as it knows. */
export interface JournalLag {
  readonly entries: number;
  /** How long ago that was found out; 0 if nobody else can append. */
  readonly ageMs: number;
}

/** What is known of a journal that others append to, too. */
export function lagOf(head: Head, heard: ClusterStatus | undefined, nowMs: number): JournalLag {
  if (heard === undefined) return { entries: 0, ageMs: 0 };
  return {
    entries: Math.max(0, heard.position - head.position),
    ageMs: Math.max(0, Math.round(nowMs - heard.observedAtMs)),
  };
}

/** Why a node should not be sent anybody now. */
export function unreadyReasons(facts: {
  readonly refused: string | undefined;
  readonly isLoading: boolean;
  readonly lag: JournalLag;
  readonly heard: ClusterStatus | undefined;
}): readonly string[] {
  const { refused, isLoading, lag, heard } = facts;
  const isSilent = heard?.errorCode !== undefined || lag.ageMs > engineLimits.silenceMsMax;
  return [
    ...(refused === undefined ? [] : [refused]),
    ...(isLoading ? [stateLoading.reason] : []),
    ...(isSilent ? [`nothing was heard of the journal for ${seconds(lag.ageMs)}${because(heard?.errorCode)}`] : []),
    ...(lag.entries > engineLimits.lagEntriesMax ? [`it is ${lag.entries} entries behind the journal`] : []),
  ];
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function because(trouble: string | undefined): string {
  return trouble === undefined ? "" : `: ${trouble}`;
}
