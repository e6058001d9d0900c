/**
 * Hashes of functions and types. A hash covers everything that a reader of the item sees, and no part of another item:
 * callees and types are ids. Ids of nodes, versions and the item's own id are left out.
 */
import { canonicalNumbers } from "./canonical.ts";
import type { FunctionGraph } from "./node.ts";
import { packConditions, packRegion } from "./pack.ts";
import { fieldsAsFunction } from "./print-functions.ts";
import type { TypeDefinition } from "./type-definition.ts";

/** BLAKE3 of a text, as 64 hexadecimal digits. It starts asynchronously, so it is made outside and passed in. */
export type HashText = (text: string) => string;

interface FunctionHashes {
  readonly hash: string;
  readonly signature_hash: string;
}

/** The texts that are hashed: of the whole function, and of its signature. */
export function hashedTexts(graph: FunctionGraph): { readonly whole: string; readonly signature: string } {
  const { name, module, public: isPublic, io, total, doc, parameters, result } = graph;
  const numberOf = canonicalNumbers(graph);
  const requires = packConditions(graph.requires, numberOf);
  const ensures = packConditions(graph.ensures, numberOf);
  const whole = [
    ...[name, module, isPublic, io, total, doc, parameters.map((each) => [each.name, each.type.text]), result.text],
    ...[requires, ensures, packRegion(graph.body, numberOf)],
  ];
  const types = parameters.map(({ type }) => type.text);
  const signature = [module, isPublic, io, total, types, result.text, requires, ensures];
  return {
    whole: `holdfast.program.function.1\n${JSON.stringify(whole)}`,
    signature: `holdfast.program.signature.1\n${JSON.stringify(signature)}`,
  };
}

export function hashFunction(graph: FunctionGraph, hash: HashText): FunctionHashes {
  const { whole, signature } = hashedTexts(graph);
  return { hash: hash(whole), signature_hash: hash(signature) };
}

export function hashType(definition: TypeDefinition, hash: HashText): string {
  const fields = fieldsAsFunction(definition);
  const invariants = packConditions(fields.requires, canonicalNumbers(fields));
  const members = definition.members.map(({ name, type }) => [name, type?.text ?? null]);
  const { name, module, public: isPublic, sort } = definition;
  return hash(`holdfast.program.type.1\n${JSON.stringify([name, module, isPublic, sort, members, invariants])}`);
}
