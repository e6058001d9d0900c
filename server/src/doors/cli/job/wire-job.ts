/** A job as the server sends it. */
export interface WireJob {
  readonly id: string;
  readonly type: string;
  readonly project: string;
  readonly root?: string;
  readonly state: string;
  readonly priority?: number;
  readonly attempt: number;
  readonly max_attempts?: number;
  readonly crashes?: number;
  readonly submitted_at?: string;
  readonly run_at?: string;
  readonly payload?: unknown;
  readonly locks?: readonly { readonly path: string; readonly mode: string }[];
  readonly waits_for?: number;
  readonly worker?: string;
  readonly fence?: string;
  readonly started_at?: string;
  readonly lease_until?: string;
  readonly cancel_requested?: string;
  readonly percent?: number;
  readonly message?: string;
  readonly checkpoint?: unknown;
  readonly error?: { readonly code?: string; readonly message: string };
  readonly result?: unknown;
  readonly ended_at?: string;
}

const endStates = ["completed", "failed", "cancelled", "discarded"];

/** Whether no worker will run the job unless a caller retries it. */
export function hasEnded({ state }: WireJob): boolean {
  return endStates.includes(state);
}
