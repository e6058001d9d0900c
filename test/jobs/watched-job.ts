/** The records of the watch of jobs. */
export interface WatchedJob {
  readonly id: string;
  readonly type: string;
  readonly project: string;
  readonly hasLocks: boolean;
  state: string;
  isMap: boolean;
  attempt: WatchedAttempt | undefined;
}

export interface WatchedAttempt {
  readonly claim: string;
  readonly worker: string;
  readonly jobClass: string;
  readonly leaseMs: number;
  leaseUntil: number;
  endAt: number;
}
