/** The answer to a command, and the event that publishes the same result. */
import { defined } from "@holdfast/sdk/base/defined";
import { lockWord, meshHeaders, meshLockWords, problemFor } from "@holdfast/sdk/contract";
import type { meshLockEvents } from "@holdfast/sdk/contract";
import type { CallReply } from "@holdfast/sdk";
import { meshEvent, fitToLimit } from "./mesh-event.ts";
import type { MeshEvent, OutgoingMessage } from "./mesh-event.ts";
import type { CommandProblem, ParsedCommand } from "./read-command.ts";

export interface CommandAnswer extends Omit<OutgoingMessage, "subject"> {
  /** The event of the command. Absent if the command caused none. */
  readonly event?: MeshEvent | undefined;
}

type EventData = Readonly<Record<string, unknown>>;

/** A lock action is answered with the event itself. Other commands are answered with the whole reply, as at every door. */
export function answerReply(command: ParsedCommand, reply: CallReply, bytesMax: number): CommandAnswer {
  const event = command.lock === undefined ? ownEvent(command, reply) : lockAnswer(command.lock, reply);
  const data = command.lock === undefined ? reply : (event?.data ?? problemOfReply(reply));
  const headers = { ...replyHeaders(reply), ...defined({ [meshHeaders.event]: event?.name }) };
  const message = fitToLimit({ subject: "", text: JSON.stringify(data), headers }, bytesMax, data);
  return { text: message.text, headers: message.headers, event };
}

/** The answer to a message that is not a command, or whose caller was rejected. Nothing was decided. */
export function problemAnswer({ code, data }: CommandProblem): CommandAnswer {
  return { text: JSON.stringify(problemText(code, data)), headers: { [meshHeaders.problem]: code } };
}

function replyHeaders({ outcome, position, replayed }: CallReply): Readonly<Record<string, string>> {
  const { fence } = outcome.data as { readonly fence?: unknown };
  return defined({
    [meshHeaders.position]: String(position),
    [meshHeaders.problem]: outcome.kind === "refusal" ? outcome.code : undefined,
    [meshHeaders.replayed]: replayed ? "true" : undefined,
    [meshHeaders.fence]: outcome.kind === "done" && typeof fence === "string" ? fence : undefined,
  });
}

/** The event about the entity of the command. The other events of the entry are its consequences. */
function ownEvent({ input }: ParsedCommand, { events }: CallReply): MeshEvent | undefined {
  const { id } = (input ?? {}) as { readonly id?: unknown };
  const own = events.find(({ subject }) => typeof id === "string" && subject.endsWith(`/${id}`)) ?? events[0];
  return own === undefined ? undefined : meshEvent(own);
}

/** Acquired, denied, released or refreshed. Other outcomes, such as "not held", change no lock and have no event. */
function lockAnswer({ action, resource, owner }: NonNullable<ParsedCommand["lock"]>, { outcome }: CallReply) {
  const data = outcome.data as EventData;
  if (outcome.kind === "done") {
    const verb = meshLockWords[action]?.answer ?? "acquired";
    return lockEvent(verb, { ...data, resource_id: resource, owner_id: owner });
  }
  return outcome.code === "lock_denied" ? lockEvent("denied", data) : undefined;
}

function lockEvent(verb: keyof typeof meshLockEvents, data: EventData): MeshEvent {
  return meshEvent({ name: `evt.${lockWord}.${verb}`, subject: `lock/${String(data["resource_id"])}`, data });
}

function problemOfReply({ outcome }: CallReply): EventData {
  return outcome.kind === "refusal" ? problemText(outcome.code, outcome.data) : {};
}

function problemText(code: string, data: EventData): EventData {
  const { title, next, retry } = problemFor(code, data);
  return { ...data, code, title, next, retry };
}
