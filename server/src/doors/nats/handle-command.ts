import { problemOf } from "@holdfast/sdk/contract";
import type { CallReply } from "@holdfast/sdk";
import { isRejection } from "../../access/gate.ts";
import type { AdmittedCaller, Rejection } from "../../access/gate.ts";
import type { CommandAnswer } from "./command-answer.ts";
import { answerReply, problemAnswer } from "./command-answer.ts";
import { isCommandProblem, readCommand } from "./read-command.ts";
import type { CommandMessage } from "./read-command.ts";
import type { ReplyAddresses } from "./reply-addresses.ts";
import { callOnce } from "../../operations/call.ts";
import type { OperationRegistry } from "../../operations/registry.ts";
import { unknownOperation } from "../../operations/unknown-operation.ts";
import type { SubjectActions } from "./subject-actions.ts";

export interface CommandHandlerOptions {
  readonly actions: SubjectActions;
  /** The subjects that may receive answers. */
  readonly replies: ReplyAddresses;
  readonly operations: OperationRegistry;
  readonly admit: (token: string | undefined) => AdmittedCaller | Rejection | Promise<AdmittedCaller | Rejection>;
  /** Maximum size of a message. */
  readonly bytesMax: () => number;
  /** Receives the error of a call that hit a defect. */
  readonly onDefect: (error: unknown) => undefined;
}

/**
 * The result of a message. It is `done` if the command was decided, with any outcome. It is `unreadable` if no runtime
 * of this version can read the message. It is `again` if the command was not decided, and a redelivery may succeed.
 */
export interface HandledCommand {
  readonly verdict: "done" | "unreadable" | "again";
  readonly answer: CommandAnswer;
  readonly code?: string;
  readonly position?: number;
  readonly replayed?: boolean;
  /** The delay that the refusal asks for. */
  readonly retryAfterMs?: number | undefined;
}

const unreadableCodes = new Set([
  "input_malformed",
  "input_invalid",
  "operation_unknown",
  "request_malformed",
  "idempotency_key_invalid",
]);

/**
 * Handles one message. A command of a known caller reaches the engine before the first await, so that commands keep their
 * order.
 */
export async function handleCommand(
  options: CommandHandlerOptions,
  message: CommandMessage,
  defaults: { readonly key?: string; readonly deadlineMs?: number } = {},
): Promise<HandledCommand> {
  const command = readCommand(message, options);
  if (isCommandProblem(command)) return { verdict: "unreadable", answer: problemAnswer(command), code: command.code };
  const admitted = options.admit(command.token);
  const caller = admitted instanceof Promise ? await admitted : admitted;
  if (isRejection(caller)) return { verdict: verdictOf(caller.code), answer: problemAnswer(caller), code: caller.code };
  const { operation, input, options: callOptions } = command;
  const inputBytes = message.data.length;
  const record = options.operations.find(operation) ?? unknownOperation(operation);
  const request = { record, input, options: { ...defaults, ...callOptions, inputBytes } };
  const reply = await callOnce(caller.calls, request).catch(options.onDefect);
  if (reply === undefined) {
    const defect = { code: "internal_error", data: {} };
    return { verdict: "again", answer: problemAnswer(defect), code: defect.code };
  }
  const { position, replayed } = reply;
  const replied = { answer: answerReply(command, reply, options.bytesMax()), position, replayed };
  return reply.outcome.kind === "done" ? { verdict: "done", ...replied } : { ...refusedCommand(reply), ...replied };
}

function refusedCommand({ outcome }: CallReply): Pick<HandledCommand, "verdict" | "code" | "retryAfterMs"> {
  if (outcome.kind === "done") return { verdict: "done" };
  const { retry_after_ms: ms } = outcome.data;
  const retryAfterMs = typeof ms === "number" ? ms : undefined;
  return { verdict: verdictOf(outcome.code), code: outcome.code, retryAfterMs };
}

/** The status of a problem shows whether the command was decided. Server errors and rate limits come before the decision. */
function verdictOf(code: string): HandledCommand["verdict"] {
  if (unreadableCodes.has(code)) return "unreadable";
  const { status, retry } = problemOf(code);
  const isUndecided = status >= 500 || status === 429;
  return isUndecided && (retry === "later" || retry === "same-key") ? "again" : "done";
}
