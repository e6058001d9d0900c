import { socketProtocol } from "@holdfast/sdk/contract";
import type { ClientMessage } from "@holdfast/sdk/contract";
import type { InputFault } from "@holdfast/sdk/json/input-fault";
import { inputLimits } from "@holdfast/sdk/json/input-limits";
import type { Json } from "@holdfast/sdk/json/json";
import { parseEnvelopes } from "@holdfast/sdk/json/parse-envelopes";

export interface Frame {
  /** Their inputs are canonical. */
  readonly messages: readonly ClientMessage[];
  /** Faults of inputs, by the index of the message. Such a message has no input, and its call is refused alone. */
  readonly faults: ReadonlyMap<number, InputFault>;
  /** Approximate bytes of each message. */
  readonly messageBytes: number;
}

/** A frame that cannot be used, with the reason. */
export class FrameFault extends Error {
  override readonly name = "FrameFault";
}

/** Reads the messages of a frame and their inputs in one pass. A fault outside of the inputs refuses the whole frame. */
export function readFrame(text: string): Frame {
  const parsed = parseEnvelopes(text, inputLimits);
  if (!parsed.ok) throw new FrameFault(notJson(parsed.fault));
  const { value: messages, faults } = parsed;
  if (!Array.isArray(messages)) throw new FrameFault("a frame is an array of messages");
  // A client of another protocol may send messages that this one lacks. It must learn the protocol number first.
  if (isForeignHello(messages[0])) return { messages: [messages[0]], faults, messageBytes: text.length };
  for (let index = 0; index < messages.length; index += 1) {
    const fault = faultOf(messages[index] as Json);
    if (fault !== undefined) throw new FrameFault(`message ${index}: ${fault}`);
  }
  return { messages, faults, messageBytes: text.length / messages.length };
}

function notJson({ reason, pointer, offset = 0 }: InputFault): string {
  return `the frame is not JSON: ${reason} at "${pointer}", offset ${offset}`;
}

/** In characters, as everywhere else: these are the lengths in the schemas of commands and of `GET /v1/events`. */
const textMax = { agent: 128, secret: 256, token: 512, cursor: 64, subject: 2_200, name: 255 } as const;

type Members = Readonly<Record<string, unknown>>;
type Rule = readonly [name: string, isValid: (value: unknown) => boolean, expected: string, isOptional?: true];

const id: Rule = ["id", isId, "a whole number from 0"];
const text = (name: string): Rule => [name, (value) => typeof value === "string", "a text"];
/** Texts that are kept while the socket is open. Without a maximum length they could fill the memory. */
const keptText = (name: string, lengthMax: number): Rule => [
  name,
  (value) => typeof value === "string" && value.length <= lengthMax,
  `a text of at most ${lengthMax} characters`,
];
const optional = ([name, isValid, expected]: Rule): Rule => [name, isValid, `${expected}, or absent`, true];

const rules: ReadonlyMap<unknown, readonly Rule[]> = new Map<string, readonly Rule[]>([
  [
    "call",
    [
      id,
      text("operation"),
      optional(text("key")),
      optional(["as", isId, "a whole number from 0"]),
      optional(["deadline_ms", (value) => typeof value === "number" && value >= 0, "a number of milliseconds"]),
      optional(text("trace")),
      optional(["events", (value) => value === false, "false"]),
      optional(["reads", (value) => value === "latest" || value === "local", '"latest" or "local"']),
      optional(["retry", (value) => value === "deadlock" || value === "conflict", '"deadlock" or "conflict"']),
    ],
  ],
  ["hello", [["protocol", isId, "a whole number"], optional(keptText("token", textMax.token))]],
  [
    "agent",
    [
      ["as", isId, "a whole number from 0"],
      keptText("agent", textMax.agent),
      optional(keptText("secret", textMax.secret)),
    ],
  ],
  [
    "watch",
    [
      id,
      optional(keptText("after", textMax.cursor)),
      optional(keptText("subject", textMax.subject)),
      optional(keptText("owner", textMax.agent)),
      names(),
    ],
  ],
  ["listen", [id, ["owner", isOwner, "the id of an owner"]]],
  ["unwatch", [id]],
  ["more", [id, ["count", isId, "a whole number from 0"]]],
  ["cursor", [id]],
  ["ping", [id]],
]);

function faultOf(message: unknown): string | undefined {
  if (typeof message !== "object" || message === null) return "a message is an object";
  const fields = rules.get((message as Members)["kind"]);
  if (fields === undefined) return `unknown kind; the known kinds are ${[...rules.keys()].join(", ")}`;
  for (const [name, isValid, expected, isOptional] of fields) {
    const value = (message as Members)[name];
    if (value === undefined && isOptional === true) continue;
    if (!isValid(value)) return `\`${name}\` must be ${expected}`;
  }
  return undefined;
}

function isForeignHello(message: unknown): message is ClientMessage {
  if (faultOf(message) !== undefined) return false;
  const { kind, protocol } = message as Members;
  return kind === "hello" && protocol !== socketProtocol;
}

function isId(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isOwner(value: unknown): boolean {
  return typeof value === "string" && value !== "" && value.length <= textMax.agent;
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value.length <= textMax.name;
}

function names(): Rule {
  const isNames = (value: unknown): boolean => Array.isArray(value) && value.length <= 100 && value.every(isName);
  return optional([
    "names",
    isNames,
    `an array of at most 100 names of events, each of at most ${textMax.name} characters`,
  ]);
}
