/** The parts of the contract that a client needs at run time, as plain data. */
export interface ContractData {
  readonly operations: Readonly<Record<string, OperationData>>;
  /** Problems by code. */
  readonly problems: Readonly<Record<string, ProblemText>>;
}

export interface OperationData {
  readonly kind: "read" | "write";
  /** Acquires, keeps or ends locks, so it needs the agent that owns them. */
  readonly isAboutLocks?: true;
}

export interface ProblemText {
  readonly status: number;
  readonly retry: "never" | "new-key-after-read" | "same-key" | "later";
  readonly title: string;
  readonly next: string;
}
