import { scalarBytes, stringBytes } from "@holdfast/sdk/json/scalar-bytes";
import { isObject, type Json, type JsonObject } from "@holdfast/sdk/json/json";
import { sizeOf, type ValueSize } from "../size.ts";
import { mergePatch } from "./merge-patch.ts";

/**
 * The exact size of a value after a merge patch, from its size before. Its cost depends on the touched parts, so a small
 * patch never walks a large entity.
 */
export function sizeAfterMerge(before: ValueSize, target: Json, patch: JsonObject): ValueSize {
  const size = new MergeSize(before);
  size.mergeObject(target, patch);
  return { bytes: size.bytes, members: size.members };
}

/** Adds the changes of a merge to a size. Every write runs it, so it makes no object for a scalar. */
class MergeSize {
  bytes: number;
  members: number;

  constructor({ bytes, members }: ValueSize) {
    this.bytes = bytes;
    this.members = members;
  }

  mergeObject(target: Json, patch: JsonObject): void {
    if (!isObject(target)) {
      this.#replace(target, mergePatch(target, patch));
      return;
    }
    let added = 0;
    for (const name of Object.keys(patch)) {
      const held = Object.hasOwn(target, name) ? target[name] : undefined;
      added += this.#mergeMember(name, held, patch[name] as Json);
    }
    if (added === 0) return;
    const count = Object.keys(target).length;
    this.bytes += Math.max(0, count + added - 1) - Math.max(0, count - 1);
  }

  /** Adds one member of the patch, without commas. Returns the change of the number of members. */
  #mergeMember(name: string, held: Json | undefined, request: Json): -1 | 0 | 1 {
    if (request === null) {
      if (held === undefined) return 0;
      this.#add(held, -1);
      this.#addName(name, -1);
      return -1;
    }
    if (held === undefined) {
      this.#add(mergePatch(undefined, request), 1);
      this.#addName(name, 1);
      return 1;
    }
    if (isObject(request) && isObject(held)) this.mergeObject(held, request);
    else this.#replace(held, mergePatch(held, request));
    return 0;
  }

  #replace(held: Json, next: Json): void {
    this.#add(held, -1);
    this.#add(next, 1);
  }

  #add(value: Json, sign: 1 | -1): void {
    if (typeof value !== "object" || value === null) {
      this.bytes += sign * scalarBytes(value);
      return;
    }
    const { bytes, members } = sizeOf(value);
    this.bytes += sign * bytes;
    this.members += sign * members;
  }

  /** The name and its colon. */
  #addName(name: string, sign: 1 | -1): void {
    this.bytes += sign * (stringBytes(name) + 1);
    this.members += sign;
  }
}
