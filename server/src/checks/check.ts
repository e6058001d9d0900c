/**
 * A check is work that a command needs and the machine must not do: it takes long, or it runs code that is not pure. It
 * runs in a thread, on a copy of the entities that it reads, and returns evidence. The decision compares the evidence
 * with the state of its own entry. A check therefore never has to be fast, only right about the versions that it read.
 */
import type { Json } from "@holdfast/sdk/json/json";

/** The definition of a check. The work itself is in `module`, which only the thread loads. */
export interface Check {
  /** A new name for a new meaning, such as `prices/2`: recorded evidence has the name. */
  readonly name: string;
  /** Prefixes of the subjects of the entities that the check may read. */
  readonly under: readonly string[];
  /** The unit that an entity belongs to. The rows of a unit are loaded and unloaded together. */
  readonly unit: (subject: string) => string;
  /** The subjects of a unit: whole subjects, and prefixes that end with a slash. */
  readonly within: (unit: string) => readonly string[];
  /** A module that exports `createCheckWork`. */
  readonly module: URL;
  /** The argument of `createCheckWork`. */
  readonly options?: Json;
}

/** An entity as a check sees it. Version 0 and no value: it does not exist. */
export interface CheckRow {
  readonly subject: string;
  readonly version: number;
  /** The token of the version, and the entry that wrote it. Absent if the entity does not exist. */
  readonly revision?: string;
  readonly position?: number;
  readonly value?: Json;
}

/** The command that needs evidence. */
export interface CheckRequest {
  /** The name under which `answered` reports the decision. */
  readonly id: string;
  readonly unit: string;
  readonly operation: string;
  readonly input: Json;
  readonly agent: string | null;
  /** The rows must include every entry up to this position. */
  readonly after: number;
}

/**
 * The steps of a piece of work. It yields about every 5 ms, so that others proceed. It yields the name of a unit to
 * wait until the rows of that unit are loaded.
 */
export type CheckSteps = Generator<string | undefined, Json, undefined>;

/** The work of a check, as its module makes it. A result depends on the request and the rows alone, never on a clock. */
export interface CheckWork {
  /** Rows of a unit, in slices. The unit may be used after the last slice. */
  load(unit: string, rows: readonly CheckRow[], isLast: boolean): void;
  /** The newest rows of loaded units, all of one moment. */
  apply(change: { readonly position: number; readonly rows: readonly CheckRow[] }): void;
  unload(unit: string): void;
  /** Makes the evidence of a command. */
  prepare(request: CheckRequest): CheckSteps;
  /** Answers a question without a command. */
  ask?(question: Json): CheckSteps;
  /** The command of an earlier `prepare` was decided. False: it was refused, or is not decided. */
  answered?(id: string, isDone: boolean): void;
}

/**
 * Makes the work of a check. Work that cannot yield may call `pause` about every millisecond: short checks then run inside
 * of the call. So everything that the work reads must be its own until it yields.
 */
export type CreateCheckWork = (options: Json, pause: () => void) => CheckWork | Promise<CheckWork>;

/** Runs checks. Every failure is a CheckError. */
export interface CheckRunner {
  /** Starts the threads and waits until all checks are loaded, so that `npm ci` can replace their files while the server runs. */
  start(): Promise<void>;
  prepare(check: string, request: CheckRequest, signal: AbortSignal): Promise<Json>;
  ask(check: string, question: CheckQuestion, signal: AbortSignal): Promise<Json>;
  /** Reports the decision of a prepared command, once. */
  answered(id: string, isDone: boolean): void;
  /** Counts the rounds of checking that a command took. */
  noteRounds(check: string, rounds: number): void;
  readonly names: readonly string[];
  status(): CheckStatus;
  close(): Promise<void>;
}

export interface CheckQuestion {
  readonly unit: string;
  readonly question: Json;
  readonly agent: string | null;
  readonly after: number;
}

export interface CheckStatus {
  /** Checks that are not finished, those in the thread included. */
  readonly waiting: number;
  /** Threads that ended by themselves. The next check starts a new one. */
  readonly restarts: number;
}

/** The check gave no evidence, and nothing was decided. */
export class CheckError extends Error {
  override readonly name = "CheckError";
  readonly code: "check_unavailable" | "overloaded";

  constructor(code: CheckError["code"], reason: string) {
    super(reason);
    this.code = code;
  }
}

/** Receives the runs of checks, for metrics. */
export interface CheckObserver {
  /** One run of a check. */
  readonly onCheck: (run: {
    readonly check: string;
    readonly result: CheckResult;
    readonly durationMs: number;
  }) => void;
  /** The rounds of checking that one command took. */
  readonly onRounds: (check: string, rounds: number) => void;
}

export type CheckResult = "done" | "cancelled" | "unavailable" | "overloaded";
