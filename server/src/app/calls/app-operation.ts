import type { ReplyStream } from "@holdfast/sdk";
import type { JsonObject, Json } from "@holdfast/sdk/json/json";
import type { Outcome, Refusal } from "../../machine/entry.ts";
import type { OperationRecord } from "../../operations/operation-record.ts";
import type { EngineServices } from "../engine-services.ts";
import type { View } from "../packs/view.ts";
import type { OperatorTokenRotation } from "./operator-token-rotation.ts";

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
  /** True for a read by a caller that may operate the whole space and is no agent. */
  readonly isOperator?: boolean;
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

/** An outcome, with the bytes of an operation that answers with a stream. */
export type RunOutcome = Outcome & { readonly stream?: ReplyStream };

/**
 * Adds to the input what the decision needs and cannot read itself. The result must depend only on the input and on
 * immutable history, since it is compared when a key is reused.
 */
export interface Prepare {
  readonly at: "now" | "head";
  /** False if there is nothing to prepare. Then the call waits for nothing. */
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
  /** Shows the resource of the outcome. */
  readonly view?: View | undefined;
}

export interface AppOperation extends OperationRecord, OperationHooks {}
