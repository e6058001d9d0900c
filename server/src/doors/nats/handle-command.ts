import { problemOf } from "@holdfast/sdk/contract";
import type { CallReply } from "@holdfast/sdk";
import { isTurned } from "../../access/gate.ts";
import type { Caller, Turned } from "../../access/gate.ts";
import type { CommandAnswer } from "./command-answer.ts";
import { answerReply, problemAnswer } from "./command-answer.ts";
import { isCommandProblem, readCommand } from "./read-command.ts";
import type { CommandMessage } from "./read-command.ts";
import type { SubjectActions } from "./subject-actions.ts";

export interface CommandHandlerOptions {
  readonly actions: SubjectActions;
  readonly admit: (token: string | undefined) => Caller | Turned | Promise<Caller | Turned>;
  /** What the server takes in one message. */
  readonly bytesMax: () => number;
  /** Told about a call that met a defect. */
  readonly onDefect: (error: unknown) => undefined;
}

/**
 * What is to be done with a message. `done`: decided, whatever the outcome. `unreadable`: no runtime like this one will
 * ever read it. `again`: not decided, through no fault of the command.
 */
export interface HandledCommand {
  readonly verdict: "done" | "unreadable" | "again";
  readonly answer: CommandAnswer;
  readonly code?: string;
  readonly position?: number;
  readonly replayed?: boolean;
  /** How long whoever refused asks to wait. */
  readonly retryAfterMs?: number;
}

const unreadableCodes = new Set([
  "input_malformed",
  "input_invalid",
  "operation_unknown",
  "request_malformed",
  "idempotency_key_invalid",
]);

/**
 * The command of whoever was here before is handed to the engine before this first waits: commands keep the order in which
 * they are handled.
 */
export async function handleCommand(
  options: CommandHandlerOptions,
  message: CommandMessage,
  given: { readonly key?: string; readonly deadlineMs?: number } = {},
): Promise<HandledCommand> {
  const command = readCommand(message, options.actions);
  if (isCommandProblem(command)) return { verdict: "unreadable", answer: problemAnswer(command), code: command.code };
  const admitted = options.admit(command.token);
  const caller = admitted instanceof Promise ? await admitted : admitted;
  if (isTurned(caller)) return { verdict: verdictOf(caller.code), answer: problemAnswer(caller), code: caller.code };
  const { operation, input, options: callOptions } = command;
  const inputBytes = message.data.length;
  const reply = await caller.transport
    .call(operation, input, { ...given, ...callOptions, inputBytes })
    .catch(options.onDefect);
  if (reply === undefined) {
    const defect = { code: "internal_error", data: {} };
    return { verdict: "again", answer: problemAnswer(defect), code: defect.code };
  }
  const { position, replayed } = reply;
  const facts = { answer: answerReply(command, reply, options.bytesMax()), position, replayed };
  return reply.outcome.kind === "done" ? { verdict: "done", ...facts } : { ...refused(reply), ...facts };
}

function refused({ outcome }: CallReply): Pick<HandledCommand, "verdict" | "code" | "retryAfterMs"> {
  if (outcome.kind === "done") return { verdict: "done" };
  const { retry_after_ms: ms } = outcome.data;
  const later = typeof ms === "number" ? { retryAfterMs: ms } : {};
  return { verdict: verdictOf(outcome.code), code: outcome.code, ...later };
}

/** What stopped a command before it was decided is told by its status: the host's failures, or too much at once. */
function verdictOf(code: string): HandledCommand["verdict"] {
  if (unreadableCodes.has(code)) return "unreadable";
  const { status, retry } = problemOf(code);
  const isHosts = status >= 500 || status === 429;
  return isHosts && (retry === "later" || retry === "same-key") ? "again" : "done";
}
