import { isOfEntity } from "@holdfast/sdk/contract";
import type { Entry, Event } from "../../machine/entry.ts";
import type { Json } from "@holdfast/sdk/json/json";
import { jsonPatch } from "./json/json-patch.ts";
import { mergePatch } from "./json/merge-patch.ts";
import { noLimits } from "./size.ts";

/** One version of an entity, rebuilt from history. */
export interface Version {
  readonly version: number;
  /** Undefined if this version is a deletion. */
  readonly value: Json | undefined;
  readonly entry: Pick<Entry, "position" | "time" | "principal" | "agent" | "operation">;
}

/** The requested versions, or the reason why they are missing. */
export type Versions =
  | { readonly kind: "found"; readonly versions: readonly [Version, ...Version[]] }
  /** The data of a required version was erased by this entry. */
  | { readonly kind: "erased"; readonly by: number }
  | { readonly kind: "missing" };

interface Step {
  readonly version: number;
  readonly event: Event;
  readonly entry: Entry;
}

/**
 * Rebuilds versions of an entity from its entries, given newest first. It goes back to a whole value at or below the
 * first requested version. Whole values are recorded at fixed intervals, so it needs few entries.
 */
export class VersionTrail {
  readonly #subject: string;
  readonly #to: number;
  /** Undefined until the newest version is found, if that one was requested. */
  #from: number | undefined;
  readonly #steps: Step[] = [];
  /** The version of the last event. An erased event has no version: it is one lower. */
  #last = Infinity;
  #erasedBy: number | undefined;
  #isComplete = false;

  constructor(subject: string, range: { readonly from: number | "latest"; readonly to: number }) {
    this.#subject = subject;
    this.#from = range.from === "latest" ? undefined : range.from;
    this.#to = range.to;
  }

  /** Adds the next older entry. Returns true when no more are needed. */
  add(entry: Entry): boolean {
    for (const event of entry.events.toReversed()) {
      if (event.subject !== this.#subject || !isVersion(event) || this.#isComplete) continue;
      this.#last = (event.data["version"] as number | undefined) ?? this.#last - 1;
      if (this.#last > this.#to) continue;
      this.#from ??= this.#last;
      this.#steps.push({ version: this.#last, event, entry });
      this.#erasedBy ??= entry.erased;
      this.#isComplete = this.#erasedBy !== undefined || (this.#last <= this.#from && isWhole(event));
    }
    return this.#isComplete;
  }

  /** The requested versions, oldest first. */
  versions(): Versions {
    if (this.#erasedBy !== undefined) return { kind: "erased", by: this.#erasedBy };
    if (!this.#isComplete) return { kind: "missing" };
    const versions: Version[] = [];
    let value: Json | undefined;
    for (const { version, event, entry } of this.#steps.toReversed()) {
      value = apply(value, event);
      if (version >= (this.#from ?? 0)) versions.push({ version, value, entry });
    }
    const [first, ...more] = versions;
    return first?.version === this.#from && first !== undefined
      ? { kind: "found", versions: [first, ...more] }
      : { kind: "missing" };
  }
}

/** The version that an entry made of an entity; undefined if it made none, or if its data was erased. */
export function versionMadeBy(entry: Entry, subject: string): number | undefined {
  const event = entry.events.findLast((made) => made.subject === subject && isVersion(made));
  return event?.data["version"] as number | undefined;
}

/** Locks, agents and tokens have their own events, whose subject may equal that of an entity. */
function isVersion({ type }: Event): boolean {
  return isOfEntity(type) && type !== "entity.conflict" && type !== "entity.retired";
}

function isWhole(event: Event): boolean {
  return event.type === "entity.created" || event.type === "entity.replaced" || event.type === "entity.deleted";
}

function apply(value: Json | undefined, event: Event): Json | undefined {
  if (event.type === "entity.deleted") return undefined;
  if (isWhole(event)) return event.data["value"];
  if (event.type === "entity.merged") return mergePatch(value, event.data["merge"] as Json);
  const patched = jsonPatch(value ?? null, event.data["patch"] as Json, noLimits);
  if (!patched.ok) throw new Error(`the history of ${event.subject} holds a patch that does not apply`);
  return patched.value;
}
