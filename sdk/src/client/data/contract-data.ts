import type { OwnOperations } from "../../contract/packs/own-operations.ts";

/** The parts of the contract that a client needs at run time, as plain data. */
export interface ContractData {
  readonly operations: Readonly<Record<string, OperationData>>;
  /** Problems by code. */
  readonly problems: Readonly<Record<string, ProblemData>>;
  /** The number of the shape of notices. */
  readonly notices?: number;
  /** The declared members, see `MemberMapper`. Operations and problems refer to them by number, from 1. */
  readonly shapes: readonly string[];
}

export interface OperationData {
  readonly kind: "read" | "write";
  readonly input?: number;
  readonly output?: number;
  /** Is about the agent of the caller or its locks, so it has no use without that agent. */
  readonly needsAgent?: true;
  /** When a call may be sent again without a key. See `Operation`. */
  readonly isRepeatable?: "always" | "with-own-key" | "unless-it-waits";
}

export interface ProblemData extends Partial<ProblemWords> {
  readonly status: number;
  readonly retry: "never" | "new-key-after-read" | "same-key" | "later";
  /** The number of the shape of its data. */
  readonly data?: number;
}

/** The part of a problem that is for people. */
interface ProblemWords {
  readonly title: string;
  readonly next: string;
}

/** The words of the core problems. */
export interface CoreTexts {
  /** By code. */
  readonly problems: Readonly<Record<string, ProblemWords>>;
  /** The operations of packs that own entities, by entity type. */
  readonly own: Readonly<Record<string, OwnOperations>>;
}

/** A problem as an error shows it. */
export type ProblemText = Omit<ProblemData, "data"> & ProblemWords;
