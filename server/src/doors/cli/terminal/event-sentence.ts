import { escapeControlChars } from "./escape-control-chars.ts";

type EventData = Readonly<Record<string, unknown>>;

/** A durable event for a sentence. `who` is the author, `labelOf` the name of an agent. */
interface SentenceParts {
  readonly name: string;
  readonly subject: string;
  readonly who: string;
  readonly data: EventData;
  readonly labelOf: (id: string) => string;
}

/** `ann (28a0) acquired repo/x for "renaming"`. An event without a sentence of its own shows its name and its subject. */
export function eventSentence({ name, subject, who, data, labelOf }: SentenceParts): string {
  const [, domain = "", verb = ""] = /^(?:evt\.)?(.+)\.([a-z_-]+)$/u.exec(name) ?? [];
  const thing = escapeControlChars(subject.replace(/^(?:lock|ticket|agent)\//u, ""));
  const owner = typeof data["owner_id"] === "string" ? labelOf(data["owner_id"]) : who;
  const because = [quoted("for", data["purpose"]), quoted("because", data["reason"])].join("");
  if (domain === "lock") return `${owner} ${lockVerbs[verb] ?? verb.replaceAll("_", " ")} ${thing}${because}`;
  if (domain === "ticket") return `${owner} ${ticketVerbs[verb] ?? verb.replaceAll("_", " ")} ${thing}${because}`;
  if (domain === "agent") return `${labelOf(thing)} ${agentVerbs[verb] ?? verb}${because}`;
  const version = typeof data["version"] === "number" ? ` (version ${data["version"]})` : "";
  return `${who} ${entityVerbs[verb] ?? `${escapeControlChars(name)}:`} ${escapeControlChars(subject)}${version}${because}`;
}

function quoted(word: string, text: unknown): string {
  return typeof text === "string" && text !== "" ? ` ${word} "${escapeControlChars(text)}"` : "";
}

const lockVerbs: Readonly<Record<string, string>> = {
  acquired: "acquired",
  released: "released",
  expired: "lost the lease of",
  forced: "lost, by an operator,",
  recovered: "lost, by recovery,",
  renewed: "renewed",
  upgraded: "upgraded",
  downgraded: "downgraded",
  transferred: "transferred",
  release_requested: "was asked to release",
  queued: "waits for",
  accepted: "accepted the grant of ticket",
};

const ticketVerbs: Readonly<Record<string, string>> = {
  queued: "waits with ticket",
  cancelled: "cancelled ticket",
  expired: "lost its place with ticket",
};

const agentVerbs: Readonly<Record<string, string>> = {
  registered: "registered",
  resumed: "resumed",
  ended: "ended",
  expired: "ended by inactivity",
};

const entityVerbs: Readonly<Record<string, string>> = {
  created: "created",
  changed: "changed",
  replaced: "replaced",
  merged: "changed",
  patched: "changed",
  deleted: "deleted",
  conflict: "had a conflict on",
};
