import type { Entry, Event } from "../../machine/entry.ts";
import type { Json } from "../../machine/json.ts";
import { jsonPatch } from "./json/json-patch.ts";
import { mergePatch } from "./json/merge-patch.ts";

/** One version of an entity, as history tells it. */
export interface Version {
  readonly version: number;
  /** Undefined if this version is a deletion. */
  readonly value: Json | undefined;
  readonly entry: Pick<Entry, "position" | "time" | "principal" | "agent" | "operation">;
}

interface Step {
  readonly version: number;
  readonly event: Event;
  readonly entry: Entry;
}

const noLimits = {
  bytesMax: Infinity,
  depthMax: Infinity,
  membersMax: Infinity,
  nameLengthMax: Infinity,
  workMax: Infinity,
};

/**
 * Rebuilds versions of an entity from its entries, given newest first: it goes back until it meets a whole value at or
 * below the first version wanted. Whole values are recorded every so often, so that is never far.
 */
export class VersionTrail {
  readonly #subject: string;
  readonly #from: number;
  readonly #to: number;
  readonly #steps: Step[] = [];
  #isComplete = false;

  constructor(subject: string, range: { readonly from: number; readonly to: number }) {
    this.#subject = subject;
    this.#from = range.from;
    this.#to = range.to;
  }

  /** Takes the next older entry. True once there is enough. */
  add(entry: Entry): boolean {
    for (const event of entry.events.toReversed()) {
      if (event.subject !== this.#subject || event.type === "entity.conflict" || this.#isComplete) continue;
      const version = event.data["version"] as number;
      if (version > this.#to) continue;
      this.#steps.push({ version, event, entry });
      this.#isComplete = version <= this.#from && isWhole(event);
    }
    return this.#isComplete;
  }

  /** The versions wanted, oldest first; undefined if history does not reach back to them. */
  versions(): readonly Version[] | undefined {
    if (!this.#isComplete) return undefined;
    const versions: Version[] = [];
    let value: Json | undefined;
    for (const { version, event, entry } of this.#steps.toReversed()) {
      value = apply(value, event);
      if (version >= this.#from) versions.push({ version, value, entry });
    }
    return versions[0]?.version === this.#from ? versions : undefined;
  }
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
