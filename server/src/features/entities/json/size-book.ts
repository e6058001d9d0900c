import type { Size } from "@holdfast/sdk/json/measure";
import { scalarBytes, stringBytes } from "@holdfast/sdk/json/scalar-bytes";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";

/** Below this length counting a string again is faster than a look-up. */
const longString = 64;
/** Characters that are counted in about the time of one member. */
const charactersPerWork = 16;

/**
 * Sizes of values that share structure. Each part is counted once, however often it occurs. Its containers must not
 * change before `forget` is called.
 */
export class SizeBook {
  /** Members counted so far, a deterministic measure of the time spent. */
  work = 0;
  readonly #sizes = new Map<Json, Size>();

  sizeOf(value: Json): Size {
    const remembered = typeof value === "string" ? value.length > longString : isContainer(value);
    if (!remembered) return { bytes: scalarBytes(value as null | boolean | number | string), depth: 0, members: 0 };
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    const size = this.#count(value);
    this.#sizes.set(value, size);
    return size;
  }

  forget(container: Json): void {
    this.#sizes.delete(container);
  }

  #count(value: Json): Size {
    if (typeof value === "string") {
      this.work += value.length / charactersPerWork;
      return { bytes: stringBytes(value), depth: 0, members: 0 };
    }
    const names = Array.isArray(value) ? undefined : Object.keys(value as JsonObject);
    const parts =
      names === undefined ? (value as readonly Json[]) : names.map((name) => (value as JsonObject)[name] as Json);
    // Two brackets, and a comma before every part but the first.
    let bytes = parts.length === 0 ? 2 : parts.length + 1;
    let depth = 0;
    let members = parts.length;
    for (const name of names ?? []) bytes += stringBytes(name) + 1;
    for (const part of parts) {
      const size = this.sizeOf(part);
      bytes += size.bytes;
      members += size.members;
      if (size.depth > depth) depth = size.depth;
    }
    this.work += parts.length + 1;
    return { bytes, depth: depth + 1, members };
  }
}

function isContainer(value: Json): boolean {
  return typeof value === "object" && value !== null;
}
