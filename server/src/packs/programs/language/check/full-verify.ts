import type { Diagnostic } from "../diagnostic.ts";
import { hashFunction, hashType, type HashContent } from "../hash.ts";
import { graphOf } from "../pack.ts";
import type { ProgramScope } from "../program-scope.ts";
import type { ProgramSettings } from "../function-value.ts";
import type { Pause } from "../run/frame.ts";
import { affectedItems, type ItemIds } from "./affected.ts";
import { newCheckCaches } from "./check-caches.ts";
import { checkProgram, type Verdict } from "./verdict.ts";
import { definitionIn } from "./types.ts";

interface FullVerification {
  readonly valid: boolean;
  readonly verdict: Verdict;
  readonly diagnostics: readonly Diagnostic[];
  readonly functions: number;
  readonly nodes: number;
  /** Items whose stored hash is not the hash of their content. */
  readonly wrongHashes: readonly string[];
}

interface VerifyOptions {
  readonly settings: ProgramSettings;
  readonly hash: HashContent;
  /** Only these functions and their transitive callers. By default everything. */
  readonly functions?: readonly string[];
  readonly pause?: Pause | undefined;
}

/** Checks a whole program without caches, prints and parses every item, and compares every hash. */
export function* fullVerify(
  scope: ProgramScope,
  { settings, hash, functions: named, pause }: VerifyOptions,
): Generator<void, FullVerification> {
  const { functions, types } = itemsOf(scope, named);
  const wrongHashes: string[] = [];
  let nodes = 0;
  for (const [index, id] of functions.entries()) {
    const value = scope.function(id);
    if (value === undefined) continue;
    nodes += value.nodes;
    const { hash: own, signature_hash: signature } = hashFunction(graphOf(value), hash);
    if (own !== value.hash || signature !== value.signature_hash) wrongHashes.push(`function/${id}`);
    if (index % 100 === 99) yield;
  }
  for (const id of types) {
    const definition = definitionIn(scope, id);
    if (definition !== undefined && hashType(definition, hash) !== scope.type(id)?.hash) wrongHashes.push(`type/${id}`);
  }
  const changed = { functions, types };
  const { verdict, diagnostics } = yield* checkProgram({
    ...{ scope, changed, settings, caches: newCheckCaches() },
    hash,
    pause,
  });
  return {
    valid: verdict.ok && wrongHashes.length === 0,
    verdict,
    diagnostics,
    functions: functions.length,
    nodes,
    wrongHashes,
  };
}

function itemsOf(scope: ProgramScope, named: readonly string[] | undefined): ItemIds {
  const all = { functions: [...scope.functionIds()], types: [...scope.typeIds()] };
  const { functions, types } = named === undefined ? all : affectedItems(scope, { functions: named, types: [] });
  return { functions: functions.toSorted(), types: types.toSorted() };
}
