/** The operator's token of this node, if it is in the data folder. */
export interface OperatorTokenRotation {
  /** Writes a new token next to the old one, which stays valid. */
  prepare(): Promise<PreparedToken>;
}

export interface PreparedToken {
  readonly file: string;
  /** Replaces the old token, which is invalid from then on. */
  apply(): Promise<void>;
  discard(): Promise<void>;
}
