import type { InputLimits } from "./input-limits.ts";
import type { Json, JsonObject } from "./json.ts";
import { scalarBytes, stringBytes } from "./scalar-bytes.ts";

type SizeLimits = Pick<InputLimits, "bytesMax" | "depthMax" | "membersMax">;

export interface Size {
  /** UTF-8 bytes of the compact JSON text. */
  readonly bytes: number;
  readonly depth: number;
  readonly members: number;
}

type Measured =
  | { readonly ok: true; readonly size: Size }
  | { readonly ok: false; readonly reason: "too_large" | "too_deep" | "too_many" };

/**
 * The size of a canonical value, or the first limit that it exceeds. It stops at that limit. A value with shared parts
 * may have gigabytes as text, and costs no more than a value at the limit.
 */
export function measure(value: Json, limits: SizeLimits): Measured {
  const walk = new SizeWalk(limits);
  return walk.add(value, 0)
    ? { ok: true, size: { bytes: walk.bytes, depth: walk.depth, members: walk.members } }
    : { ok: false, reason: walk.reason };
}

class SizeWalk {
  bytes = 0;
  depth = 0;
  members = 0;
  reason: "too_large" | "too_deep" | "too_many" = "too_large";
  readonly #limits: SizeLimits;

  constructor(limits: SizeLimits) {
    this.#limits = limits;
  }

  add(value: Json, depth: number): boolean {
    if (typeof value !== "object" || value === null) return this.#spend(scalarBytes(value));
    const inside = depth + 1;
    if (inside > this.#limits.depthMax) return this.#exceed("too_deep");
    if (inside > this.depth) this.depth = inside;
    return Array.isArray(value)
      ? this.#elements(value as readonly Json[], inside)
      : this.#members(value as JsonObject, inside);
  }

  #elements(elements: readonly Json[], depth: number): boolean {
    const commas = elements.length === 0 ? 0 : elements.length - 1;
    if (!this.#count(elements.length) || !this.#spend(2 + commas)) return false;
    for (const element of elements) {
      if (!this.add(element, depth)) return false;
    }
    return true;
  }

  #members(object: JsonObject, depth: number): boolean {
    const names = Object.keys(object);
    // Brackets, a colon for each member, a comma for all but the last.
    const signs = names.length === 0 ? 2 : 2 * names.length + 1;
    if (!this.#count(names.length) || !this.#spend(signs)) return false;
    for (const name of names) {
      if (!this.#spend(stringBytes(name)) || !this.add(object[name] as Json, depth)) return false;
    }
    return true;
  }

  #count(members: number): boolean {
    this.members += members;
    return this.members <= this.#limits.membersMax || this.#exceed("too_many");
  }

  #spend(bytes: number): boolean {
    this.bytes += bytes;
    return this.bytes <= this.#limits.bytesMax || this.#exceed("too_large");
  }

  #exceed(reason: "too_large" | "too_deep" | "too_many"): false {
    this.reason = reason;
    return false;
  }
}
