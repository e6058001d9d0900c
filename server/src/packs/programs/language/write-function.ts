/** Parsed items to stored values: ids are reconciled and hashes are made. */
import { type HashContent, hashFunction, hashType } from "./hash.ts";
import type { FunctionGraph } from "./node.ts";
import { graphOf, packFunction, packType } from "./pack.ts";
import { parseFunction, parseTypeDefinition } from "./parse-functions.ts";
import type { SyntaxError } from "./parse-state.ts";
import type { ProgramScope } from "./program-scope.ts";
import type { FunctionValue, TypeValue } from "./function-value.ts";
import { reconcile } from "./reconcile.ts";
import type { TypeDefinition } from "./type-definition.ts";

type Written<Value> =
  | { readonly value: Value; readonly errors?: undefined }
  | { readonly value?: undefined; readonly errors: readonly SyntaxError[] };

export const storeFunction = (graph: FunctionGraph, hash: HashContent): FunctionValue =>
  packFunction(graph, hashFunction(graph, hash));

/** The function that a text describes. With a base, unchanged parts keep their ids. */
export function writeFunction(
  text: string,
  {
    scope,
    module,
    base,
    hash,
  }: { scope: ProgramScope; module: string; base?: FunctionValue | undefined; hash: HashContent },
): Written<FunctionValue> {
  const { graph, givenIds, errors } = parseFunction(text, { names: scope.names, module });
  if (errors.length > 0) return { errors };
  return { value: storeFunction(reconcile(graph, base === undefined ? undefined : graphOf(base), givenIds), hash) };
}

export function writeType(
  text: string,
  { scope, module, id, hash }: { scope: ProgramScope; module: string; id: string; hash: HashContent },
): Written<TypeValue> {
  const { errors, ...parsed } = parseTypeDefinition(text, { names: scope.names, module });
  if (errors.length > 0) return { errors };
  const definition: TypeDefinition = { id, module, ...parsed };
  return { value: packType(definition, hashType(definition, hash)) };
}

/** The name of the item that a text describes, before anything else of it is known. */
export function nameInText(text: string): string | undefined {
  const match = /^(?:\s*\/\/\/[^\n]*\n)*\s*(?:(?:pub|io|total)\s+)*(?:fn|struct|enum)\s+(\w+)/u.exec(text);
  return match?.[1];
}
