/** Parses a message to a command: the action from the subject, the input from the payload, the sender from the headers. */
import { defined } from "@holdfast/sdk/base/defined";
import { checkOf, meshHeaders, meshLockWords } from "@holdfast/sdk/contract";
import type { CallOptions } from "@holdfast/sdk";
import { emptyInput } from "@holdfast/sdk/json/canonical";
import type { Canonical, CanonicalObject } from "@holdfast/sdk/json/canonical";
import { inputLimits } from "@holdfast/sdk/json/input-limits";
import { isObject } from "@holdfast/sdk/json/json";
import type { Json } from "@holdfast/sdk/json/json";
import { parseJson } from "@holdfast/sdk/json/parse-json";
import { bearerToken } from "../../access/bearer-token.ts";
import type { ReplyAddresses } from "./reply-addresses.ts";
import type { SubjectAction, SubjectActions } from "./subject-actions.ts";

/** The parts of a message that are read, for requests and for deliveries from a stream. */
export interface CommandMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers?: { values(name: string, match: "insensitive"): string[] } | undefined;
}

/** The reason why a message is not a command: a problem code and its data. */
export interface CommandProblem {
  readonly code: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface ParsedCommand {
  readonly operation: string;
  readonly input: Canonical;
  readonly options: Pick<CallOptions, "key" | "agent" | "agentSecret" | "trace">;
  readonly token?: string | undefined;
  /** The lock action of the subject. Its answer has a different format. */
  readonly lock?: { readonly action: keyof typeof meshLockWords; readonly resource: string; readonly owner: string };
}

/** Prefix of the keys for commands without a key. Senders must not use it. */
export const implicitKeyPrefix = "nats:";

const checks = new Map(Object.entries(meshLockWords).map(([action, { input }]) => [action, checkOf(input)]));
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The actions of subjects, and the subjects that may receive answers. */
interface CommandReaderOptions {
  readonly actions: SubjectActions;
  readonly replies: ReplyAddresses;
}

export function readCommand(
  message: CommandMessage,
  { actions, replies }: CommandReaderOptions,
): ParsedCommand | CommandProblem {
  const [prefix = "", entity = "", action = "", ...more] = message.subject.split(".");
  const target = more.length === 0 ? actions.find(entity, action) : undefined;
  if (target === undefined) {
    const shape = `${prefix}.<entity>.<action>, ${prefix}.lock.<action> or ${prefix}.operation.<name>`;
    return { code: "operation_unknown", data: { subject: message.subject, reason: `the subject is not ${shape}` } };
  }
  const sender = senderOf(message, replies);
  if (isCommandProblem(sender)) return sender;
  const payload = payloadOf(message.data);
  if (isCommandProblem(payload)) return payload;
  const command =
    target.shape === "named" ? { ...target, input: payload.value } : commandOfAction(target, action, payload.value);
  if (isCommandProblem(command)) return command;
  return withKey(command, sender);
}

export function isCommandProblem(result: object): result is CommandProblem {
  return "code" in result && !("operation" in result);
}

interface UnkeyedCommand extends Pick<ParsedCommand, "operation" | "input" | "lock"> {
  /** The key in the payload, unchecked. */
  readonly key?: Json | undefined;
}

/** Except for operations by name, the payload is an object and may contain the idempotency key. */
function commandOfAction(
  target: Exclude<SubjectAction, { shape: "named" }>,
  action: string,
  value: Canonical,
): UnkeyedCommand | CommandProblem {
  if (!isObject(value)) return invalid([{ pointer: "", message: "must be an object" }]);
  const { idempotency_key: key, ...rest } = value;
  if (target.shape === "lock") return lockCommandOf(action, value, key);
  const { entity_id: entityId, ...others } = rest;
  if (entityId !== undefined && "id" in others) {
    return invalid([{ pointer: "/id", message: "must be absent if entity_id is present, which means the same" }]);
  }
  const input = entityId === undefined ? others : { ...others, id: entityId };
  if (target.shape === "typed") return { operation: target.operation, input, key };
  // A put with the expected version 0 is a creation. It is one command, decided at once.
  const operation = target.isPut && others["expected_version"] === 0 ? "create-entity" : target.operation;
  return { operation, input: { ...input, type: target.type }, key };
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
  const locked = action === "refresh" ? { path: resource } : { paths: [resource] };
  const operation = meshLockWords[action]?.operation ?? "";
  const lock = { action, resource, owner };
  return {
    operation,
    input: { ...emptyInput, ...locked, owner_id: owner, ...defined({ ttl_seconds: ttl }) },
    key,
    lock,
  };
}

function withKey(
  { key, ...command }: UnkeyedCommand,
  { token, options }: CommandSender,
): ParsedCommand | CommandProblem {
  if (key !== undefined && typeof key !== "string")
    return invalid([{ pointer: "/idempotency_key", message: "must be a string" }]);
  if (key !== undefined && options.key !== undefined && key !== options.key) {
    return {
      code: "idempotency_key_invalid",
      data: { reason: `the header ${meshHeaders.key} and idempotency_key in the payload differ` },
    };
  }
  const keyed = key === undefined ? options : { ...options, key };
  if (keyed.key?.startsWith(implicitKeyPrefix) === true) {
    const reason = `keys that start with ${implicitKeyPrefix} are reserved for commands without a key; use another key`;
    return { code: "idempotency_key_invalid", data: { reason } };
  }
  return { ...command, options: keyed, token };
}

interface CommandSender {
  readonly token?: string | undefined;
  readonly options: ParsedCommand["options"];
}

function senderOf(message: CommandMessage, replies: ReplyAddresses): CommandSender | CommandProblem {
  const { headers } = message;
  const addresses = headers?.values(meshHeaders.replyTo, "insensitive") ?? [];
  if (addresses.length > 0 && replyAddress(message, replies) === undefined) {
    return {
      code: "request_malformed",
      data: { reason: `the header ${meshHeaders.replyTo} is not one subject below ${replies.prefixes.join(" or ")}` },
    };
  }
  const found = senderHeaders(headers);
  if (isCommandProblem(found)) return found;
  const { authorization, token, ...options } = found;
  if (authorization !== undefined && token !== undefined) {
    return {
      code: "request_malformed",
      data: { reason: `send either ${meshHeaders.authorization} or ${meshHeaders.token}, not both` },
    };
  }
  return { options, token: token ?? bearerToken(authorization) };
}

/** The headers about the sender. Each may occur once. */
function senderHeaders(headers: CommandMessage["headers"]): Readonly<Record<string, string>> | CommandProblem {
  const found: Record<string, string> = {};
  for (const name of ["authorization", "token", "agent", "agentSecret", "key", "trace"] as const) {
    const [value, ...more] = headers?.values(meshHeaders[name], "insensitive") ?? [];
    if (value === undefined) continue;
    // A repeated header is ambiguous.
    if (more.length > 0 || value === "" || value.length > 512) {
      return {
        code: "request_malformed",
        data: { reason: `the header ${meshHeaders[name]} is empty, repeated or longer than 512 characters` },
      };
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

/** The subject for the answer. Undefined if the sender set none, or one that may not receive answers. */
export function replyAddress({ headers }: CommandMessage, replies: ReplyAddresses): string | undefined {
  const [address, ...more] = headers?.values(meshHeaders.replyTo, "insensitive") ?? [];
  return address !== undefined && more.length === 0 && replies.allows(address) ? address : undefined;
}
