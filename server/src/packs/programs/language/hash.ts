/**
 * Hashes of functions and types. A hash covers everything that a reader of the item sees, and no part of another item:
 * callees and types are ids. Ids of nodes, versions and the item's own id are left out.
 */
import { functionCanonicalBytes, typeCanonicalBytes } from "./canonical-bytes.ts";
import type { FunctionGraph } from "./node.ts";
import type { TypeDefinition } from "./type-definition.ts";

/** BLAKE3 of a content, as 64 hexadecimal digits. It starts asynchronously, so it is made outside and passed in. */
export type HashContent = (content: string | Uint8Array) => string;

interface FunctionHashes {
  readonly hash: string;
  readonly signature_hash: string;
}

export function hashFunction(graph: FunctionGraph, hash: HashContent): FunctionHashes {
  const { whole, signature } = functionCanonicalBytes(graph, hash);
  return { hash: whole, signature_hash: signature };
}

export function hashType(definition: TypeDefinition, hash: HashContent): string {
  return typeCanonicalBytes(definition, hash);
}

/** Whether two functions have the same hash, without hashing them. */
export function hasSameContent(one: FunctionGraph, other: FunctionGraph): boolean {
  const { whole } = functionCanonicalBytes(one, (bytes) => bytes.slice());
  return functionCanonicalBytes(other, (bytes) => isEqual(bytes, whole)).whole;
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index += 1) if (one[index] !== other[index]) return false;
  return true;
}
