import type { TSchema } from "typebox";
import type { Verb } from "./allowance.ts";

/** An event as a type reads it: its subject, its data and, if known, its author. */
export interface RecordedEvent {
  readonly subject: string;
  readonly data: unknown;
  /** Absent in the reply to a call, whose caller is the author. */
  readonly by?: { readonly agent?: string };
}

/**
 * A type of event that an entry may hold. The fold of a type never changes; a new meaning is a new type. An event about
 * an entity is published as `evt.<type of the entity>.<verb>`, any other event as `evt.<type>`.
 */
export interface EventType {
  readonly summary: string;
  readonly data: TSchema;
  /**
   * The paths that a caller must be allowed to read to see the event. By default it is the path of the subject.
   * Undefined: only callers that may read everything see it.
   */
  readonly paths?: (event: RecordedEvent) => readonly string[] | undefined;
  /** One of these verbs on each path is enough; `read` by default. */
  readonly verbs?: readonly Verb[];
  /** The owners that the event concerns. They see it in any case, and a watch of an owner selects it. */
  readonly owners?: (event: RecordedEvent) => readonly string[];
  /** The name of the event in the records of the audit trail. Without it the event is not a record. */
  readonly audit?: string;
}

/** For events about the whole space, tokens or registrations, which have no path. */
export const withoutPath = (): undefined => undefined;

/** Adds the same members to each of these types. */
export function eachWith<
  const Types extends Readonly<Record<string, EventType>>,
  const Members extends Partial<EventType>,
>(types: Types, members: Members): { readonly [Name in keyof Types]: Types[Name] & Members } {
  const entries = Object.entries(types).map(([name, type]) => [name, { ...type, ...members }] as const);
  return Object.fromEntries(entries) as { readonly [Name in keyof Types]: Types[Name] & Members };
}
