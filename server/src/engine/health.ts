import { stateLoading } from "../base/state-loading.ts";
import type { Head, ClusterStatus } from "../journal/journal.ts";
import { engineLimits } from "./limits.ts";

export interface EngineHealth {
  readonly head: Head;
  readonly isWritable: boolean;
  /** The reasons why the node is not ready: it cannot append, it is behind, or it cannot poll its shared journal. */
  readonly reasons: readonly string[];
  readonly pendingCount: number;
  /** Duration of the outage of the journal, or 0 if there is none. */
  readonly outageMs: number;
  /** The head of the newest checkpoint, if there is one. */
  readonly saved: Head | undefined;
  readonly subscriberCount: number;
  /** Number of nodes that share the journal, including this one. */
  readonly nodeCount: number;
  readonly lag: JournalLag;
}

/** The lag of this node behind the last known head of its journal. */
interface JournalLag {
  readonly entries: number;
  /** Age of this information, or 0 if no other node can append. */
  readonly ageMs: number;
}

/** Computes the lag from the last poll of a shared journal. A journal that is not shared has no cluster status. */
export function lagOf(head: Head, status: ClusterStatus | undefined, nowMs: number): JournalLag {
  if (status === undefined) return { entries: 0, ageMs: 0 };
  return {
    entries: Math.max(0, status.position - head.position),
    ageMs: Math.max(0, Math.round(nowMs - status.observedAtMs)),
  };
}

/** The reasons why a load balancer should not send requests to this node. */
export function unreadyReasons(condition: {
  readonly refused: string | undefined;
  readonly isLoading: boolean;
  readonly lag: JournalLag;
  readonly status: ClusterStatus | undefined;
}): readonly string[] {
  const { refused, isLoading, lag, status } = condition;
  const isUnanswered = status?.errorCode !== undefined || lag.ageMs > engineLimits.statusAgeMsMax;
  return [
    ...(refused === undefined ? [] : [refused]),
    ...(isLoading ? [stateLoading.reason] : []),
    ...(isUnanswered ? [`the journal did not answer for ${seconds(lag.ageMs)}${errorSuffix(status?.errorCode)}`] : []),
    ...(lag.entries > engineLimits.lagEntriesMax ? [`this node is ${lag.entries} entries behind the journal`] : []),
  ];
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function errorSuffix(errorCode: string | undefined): string {
  return errorCode === undefined ? "" : `: ${errorCode}`;
}
