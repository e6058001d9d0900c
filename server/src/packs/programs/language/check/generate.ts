/** Inputs of cases. This code is part of the check's name: changing it changes verdicts. */
import type { FunctionGraph } from "../node.ts";
import { fieldsAsFunction } from "../print-functions.ts";
import { leave } from "../run/frame.ts";
import { type FindDefinition, integerRange, type Value } from "../run/values.ts";
import type { TypeMember } from "../type-definition.ts";
import { isFloat, isInteger, type Type } from "../types.ts";
import { boundsOf, literalsOf, withinBounds } from "./bounds.ts";

/** Numbers from the digits of a hash: the same case on every host. */
export class CaseRandom {
  #a: number;
  #b: number;
  #c = 0x9e37_79b9;
  #counter = 1;

  /** @param digits at least 16 hexadecimal digits */
  constructor(digits: string) {
    this.#a = Number.parseInt(digits.slice(0, 8), 16) | 0;
    this.#b = Number.parseInt(digits.slice(8, 16), 16) | 0;
    for (let round = 0; round < 12; round += 1) this.bits();
  }

  bits(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  below(bound: number): number {
    return Math.floor((this.bits() / 0x1_0000_0000) * bound);
  }

  pick<One>(list: readonly One[]): One {
    return list[this.below(list.length)] as One;
  }
}

interface Generation {
  readonly random: CaseRandom;
  readonly find: FindDefinition;
  /** The function whose literals are interesting, if there is one. */
  readonly graph: FunctionGraph;
  /** The number of the case, for its first try. The first cases have the bounds of integers. */
  readonly number?: number | undefined;
  /** Values and parts of values that were generated. */
  readonly size: { parts: number };
}

/** The options of `generateInputs`. */
type InputGeneration = Omit<Generation, "size">;

/** Inputs of a case, and the number of their parts. */
interface GeneratedInputs {
  readonly inputs: readonly Value[];
  readonly parts: number;
}

/** Maximum length of generated lists and texts. */
const lengthMax = 8;
/** Maximum nesting of generated structs and enums. */
const depthMax = 4;
/** Number of parts after which lists stay empty and options have no value: wide types would grow without end. */
const partsSoftMax = 4_096;
/** Maximum parts of the inputs of a case. Only nested arrays and types that contain themselves have more. */
const partsMax = 16_384;
/** Maximum nesting of any value. A struct that always contains itself has no value. */
const nestingMax = 200;

/** Thrown when the inputs become larger than the bounds. */
const tooLarge = { signal: "too large" } as const;

/** Counts a part. Beyond the bounds there are no inputs. */
function count({ size }: Generation, depth: number): void {
  size.parts += 1;
  if (size.parts > partsMax || depth > nestingMax) leave(tooLarge);
}

/** Whether a value ends here as far as its type allows. */
const isFull = ({ size }: Generation, depth: number): boolean => depth > depthMax || size.parts > partsSoftMax;

/** Whether a type has a value without a struct or an enum. */
function isPlain(type: Type | null): boolean {
  if (type?.kind === "result") return isPlain(type.ok) || isPlain(type.err);
  return type?.kind === "array" ? isPlain(type.item) : type?.kind !== "named";
}

function boundariesOf(type: Type): readonly bigint[] {
  const [min, max] = integerRange(type);
  return [0n, max, min, 1n, -1n];
}

function integer({ random, graph }: Generation, type: Type): Value {
  const [min, max] = integerRange(type);
  const fit = (value: bigint): bigint => (value < min ? min : value > max ? max : value);
  const literals = literalsOf(graph, type) as readonly bigint[];
  switch (random.below(literals.length > 0 ? 5 : 4)) {
    case 0:
      return random.pick(boundariesOf(type));
    case 1:
      return fit(BigInt(random.below(201) - 100));
    case 2:
      return fit(BigInt(random.below(21) - 10));
    case 3:
      return BigInt.asIntN(64, (BigInt(random.bits()) << 32n) | BigInt(random.bits())) % (max + 1n);
    default:
      return fit(random.pick(literals));
  }
}

function float({ random, graph }: Generation, type: Type): Value {
  const literals = literalsOf(graph, type) as readonly number[];
  const value = ((): number => {
    switch (random.below(literals.length > 0 ? 4 : 3)) {
      case 0:
        return random.pick([0, 1, -1, 0.5, 1e10]);
      case 1:
        return random.below(201) - 100;
      case 2:
        return (random.bits() - 0x8000_0000) / 65_536;
      default:
        return random.pick(literals);
    }
  })();
  return type.text === "f32" ? Math.fround(value) : value;
}

function text({ random, graph }: Generation, type: Type): Value {
  const literals = literalsOf(graph, type) as readonly string[];
  if (literals.length > 0 && random.below(3) === 0) return random.pick(literals);
  const letters = ["a", "b", "Z", "0", "9", " ", "-", "é", "😀"];
  return Array.from({ length: random.below(lengthMax + 1) }, () => random.pick(letters)).join("");
}

/** The variants that a generated value can have. Nested deeply, it has one that ends. */
function variantsAt(generation: Generation, members: readonly TypeMember[], depth: number): readonly TypeMember[] {
  if (depth < depthMax && !isFull(generation, depth)) return members;
  const flat = members.filter(({ type }) => type === null);
  if (flat.length > 0) return flat;
  const plain = members.filter(({ type }) => isPlain(type));
  return plain.length > 0 ? plain : members;
}

/** Whether a `result` is ok. Nested deeply, it is the side that ends. */
function isOk(generation: Generation, { ok, err }: Extract<Type, { kind: "result" }>, depth: number): boolean {
  const isEither = generation.random.below(2) === 0;
  return isFull(generation, depth) && isPlain(ok) !== isPlain(err) ? isPlain(ok) : isEither;
}

function named(generation: Generation, type: Type, depth: number): Value {
  const definition = type.kind === "named" ? generation.find(type.id) : undefined;
  if (definition === undefined) return null;
  if (definition.sort === "enum") {
    const member = generation.random.pick(variantsAt(generation, definition.members, depth));
    return {
      variant: member.name,
      payload: member.type === null ? null : generateValue(generation, member.type, depth + 1),
    };
  }
  const fields = definition.members.map((member) =>
    member.type === null ? null : generateValue(generation, member.type, depth + 1),
  );
  const graph = fieldsAsFunction(definition);
  return withinBounds(fields, boundsOf(definition.invariants), { graph, by: () => generation.random.below(20) });
}

function primitiveValue(generation: Generation, type: Type): Value {
  if (isInteger(type)) return integer(generation, type);
  if (isFloat(type)) return float(generation, type);
  if (type.text === "bool") return generation.random.below(2) === 0;
  return type.text === "text" ? text(generation, type) : null;
}

function generateValue(generation: Generation, type: Type, depth = 0): Value {
  const { random } = generation;
  count(generation, depth);
  const part = (of: Type): Value => generateValue(generation, of, depth + 1);
  switch (type.kind) {
    case "list":
      return Array.from({ length: isFull(generation, depth) ? 0 : random.below(lengthMax + 1) }, () => part(type.item));
    case "array":
      return Array.from({ length: type.length }, () => part(type.item));
    case "option":
      return isFull(generation, depth) || random.below(3) === 0
        ? { variant: "none", payload: null }
        : { variant: "some", payload: part(type.item) };
    case "result":
      return isOk(generation, type, depth)
        ? { variant: "ok", payload: part(type.ok) }
        : { variant: "err", payload: part(type.err) };
    case "named":
      return named(generation, type, depth);
    case "primitive":
      return primitiveValue(generation, type);
  }
}

/** The bounds of an integer parameter, one in each of the first cases. Neighbours get different ones. */
function boundaryOf(type: Type, { number = Infinity }: InputGeneration, index: number): Value | undefined {
  if (!isInteger(type)) return undefined;
  const boundaries = boundariesOf(type);
  return number < boundaries.length ? boundaries[(number + index) % boundaries.length] : undefined;
}

/**
 * One input for each parameter, moved into the bounds of simple `requires`. Undefined if the types have no value, or only
 * too large ones.
 */
export function generateInputs(options: InputGeneration): GeneratedInputs | undefined {
  const size = { parts: 0 };
  try {
    return { inputs: boundedInputs({ ...options, size }), parts: size.parts };
  } catch (signal) {
    if (signal !== tooLarge) throw signal;
    return undefined;
  }
}

function boundedInputs(generation: Generation): readonly Value[] {
  const { graph, random } = generation;
  const inputs = graph.parameters.map(
    ({ type }, index) => boundaryOf(type, generation, index) ?? generateValue(generation, type),
  );
  const bounded = withinBounds(inputs, boundsOf(graph.requires), { graph, by: () => random.below(20) });
  return bounded.map((value, index) => {
    const type = graph.parameters[index]?.type;
    if (typeof value !== "bigint" || type === undefined) return value;
    const [min, max] = integerRange(type);
    return value < min ? min : value > max ? max : value;
  });
}
