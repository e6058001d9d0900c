/** An event in the format of the mesh. The journal stores the fields for the fold; the mesh publishes the contract's fields. */
import { defined } from "@holdfast/sdk/base/defined";
import { isOfEntity, lockWord, meshHeaders, meshLockEvents, recordedType } from "@holdfast/sdk/contract";
import type { WatchedEvent } from "@holdfast/sdk";
import type { EventPosition } from "./nats-door-options.ts";

export interface MeshEvent {
  /** The name, such as `evt.document.changed`, which is also its NATS subject. */
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A message to publish. Header values contain no line breaks. */
export interface OutgoingMessage {
  readonly subject: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

type EventSource = Pick<WatchedEvent, "name" | "subject" | "data">;

const lockFields: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(meshLockEvents).map(([verb, { properties }]) => [`evt.${lockWord}.${verb}`, Object.keys(properties)]),
);

export function meshEvent(event: EventSource): MeshEvent {
  const { name, subject, data } = event;
  const members = data as Readonly<Record<string, unknown>>;
  // An entity of the type `lock` is not a lock, regardless of the event names of its kind.
  const isEntity = isOfEntity(recordedType(event) ?? "");
  const fields = isEntity ? undefined : lockFields.get(name);
  if (fields !== undefined)
    return { name, data: Object.fromEntries(fields.map((field) => [field, members[field] ?? null])) };
  const [, type = ""] = name.split(".");
  // The journal stores the subject next to the data. A payload has only the data, so the id is added to it.
  const hasEntity = (isEntity || type !== lockWord) && subject.startsWith(`${type}/`);
  return { name, data: hasEntity ? { entity_id: subject.slice(type.length + 1), ...members } : members };
}

/** The message of an event, with its position in the journal. */
export function eventMessage(event: WatchedEvent, eventPosition: EventPosition, bytesMax: number): OutgoingMessage {
  const { name, data } = meshEvent(event);
  const { fence } = event.data as { readonly fence?: unknown };
  return fitToLimit(
    {
      subject: name,
      text: JSON.stringify(data),
      headers: {
        [meshHeaders.position]: String(eventPosition.position),
        [meshHeaders.epoch]: String(eventPosition.epoch),
        [meshHeaders.index]: String(eventPosition.index),
        [meshHeaders.time]: event.time,
        [meshHeaders.subject]: encodeURI(event.subject),
        ...defined({ [meshHeaders.fence]: typeof fence === "string" ? fence : undefined }),
      },
    },
    bytesMax,
    data,
  );
}

/** The fields that identify the subject of a message. They stay in a message that is too large. */
const identifyingFields = ["entity_id", "resource_id", "owner_id", "version"];

/**
 * A message that the nats-server would refuse must not block later messages. It is replaced by its size and its identifying
 * fields. A reader finds the whole event in the journal at its position.
 */
export function fitToLimit(message: OutgoingMessage, bytesMax: number, data: object): OutgoingMessage {
  const bytes = Buffer.byteLength(message.text);
  if (bytes <= bytesMax) return message;
  const kept = Object.entries(data).filter(([name]) => identifyingFields.includes(name));
  const headers = { ...message.headers, [meshHeaders.tooLarge]: String(bytes) };
  return { ...message, text: JSON.stringify(Object.fromEntries(kept)), headers };
}

/** `1.42.0`: epoch, position, and index of the event in its entry. */
export function formatEventPosition({ epoch, position, index }: EventPosition): string {
  return `${epoch}.${position}.${index}`;
}

export function parseEventPosition(text: string): EventPosition | undefined {
  const match = /^([0-9]{1,15})\.([0-9]{1,15})\.([0-9]{1,9})$/u.exec(text);
  if (match === null) return undefined;
  const [epoch = 0, position = 0, index = 0] = match.slice(1).map(Number);
  return { epoch, position, index };
}

export function isAfter(left: EventPosition, right: EventPosition): boolean {
  return left.position === right.position ? left.index > right.index : left.position > right.position;
}
