import type { InputLimits } from "@holdfast/sdk/json/input-limits";
import { measure, type Size } from "@holdfast/sdk/json/measure";
import { stringBytes } from "@holdfast/sdk/json/scalar-bytes";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { arrayIndex, childAt, valueAt } from "@holdfast/sdk/json/value-at";
import { SizeBook } from "./size-book.ts";

export type DraftFault =
  /** The pointer does not exist. */
  | "not_found"
  /** Neither an index of this array, nor "-", nor the index after its last element. */
  | "invalid_index"
  /** The parent is a scalar and cannot hold anything. */
  | "not_a_container"
  /** A member cannot have the name `__proto__`. */
  | "forbidden_name"
  | "name_too_long"
  /** The whole value can be replaced, not removed. */
  | "root_removal"
  | "too_large"
  | "too_deep"
  | "too_many"
  /** The steps copy and count far more than a legitimate patch does. */
  | "too_much_work";

export type DraftSize = Pick<Size, "bytes" | "members">;

export interface DraftLimits extends InputLimits {
  /** Maximum members that one draft may copy or count. It measures time in the same way on every host. */
  readonly workMax?: number;
}

/** About a tenth of a second in the worst case, which is the copying of wide objects. */
const workMaxDefault = 250_000;
const unlimited = { bytesMax: Infinity, depthMax: Infinity, membersMax: Infinity };
/** Elements of an array that move in about the time of one member's copy. */
const elementsPerWork = 16;

type Members = Record<string, Json>;

/**
 * A canonical value that is changed step by step. The original never changes: a container is copied at its first write
 * and shared until then. Each step counts bytes and members exactly, at the cost of the added value. So a limit is hit at
 * once, not after the last of many doubling copies. After a failed step the draft is undefined and must be dropped.
 */
export class Draft {
  #root: Json;
  #bytes: number;
  #members: number;
  #work = 0;
  readonly #limits: DraftLimits;
  readonly #book = new SizeBook();
  /** Containers that this draft created and that nothing else references, with their number of members. */
  readonly #own = new Map<Json, number>();

  constructor(value: Json, limits: DraftLimits, size?: DraftSize) {
    this.#root = value;
    this.#limits = limits;
    const known = size ?? sizeOf(value);
    this.#bytes = known.bytes;
    this.#members = known.members;
  }

  get value(): Json {
    return this.#root;
  }

