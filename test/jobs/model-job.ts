/** The jobs, workers and locks of the plain model. */
export interface ModelJob {
  readonly id: string;
  readonly type: string;
  readonly project: string;
  readonly root: string | undefined;
  readonly isMap: boolean;
  readonly unique: string | undefined;
  readonly isUniqueUntilStart: boolean;
  readonly seq: number;
  readonly cost: number;
  payload: number;
  priority: number;
  maxAttempts: number;
  readonly timeoutMs: number | undefined;
  readonly after: Set<string>;
  /** The path that it locks. */
  readonly lock: string | undefined;
  state: string;
  at: number;
  /** The end of its patience, while it is in the queue of its path. */
  patientUntil: number;
  attempt: number;
  crashes: number;
  worker: string;
  leaseUntil: number;
  endAt: number;
  cancel: string | undefined;
  percent: number | undefined;
}

/** The lock of a path. That of a lost job is stale: no job claims it. */
export interface ModelHold {
  readonly owner: string;
  isClaimed: boolean;
  keeper: string;
  heartbeatAt: number;
}

export interface ModelWorker {
  works: readonly string[];
  slots: number;
  until: number;
  last: number;
}

export interface ModelCaps {
  global: number;
  project: number;
  map: number;
  classes: Record<string, number>;
}

/** The members of a job that its submission does not give. */
export type RunMember =
  | "seq"
  | "attempt"
  | "crashes"
  | "worker"
  | "leaseUntil"
  | "endAt"
  | "cancel"
  | "percent"
  | "patientUntil";

/** A unique key, and the answer to a second job with it. */
export interface ModelUnique {
  readonly key: string;
  readonly until: "started" | "finished" | number;
  readonly duplicate: "return" | "replace" | "refuse";
}

export const workOfModel = ({ type, root }: Pick<ModelJob, "type" | "root">): string =>
  root === undefined ? type : `${type}@${root}`;

export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
