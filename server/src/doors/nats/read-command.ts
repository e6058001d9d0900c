/** A message as a command: what the subject asks for, what the payload gives, and who sends it. */
import { checkOf, meshHeaders, meshLockWords, meshSubjects } from "@holdfast/sdk/contract";
import type { CallOptions } from "@holdfast/sdk";
import { emptyInput } from "@holdfast/sdk/json/canonical";
import type { Canonical, CanonicalObject } from "@holdfast/sdk/json/canonical";
import { inputLimits } from "@holdfast/sdk/json/input-limits";
import { isObject } from "@holdfast/sdk/json/json";
import type { Json } from "@holdfast/sdk/json/json";
import { parseJson } from "@holdfast/sdk/json/parse-json";
import { bearerToken } from "../../access/bearer-token.ts";
import type { SubjectAction, SubjectActions } from "./subject-actions.ts";

/** As much of a message as is read, whichever way it came. */
export interface CommandMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers?: { values(name: string, match: "insensitive"): string[] } | undefined;
}

/** Why a message is no command: a code of the registry of problems, and data for the sentence. */
export interface CommandProblem {
  readonly code: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface ParsedCommand {
  readonly operation: string;
  readonly input: Canonical;
  readonly options: Pick<CallOptions, "key" | "agent" | "agentSecret" | "trace">;
  readonly token?: string;
  /** The word of locks that it came as: its answer has a shape of its own. */
  readonly lock?: { readonly word: keyof typeof meshLockWords; readonly resource: string; readonly owner: string };
}

/** What the keys of commands that bring none start with. Nobody else may use them up. */
export const implicitKeyPrefix = "nats:";

const checks = new Map(Object.entries(meshLockWords).map(([word, { input }]) => [word, checkOf(input)]));
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function readCommand(message: CommandMessage, actions: SubjectActions): ParsedCommand | CommandProblem {
  const [prefix = "", entity = "", action = "", ...more] = message.subject.split(".");
  const word = more.length === 0 ? actions.find(entity, action) : undefined;
  if (word === undefined) {
    const shape = `${prefix}.<entity>.<action>, ${prefix}.lock.<word> or ${prefix}.operation.<name>`;
    return { code: "operation_unknown", data: { subject: message.subject, reason: `the subject is not ${shape}` } };
  }
  const sender = senderOf(message);
  if (isCommandProblem(sender)) return sender;
  const payload = payloadOf(message.data);
  if (isCommandProblem(payload)) return payload;
  const wish =
    word.shape === "named" ? { ...word, input: payload.value } : commandOfAction(word, action, payload.value);
  if (isCommandProblem(wish)) return wish;
  return withKey(wish, sender);
}

export function isCommandProblem(result: object): result is CommandProblem {
  return "code" in result && !("operation" in result);
}

interface UnkeyedCommand extends Pick<ParsedCommand, "operation" | "input" | "lock"> {
  /** What the payload says. */
  readonly key?: Json | undefined;
}

/** The payload of every word but an operation's own name is an object, and may bring its idempotency key along. */
function commandOfAction(
  word: Exclude<SubjectAction, { shape: "named" }>,
  action: string,
  value: Canonical,
): UnkeyedCommand | CommandProblem {
  if (!isObject(value)) return invalid([{ pointer: "", message: "must be an object" }]);
  const { idempotency_key: key, ...rest } = value;
  if (word.shape === "lock") return lockCommandOf(action, value, key);
  const { entity_id: entityId, ...others } = rest;
  if (entityId !== undefined && "id" in others) {
    return invalid([{ pointer: "/id", message: "must not stand beside entity_id, which means the same" }]);
  }
  const input = entityId === undefined ? others : { ...others, id: entityId };
  if (word.shape === "typed") return { operation: word.operation, input, key };
  // Putting what must not be there yet is creating it; both are one command, decided at once.
  const operation = word.isPut && others["expected_version"] === 0 ? "create-entity" : word.operation;
  return { operation, input: { ...input, type: word.type }, key };
}

/** The members that the schemas of `meshLockWords` demand. */
interface LockPayload {
  readonly resource_id: string;
  readonly owner_id: string;
  readonly ttl_seconds?: number;
}

function lockCommandOf(action: string, value: CanonicalObject, key: Json | undefined): UnkeyedCommand | CommandProblem {
  const issues = checks.get(action)?.(value);
  if (issues !== undefined) return invalid(issues);
  const { resource_id: resource, owner_id: owner, ttl_seconds: ttl } = value as CanonicalObject & LockPayload;
  const lease = ttl === undefined ? {} : { ttl_seconds: ttl };
  const what = action === "refresh" ? { path: resource } : { paths: [resource] };
  const operation = meshLockWords[action]?.operation ?? "";
  const lock = { word: action, resource, owner };
  return { operation, input: { ...emptyInput, ...what, owner_id: owner, ...lease }, key, lock };
}

function withKey({ key, ...wish }: UnkeyedCommand, { token, options }: CommandSender): ParsedCommand | CommandProblem {
  if (key !== undefined && typeof key !== "string")
    return invalid([{ pointer: "/idempotency_key", message: "must be text" }]);
  if (key !== undefined && options.key !== undefined && key !== options.key) {
    return { code: "idempotency_key_invalid", data: { reason: "the header and the payload have different keys" } };
  }
  const keyed = key === undefined ? options : { ...options, key };
  if (keyed.key?.startsWith(implicitKeyPrefix) === true) {
    const reason = `keys that start with ${implicitKeyPrefix} are those of commands that came without`;
    return { code: "idempotency_key_invalid", data: { reason } };
  }
  return { ...wish, options: keyed, ...(token === undefined ? {} : { token }) };
}

interface CommandSender {
  readonly token?: string;
  readonly options: ParsedCommand["options"];
}

function senderOf(message: CommandMessage): CommandSender | CommandProblem {
  const { headers } = message;
  const addresses = headers?.values(meshHeaders.replyTo, "insensitive") ?? [];
  if (addresses.length > 0 && replyAddress(message) === undefined) {
    return { code: "request_malformed", data: { reason: `${meshHeaders.replyTo} is no address for answers` } };
  }
  const found = senderHeaders(headers);
  if (isCommandProblem(found)) return found;
  const { authorization, token, ...options } = found;
  if (authorization !== undefined && token !== undefined) {
    return { code: "request_malformed", data: { reason: "the token is sent twice, in different headers" } };
  }
  const sent = token ?? bearerToken(authorization);
  return { options, ...(sent === undefined ? {} : { token: sent }) };
}

/** What the headers say about the sender, each once. */
function senderHeaders(headers: CommandMessage["headers"]): Readonly<Record<string, string>> | CommandProblem {
  const found: Record<string, string> = {};
  for (const name of ["authorization", "token", "agent", "agentSecret", "key", "trace"] as const) {
    const [value, ...more] = headers?.values(meshHeaders[name], "insensitive") ?? [];
    if (value === undefined) continue;
    // A header that is sent twice says nothing that can be relied on.
    if (more.length > 0 || value === "" || value.length > 512) {
      return { code: "request_malformed", data: { reason: `the header ${meshHeaders[name]} has no use` } };
    }
    found[name] = value;
  }
  return found;
}

function payloadOf(data: Uint8Array): { readonly value: Canonical } | CommandProblem {
  if (data.length === 0) return { value: emptyInput };
  let text: string;
  try {
    text = utf8.decode(data);
  } catch {
    return { code: "input_malformed", data: { reason: "not_utf8", pointer: "" } };
  }
  const parsed = parseJson(text, inputLimits);
  return parsed.ok ? { value: parsed.value } : { code: "input_malformed", data: { ...parsed.fault } };
}

function invalid(issues: readonly object[]): CommandProblem {
  return { code: "input_invalid", data: { issues } };
}

/** Where the answer goes, if the sender says so. */
export function replyAddress({ headers }: CommandMessage): string | undefined {
  const [address, ...more] = headers?.values(meshHeaders.replyTo, "insensitive") ?? [];
  return address !== undefined && more.length === 0 && isAddress(address) ? address : undefined;
}

/** An address of the sender's own, never one that is heard as a command, an event or an order to the server. */
function isAddress(address: string): boolean {
  const [first = ""] = address.split(".");
  const isOurs = (Object.values(meshSubjects) as readonly string[]).includes(first);
  const isPlain = /^[^\s*>.]+(\.[^\s*>.]+)*$/u.test(address) && address.length <= 512;
  return isPlain && !isOurs && !first.startsWith("$");
}
