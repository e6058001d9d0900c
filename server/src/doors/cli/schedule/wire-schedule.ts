/** A schedule as the server sends it. */
export interface WireSchedule {
  readonly id: string;
  readonly cron: string;
  readonly time_zone: string;
  readonly overlap: string;
  readonly catch_up: string;
  readonly paused: boolean;
  readonly next_at: string | null;
  readonly last_at?: string;
  readonly last_job?: string;
  readonly last_skipped?: string;
  readonly job: { readonly type: string; readonly payload?: unknown };
}
