/** Real processes that serve one space, and what can be done to them. */
export interface Deployment {
  readonly name: string;
  /** Where clients reach its nodes. */
  readonly urls: readonly string[];
  /** What clients need to be let in, if anything. */
  readonly token?: string;
  /** Reads the journal. */
  readonly operatorToken: string;
  /** What can happen to it. `notThere` says what this host can't do, and why. */
  readonly faults: readonly DeploymentFault[];
  readonly unsupported: readonly string[];
  /** What its nodes have said, for a history that is broken. */
  log(): string;
  close(): Promise<void>;
}

export interface DeploymentFault {
  readonly name: string;
  /** Does it, and undoes it. */
  strike(chance: () => number): Promise<void>;
}
