/**
 * One call from a door to the engine and back. The door makes it once. Gate, limits, metrics and the
 * application layer are functions over it, so a call costs one record and no chain of promises.
 */
import type { CallReply, Transport } from "@holdfast/sdk";
import type { DoorCallOptions } from "./door-call-options.ts";
import type { Canonical } from "@holdfast/sdk/json/canonical";
import type { Allowance } from "@holdfast/sdk/contract";
import type { OperationRecord } from "./operation-record.ts";

export interface Call<Record extends OperationRecord = OperationRecord> {
  readonly record: Record;
  readonly input: Canonical;
  readonly options: DoorCallOptions;
  /** Sends the reply to the caller. */
  readonly answer: (reply: CallReply) => void;
  /** The call hit a bug, and has no reply. */
  readonly fail: (error: unknown) => void;
  /** Removes what the caller may not read from its reply. The gate sets it. */
  redact?: (reply: CallReply) => CallReply;
  /** True if the caller may operate the whole space. The gate sets it, and a program in this process is an operator. */
  isOperator?: boolean;
  /** The rights of the caller. The gate sets them, and a program in this process has all of them. */
  rights?: CallRights;
  /** Observes the call with its reply. Metrics set it, with the time at which the call was submitted. */
  observer?: CallObserver;
  startMs?: number;
}

/** Receives each call with its reply, or without one after a bug. One observer serves all calls of a caller. */
export interface CallObserver {
  observe(call: Call, reply: CallReply | undefined): void;
}

/** The identity and the rights of a caller. */
export interface CallRights {
  readonly principal: string;
  readonly allow: readonly Allowance[];
  /** Expiry of the token in engine time. Absent if the rights do not come from a token that expires. */
  readonly expiresAt?: number;
}

/** The way from a door to the application layer. */
export interface Calls<Record extends OperationRecord = OperationRecord> extends Omit<Transport, "call"> {
  /** Submits calls that arrived together, in order. Each is answered on its own. */
  submit(calls: readonly Call<Record>[]): void;
}

/** Answers a call. Every layer that has a reply calls this. */
export function answerCall(call: Call, reply: CallReply): void {
  const shown = call.redact === undefined ? reply : call.redact(reply);
  call.observer?.observe(call, shown);
  call.answer(shown);
}

/** Ends a call that hit a bug. */
export function failCall(call: Call, error: unknown): void {
  call.observer?.observe(call, undefined);
  call.fail(error);
}

/** Submits one call and waits for its reply. For callers that send one at a time. */
export function callOnce<Record extends OperationRecord>(
  calls: Calls<Record>,
  request: Pick<Call<Record>, "record" | "input" | "options" | "isOperator">,
): Promise<CallReply> {
  const { record, input, options } = request;
  const isOperator = request.isOperator === true;
  return new Promise((answer, fail) => {
    calls.submit([{ record, input, options, answer, fail, isOperator }]);
  });
}
