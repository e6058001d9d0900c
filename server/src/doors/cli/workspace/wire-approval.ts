/** An approval as the server sends it. */
export interface WireApproval {
  readonly project: string;
  readonly approval: string;
  readonly action: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly state: string;
  readonly requester: string;
  readonly requested_at: string;
  readonly expires_at: string;
  readonly decider?: string;
}
