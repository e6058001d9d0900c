/**
 * The bytes that the hash of a function or type covers. They hold everything that a reader of the item sees, in print
 * order, and no id of a node. A reference is the number of its value in print order. Every part states its length or
 * number, so items with equal bytes have equal texts. JSON would be slower, because a text of the graph took four times
 * as long as its hash.
 */
import { type Attribute, type Condition, type FunctionGraph, type Input, type Region } from "./node.ts";
import { isBinder, opNumber } from "./op-names.ts";
import { fieldsAsFunction } from "./print-functions.ts";
import type { TypeDefinition } from "./type-definition.ts";

/** The first byte names the kind of item, and the second byte the form of all bytes after it. */
const sorts = { signature: 1, function: 2, type: 3 } as const;
const form = 1;

/** Tags of inputs and of items of a region. */
const [reference, node, dangling, plainItem, notedItem] = [1, 2, 3, 4, 5];

const encoder = new TextEncoder();

/** Bytes of the last item, used again for the next one. */
let scratch = new Uint8Array(16_384);

class CanonicalBytes {
  #at = 2;
  /** Numbers of parameters and binders by their ids. */
  readonly #values = new Map<number, number>();

  /** The bytes so far. They are valid until the next item is written. */
  view(sort: keyof typeof sorts): Uint8Array {
    scratch[0] = sorts[sort];
    scratch[1] = form;
    return scratch.subarray(0, this.#at);
  }

  /** Everything that callers depend on. Names of parameters are left out: renaming one concerns no caller. */
  signature({ module, public: isPublic, io, total, parameters, result, requires, ensures }: FunctionGraph): void {
    for (const { id } of parameters) this.#values.set(id, this.#values.size + 1);
    this.#text(module);
    this.#number((isPublic ? 1 : 0) + (io ? 2 : 0) + (total ? 4 : 0));
    this.#number(parameters.length);
    for (const { type } of parameters) this.#text(type.text);
    this.#text(result.text);
    this.#conditions(requires);
    this.#conditions(ensures);
  }

  /** The rest of a function, after its signature. */
  rest({ name, doc, parameters, body }: FunctionGraph): void {
    this.#text(name);
    this.#text(doc);
    for (const parameter of parameters) this.#text(parameter.name);
    this.#region(body);
  }

  type(definition: TypeDefinition): void {
    const { name, module, public: isPublic, sort, members } = definition;
    for (const { id } of fieldsAsFunction(definition).parameters) this.#values.set(id, this.#values.size + 1);
    this.#text(name);
    this.#text(module);
    this.#number((isPublic ? 1 : 0) + (sort === "struct" ? 2 : 0));
    this.#number(members.length);
    for (const member of members) {
      this.#text(member.name);
      this.#text(member.type?.text ?? null);
    }
    this.#conditions(definition.invariants);
  }

  #reserve(bytes: number): void {
    const larger = new Uint8Array(2 * (this.#at + bytes));
    larger.set(scratch);
    scratch = larger;
  }

  /** Seven bits in each byte, the lowest first. */
  #number(value: number): void {
    if (this.#at + 8 > scratch.length) this.#reserve(8);
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) scratch[this.#at++] = 128 + (rest % 128);
    scratch[this.#at++] = rest;
  }

  /** The number of UTF-16 units plus one, and UTF-8. Zero means null. */
  #text(value: string | null): void {
    if (value === null) {
      this.#number(0);
      return;
    }
    this.#number(value.length + 1);
    const start = this.#at;
    const { length } = value;
    if (start + 3 * length > scratch.length) this.#reserve(3 * length);
    for (let index = 0; index < length; index += 1) {
      const unit = value.charCodeAt(index);
      if (unit > 127) {
        this.#at = start + encoder.encodeInto(value, scratch.subarray(start)).written;
        return;
      }
      scratch[start + index] = unit;
    }
    this.#at = start + length;
  }

  #attribute(attribute: Attribute): void {
    if (attribute === null || typeof attribute === "string") {
      this.#text(attribute);
      return;
    }
    this.#number(attribute.length);
    for (const text of attribute) this.#text(text);
  }

  #input(input: Input): void {
    if (typeof input === "number") {
      const value = this.#values.get(input);
      this.#number(value === undefined ? dangling : reference);
      this.#number(value ?? input);
      return;
    }
    const { id, op, attributes, inputs, regions } = input;
    if (isBinder(op)) this.#values.set(id, this.#values.size + 1);
    this.#number(node);
    this.#number(opNumber(op));
    for (const attribute of attributes) this.#attribute(attribute);
    this.#number(inputs.length);
    for (const each of inputs) this.#input(each);
    this.#number(regions.length);
    for (const region of regions) this.#region(region);
  }

  #region(region: Region): void {
    this.#number(region.length);
    for (const { note, value } of region) {
      this.#number(note === null ? plainItem : notedItem);
      if (note !== null) this.#text(note);
      this.#input(value);
    }
  }

  #conditions(conditions: readonly Condition[]): void {
    this.#number(conditions.length);
    for (const { value, message } of conditions) {
      this.#text(message);
      this.#input(value);
    }
  }
}

type UseBytes<Result> = (bytes: Uint8Array) => Result;

/** Passes the bytes of the signature and those of the whole function to `use`, one after the other. */
export function functionCanonicalBytes<Result>(
  graph: FunctionGraph,
  use: UseBytes<Result>,
): { readonly whole: Result; readonly signature: Result } {
  const bytes = new CanonicalBytes();
  bytes.signature(graph);
  const signature = use(bytes.view("signature"));
  bytes.rest(graph);
  return { whole: use(bytes.view("function")), signature };
}

export function typeCanonicalBytes<Result>(definition: TypeDefinition, use: UseBytes<Result>): Result {
  const bytes = new CanonicalBytes();
  bytes.type(definition);
  return use(bytes.view("type"));
}
