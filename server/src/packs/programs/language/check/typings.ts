/** Level 1 of functions and types, by content. A caller is typed again only if a signature or a type that it uses changed. */
import { severityOf } from "../diagnostic.ts";
import { allNodes } from "../node.ts";
import { graphOf } from "../pack.ts";
import type { ProgramScope } from "../program-scope.ts";
import type { FunctionValue } from "../function-value.ts";
import { typeIdsIn } from "../types.ts";
import type { CheckCaches } from "./check-caches.ts";
import type { ItemPath } from "../item-components.ts";
import { functionPath, typePath } from "./closures.ts";
import { checkDefinition, checkTypes, definitionIn, type Typing } from "./types.ts";

/** The types that the types of a function can contain: its own, those of callees, and all inside them. */
function typesBelow(scope: ProgramScope, value: FunctionValue): ReadonlySet<string> {
  const types = new Set(value.types);
  for (const id of value.calls) {
    const callee = scope.function(id);
    if (callee === undefined) continue;
    const { parameters, result } = graphOf(callee);
    for (const type of [...parameters.map((each) => each.type), result])
      for (const each of typeIdsIn(type)) types.add(each);
  }
  for (const id of types) for (const inner of scope.type(id)?.types ?? []) types.add(inner);
  return types;
}

/** The items that level 1 of a function reads, with the hashes of this moment. */
export function typingReads(scope: ProgramScope, id: string): ReadonlyMap<ItemPath, string> {
  const value = scope.function(id);
  const reads = new Map<ItemPath, string>();
  if (value === undefined) return reads;
  for (const callee of value.calls)
    reads.set(functionPath(callee), `s:${scope.function(callee)?.signature_hash.slice(0, 32) ?? "none"}`);
  for (const type of typesBelow(scope, value))
    reads.set(typePath(type), `h:${scope.type(type)?.hash.slice(0, 32) ?? "none"}`);
  return reads;
}

/** Estimated bytes of a node in a typing. */
const bytesOfNode = 100;

const noTyping: Typing = { findings: [], types: new Map(), bindings: new Map() };

export class Typings {
  readonly #scope: ProgramScope;
  readonly #caches: CheckCaches;
  readonly #known = new Map<ItemPath, Typing>();

  constructor(scope: ProgramScope, caches: CheckCaches) {
    this.#scope = scope;
    this.#caches = caches;
  }

  function(id: string): Typing {
    const path = functionPath(id);
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const typing = this.#functionTyping(id);
    this.#known.set(path, typing);
    return typing;
  }

  #functionTyping(id: string): Typing {
    const value = this.#scope.function(id);
    if (value === undefined) return noTyping;
    // A hash has no ids of nodes, and a typing is by these ids. So the key has everything that names them.
    const { hash, params, requires, ensures, body } = value;
    const key = JSON.stringify([hash, params, requires, ensures, body, [...typingReads(this.#scope, id)]]);
    const cached = this.#caches.typings.get(key);
    if (cached !== undefined) return cached;
    const graph = graphOf(value);
    const typing = checkTypes(this.#scope, graph, allNodes(graph));
    // Messages of errors contain names of other items, which are not part of the key.
    if (typing.findings.every(({ code }) => severityOf(code) === "warning"))
      this.#caches.typings.set(key, typing, bytesOfNode * value.nodes);
    return typing;
  }

  type(id: string): Typing {
    const path = typePath(id);
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const definition = definitionIn(this.#scope, id);
    const typing = definition === undefined ? noTyping : checkDefinition(this.#scope, definition);
    this.#known.set(path, typing);
    return typing;
  }
}