  get size(): DraftSize {
    return { bytes: this.#bytes, members: this.#members };
  }

  /**
   * The value at a pointer. With `share` it may be referenced elsewhere too, so it can never be changed in place again.
   */
  at(segments: readonly string[], share?: "share"): Json | undefined {
    if (share !== undefined) this.#own.clear();
    return valueAt(this.#root, segments);
  }

  /** Sets a member, inserts an array element, or replaces the whole value. */
  add(segments: readonly string[], value: Json): DraftFault | undefined {
    const name = segments.at(-1);
    if (name === undefined) return this.replace(segments, value);
    const held = this.at(segments.slice(0, -1));
    if (held === undefined) return "not_found";
    if (!isContainer(held)) return "not_a_container";
    if (!Array.isArray(held) && Object.hasOwn(held, name)) return this.replace(segments, value);
    const parent = this.#open(segments);
    return Array.isArray(parent)
      ? this.#insert(parent as Json[], name, value, segments.length)
      : this.#extend(parent, name, value, segments.length);
  }

  replace(segments: readonly string[], value: Json): DraftFault | undefined {
    const held = this.at(segments);
    if (held === undefined) return "not_found";
    if (held === value) return undefined;
    const before = this.#book.sizeOf(held);
    const after = this.#book.sizeOf(value);
    const name = segments.at(-1);
    if (name === undefined) this.#root = value;
    else this.#open(segments)[name] = value;
    return this.#account(after.bytes - before.bytes, after.members - before.members, segments.length + after.depth);
  }

  remove(segments: readonly string[]): DraftFault | undefined {
    const name = segments.at(-1);
    if (name === undefined) return "root_removal";
    const held = this.at(segments);
    if (held === undefined) return "not_found";
    const { bytes, members } = this.#book.sizeOf(held);
    const parent = this.#open(segments);
    if (Array.isArray(parent)) {
      this.#moveElements(parent.length - Number(name));
      parent.splice(Number(name), 1);
      return this.#account(-bytes - (parent.length > 0 ? 1 : 0), -members - 1, 0);
    }
    Reflect.deleteProperty(parent, name);
    const left = this.#resize(parent, -1);
    return this.#account(-bytes - stringBytes(name) - 1 - (left > 0 ? 1 : 0), -members - 1, 0);
  }

  #insert(parent: Json[], segment: string, value: Json, depth: number): DraftFault | undefined {
    const index = segment === "-" ? parent.length : arrayIndex(segment);
    if (index === undefined || index > parent.length) return "invalid_index";
    const size = this.#book.sizeOf(value);
    const comma = parent.length > 0 ? 1 : 0;
    this.#moveElements(parent.length - index);
    parent.splice(index, 0, value);
    return this.#account(size.bytes + comma, size.members + 1, depth + size.depth);
  }

  #extend(parent: Members, name: string, value: Json, depth: number): DraftFault | undefined {
    if (name === "__proto__") return "forbidden_name";
    if (name.length > this.#limits.nameLengthMax) return "name_too_long";
    const size = this.#book.sizeOf(value);
    parent[name] = value;
    const comma = this.#resize(parent, 1) > 1 ? 1 : 0;
    return this.#account(stringBytes(name) + 1 + size.bytes + comma, size.members + 1, depth + size.depth);
  }

  /** The writable container of an existing pointer. */
  #open(segments: readonly string[]): Members {
    let parent = this.#writable(this.#root);
    this.#root = parent;
    for (const segment of segments.slice(0, -1)) {
      const own = this.#writable(childAt(parent, segment) as Json);
      parent[segment] = own;
      parent = own;
    }
    return parent;
  }

  /**
   * The container itself if this draft created it, otherwise a copy. Arrays are written by index, as objects are by
   * name.
   */
  #writable(container: Json): Members {
    if (this.#own.has(container)) {
      this.#book.forget(container);
      return container as Members;
    }
    if (Array.isArray(container)) {
      const elements = (container as readonly Json[]).slice();
      this.#moveElements(elements.length);
      this.#own.set(elements, elements.length);
      return elements as unknown as Members;
    }
    const members: Members = { ...(container as Members) };
    this.#work += this.#resize(members, Object.keys(members).length) + 1;
    return members;
  }

  /** Stores the number of an object's members, since counting would list them all. */
  #resize(object: Members, change: number): number {
    const members = (this.#own.get(object) ?? 0) + change;
    this.#own.set(object, members);
    return members;
  }

  #moveElements(count: number): void {
    this.#work += 1 + count / elementsPerWork;
  }

  /** Adds a step to the account. Shrinking is always allowed, even if lowered limits are already exceeded. */
  #account(bytes: number, members: number, depth: number): DraftFault | undefined {
    this.#bytes += bytes;
    this.#members += members;
    if (depth > this.#limits.depthMax) return "too_deep";
    if (bytes > 0 && this.#bytes > this.#limits.bytesMax) return "too_large";
    if (members > 0 && this.#members > this.#limits.membersMax) return "too_many";
    return this.#work + this.#book.work > (this.#limits.workMax ?? workMaxDefault) ? "too_much_work" : undefined;
  }
}

function sizeOf(value: Json): DraftSize {
  const measured = measure(value, unlimited);
  if (!measured.ok) throw new Error("unreachable: measured without limits");
  return measured.size;
}

function isContainer(value: Json): value is JsonObject | readonly Json[] {
  return typeof value === "object" && value !== null;
}
