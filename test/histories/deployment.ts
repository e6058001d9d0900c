/** Real processes that serve one space, and the faults that a test can inject. */
export interface Deployment {
  readonly name: string;
  /** The addresses of its nodes, for clients. */
  readonly urls: readonly string[];
  /** The token that clients need, if any. */
  readonly token?: string;
  /** The token that may read the journal. */
  readonly operatorToken: string;
  /** The faults that a test can inject. `unsupported` names those that this host cannot inject, with the reason. */
  readonly faults: readonly DeploymentFault[];
  readonly unsupported: readonly string[];
  /** The output of its nodes, for the report of a broken history. */
  log(): string;
  close(): Promise<void>;
}

export interface DeploymentFault {
  readonly name: string;
  /** Injects the fault. Resolves when the fault is over. */
  inject(chance: () => number): Promise<void>;
}
