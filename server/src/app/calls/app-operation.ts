import type { JsonObject, Json } from "@holdfast/sdk/json/json";
import type { Outcome, Refusal } from "../../machine/entry.ts";
import type { WantedCheck } from "../../machine/feature.ts";
import type { CallRights } from "../../operations/call.ts";
import type { OperationRecord } from "../../operations/operation-record.ts";
import type { EngineServices } from "../engine-services.ts";
import type { View } from "../packs/view.ts";
import type { OperatorTokenRotation } from "./operator-token-rotation.ts";
import type { RunOutcome } from "./run-outcome.ts";

/** The caller of a transport. */
export interface Speaker {
  readonly principal: string;
  /** The authenticated agent. */
  readonly agent?: string;
  /** Commands of one caller stay in order and share the queue fairly with others. */
  readonly caller: string;
}

export interface CallContext {
  readonly services: EngineServices;
  readonly speaker: Speaker;
  /** Whether an agent must send its secret. Otherwise a bare id is trusted. */
  readonly requiresAgentSecret: boolean;
  /** The operator's token, if this process may replace it. */
  readonly operatorRotation: OperatorTokenRotation | undefined;
  /** True for a read by a caller that may operate the whole space and is not an agent. */
  readonly isOperator?: boolean;
  /** The rights of the caller of a read. Absent for a program in this process, which has all of them. */
  readonly rights?: CallRights;
}

/**
 * Answers a call without the engine's decision: a read, or a heartbeat that others share. With `head`, this node first
 * folds everything that any node acknowledged.
 */
export interface OperationRun {
  readonly at: "now" | "head";
  readonly run: (input: never, context: RunningContext) => RunOutcome | Promise<RunOutcome>;
}

interface RunningContext extends CallContext {
  /** The binary body, if the operation takes one. */
  readonly body?: AsyncIterable<Uint8Array>;
  /** Aborted when the caller disconnects. Only an operation with a body or a stream gets it. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Adds to the input what the decision needs and cannot read itself. The result must depend only on the input and on
 * immutable history, since it is compared when a key is reused.
 */
export interface Prepare {
  readonly at: "now" | "head";
  /** False if there is nothing to prepare. Then the call waits for nothing. It sees the input before it is checked. */
  readonly isNeeded: (input: JsonObject) => boolean;
  readonly run: (input: JsonObject, context: PrepareContext) => PrepareResult | Promise<PrepareResult>;
}

/** A refusal ends the call before the engine sees it. */
type PrepareResult = Prepared | Refusal;

interface PrepareContext extends CallContext {
  readonly key: string | undefined;
  /** The type of the entity that the operation is about. */
  readonly entityType: unknown;
}

export interface Prepared {
  readonly input: Json;
  /** Passed on to `finish`, and never recorded. */
  readonly memo?: unknown;
  /** The key is part of the prepared input, so the command is sent without it. */
  readonly dropsKey?: true;
}

/**
 * Finds what a decision needs from outside the machine. It is recorded in the entry and is not part of the input, so a
 * retry with the same key may find something else.
 */
export interface EvidenceSource {
  /** The name of the check that runs in a thread. Without it, `gather` runs once, and its result is never repeated. */
  readonly check?: string;
  /** True if the command is first sent without evidence: its decision then names what it wants to have checked. */
  readonly asksDecision?: true;
  readonly gather: (input: JsonObject, context: GatherContext) => Promise<Json | undefined>;
  /** Commands with the same text keep each other's evidence from getting stale in the last round. */
  readonly serial?: (input: JsonObject) => string;
}

interface GatherContext extends CallContext {
  readonly operation: string;
  /** The name of this round for the check. */
  readonly id: string;
  /** 1 for the first check of a command. */
  readonly round: number;
  /** The evidence must include every entry up to this position. */
  readonly after: number;
  /** The check that the decision before asked for. */
  readonly wanted: WantedCheck | undefined;
  /** Aborts when the caller hangs up or the deadline of the command passes. */
  readonly signal: AbortSignal;
}

/** Runs after the decision is durable. It may add to the outcome, or carry out an effect outside the machine. */
export type Finish = (outcome: Outcome, context: FinishContext) => Outcome | Promise<Outcome>;

interface FinishContext extends CallContext {
  readonly memo: unknown;
  /** True if this is the recorded outcome of an earlier use of the same key. */
  readonly replayed: boolean;
  readonly agentSecret: string | undefined;
}

/** The steps of an operation in addition to the decision of the machine. Most operations have none. */
export interface OperationHooks {
  readonly run?: OperationRun | undefined;
  readonly prepare?: readonly Prepare[];
  readonly finish?: Finish | undefined;
  /** The source of the evidence of a command; undefined if this input needs none. */
  readonly evidence?: ((input: JsonObject) => EvidenceSource | undefined) | undefined;
  /** Shows the resource of the outcome. */
  readonly view?: View | undefined;
}

export interface AppOperation extends OperationRecord, OperationHooks {}
