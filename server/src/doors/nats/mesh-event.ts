/** An event as the mesh tells it. The journal's own shape holds what a fold needs; here are the fields that were promised. */
import { isOfEntity, lockWord, meshHeaders, meshLockEvents, recordedType } from "@holdfast/sdk/contract";
import type { WatchedEvent } from "@holdfast/sdk";
import type { EventPosition } from "./nats-door-options.ts";

export interface MeshEvent {
  /** `evt.document.changed`, which is also the subject that it is published at. */
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Something to be published: headers are names and texts without line ends. */
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
  const facts = data as Readonly<Record<string, unknown>>;
  // An entity of the type `lock` is not a lock, whatever its kind calls its changes.
  const isEntity = isOfEntity(recordedType(event) ?? "");
  const fields = isEntity ? undefined : lockFields.get(name);
  if (fields !== undefined)
    return { name, data: Object.fromEntries(fields.map((field) => [field, facts[field] ?? null])) };
  const [, what = ""] = name.split(".");
  // What an event is about stands beside its data in the journal; a payload has nothing beside it.
  const isAboutOne = (isEntity || what !== lockWord) && subject.startsWith(`${what}/`);
  return { name, data: isAboutOne ? { entity_id: subject.slice(what.length + 1), ...facts } : facts };
}

/** An event at its place in the journal, ready to be published. */
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
        [meshHeaders.time]: new Date(event.time).toISOString(),
        [meshHeaders.subject]: encodeURI(event.subject),
        ...(typeof fence === "string" ? { [meshHeaders.fence]: fence } : {}),
      },
    },
    bytesMax,
    data,
  );
}

/** What names the thing that a message is about: it stays when everything else is too much. */
const identifyingFields = ["entity_id", "resource_id", "owner_id", "version"];

/**
 * A message that the server would refuse must not stop those after it. It says how large it is instead, and what it is
 * about; who needs the rest reads it at its position.
 */
export function fitToLimit(message: OutgoingMessage, bytesMax: number, data: object): OutgoingMessage {
  const bytes = Buffer.byteLength(message.text);
  if (bytes <= bytesMax) return message;
  const kept = Object.entries(data).filter(([name]) => identifyingFields.includes(name));
  const headers = { ...message.headers, [meshHeaders.tooLarge]: String(bytes) };
  return { ...message, text: JSON.stringify(Object.fromEntries(kept)), headers };
}

/** `1.42.0`: epoch, position, and which event of the entry. */
export function formatEventPosition({ epoch, position, index }: EventPosition): string {
  return `${epoch}.${position}.${index}`;
}

export function parseEventPosition(text: string): EventPosition | undefined {
  const match = /^([0-9]{1,15})\.([0-9]{1,15})\.([0-9]{1,9})$/u.exec(text);
  if (match === null) return undefined;
  const [epoch = 0, position = 0, index = 0] = match.slice(1).map(Number);
  return { epoch, position, index };
}

export function isAfter(one: EventPosition, other: EventPosition): boolean {
  return one.position === other.position ? one.index > other.index : one.position > other.position;
}
