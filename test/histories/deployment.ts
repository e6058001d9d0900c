/** Real processes that serve one space, and the faults that can strike them. */
export interface Deployment {
  readonly name: string;
  /** Where clients reach its nodes. */
  readonly urls: readonly string[];
  /** The token that clients need, if any. */
  readonly token?: string;
  /** Reads the journal. */
  readonly operatorToken: string;
  /** The faults that can strike it. `unsupported` names those that this host cannot make, with the reason. */
  readonly faults: readonly DeploymentFault[];
  readonly unsupported: readonly string[];
  /** The output of its nodes, for the report of a broken history. */
  log(): string;
  close(): Promise<void>;
}

export interface DeploymentFault {
  readonly name: string;
  /** Strikes, and ends when the fault is over. */
  strike(chance: () => number): Promise<void>;
}
