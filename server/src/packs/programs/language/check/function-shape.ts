import { allNodes, type FunctionGraph, nodesIn } from "../node.ts";
import type { Finding } from "../diagnostic.ts";
import { hasSameContent } from "../hash.ts";
import { languageLimits } from "../language-limits.ts";
import { graphOf } from "../pack.ts";
import { parseFunction, parseTypeDefinition } from "../parse-functions.ts";
import { fieldsAsFunction, printFunction, printTypeDefinition } from "../print-functions.ts";
import type { ProgramScope } from "../program-scope.ts";
import { checkShape } from "./shape.ts";
import { definitionIn } from "./types.ts";

/**
 * The printed text must parse to the same content. Then its nodes get the same ids: `reconcile` keeps the ids of
 * unchanged text.
 */
function roundTripFinding(scope: ProgramScope, graph: FunctionGraph): Finding | undefined {
  const { text } = printFunction(graph, { names: scope.names, module: graph.module });
  const parsed = parseFunction(text, { names: scope.names, module: graph.module });
  const isSame = parsed.errors.length === 0 && hasSameContent(parsed.graph, graph);
  if (isSame) return undefined;
  const message = parsed.errors[0]?.message ?? "The text of the function does not lead to the same function";
  return { code: "graph.text", node_id: null, message };
}

const duplicate = (name: string): Finding => ({
  code: "name.duplicate",
  node_id: null,
  message: `Another item of the module has the name ${name}`,
});

/** Level 0 of one function. */
export function checkFunctionShape(scope: ProgramScope, id: string): readonly Finding[] {
  const value = scope.function(id);
  if (value === undefined) return [];
  const graph = graphOf(value);
  const findings = [...checkShape(graph)];
  if (value.calls.length > languageLimits.callees)
    findings.push({
      code: "graph.limit",
      node_id: null,
      message: `${value.calls.length} callees are more than ${languageLimits.callees}`,
    });
  if (scope.names.functionNamed(value.module, value.name) !== id) findings.push(duplicate(value.name));
  if (scope.module(value.module) === undefined)
    findings.push({ code: "name.unknown", node_id: null, message: `There is no module ${value.module}` });
  // A call of a function that does not exist has no text that can be read again. Level 1 reports it.
  const isWhole = value.calls.every((callee) => scope.function(callee) !== undefined);
  const roundTrip = findings.length === 0 && isWhole ? roundTripFinding(scope, graph) : undefined;
  return roundTrip === undefined ? findings : [...findings, roundTrip];
}

/** Level 0 of one type. */
export function checkTypeShape(scope: ProgramScope, id: string): readonly Finding[] {
  const definition = definitionIn(scope, id);
  if (definition === undefined) return [];
  const fields = fieldsAsFunction(definition);
  const ids = definition.invariants.flatMap(({ value }) => [...nodesIn(value)].map((node) => node.id));
  const findings = [...checkShape({ ...fields, next: Math.max(definition.members.length, ...ids) + 1 }, "type")];
  if (scope.names.typeNamed(definition.module, definition.name) !== id) findings.push(duplicate(definition.name));
  if (findings.length > 0) return findings;
  const options = { names: scope.names, module: definition.module };
  const parsed = parseTypeDefinition(printTypeDefinition(definition, options).text, options);
  const again = fieldsAsFunction({ ...definition, ...parsed });
  const isSame = parsed.errors.length === 0 && hasSameContent(again, fields);
  const message = parsed.errors[0]?.message ?? "The text of the type does not lead to the same type";
  return isSame ? [] : [{ code: "graph.text", node_id: null, message }];
}

/** The number of nodes of a function, for the slices of long work. */
export const workOf = (scope: ProgramScope, id: string): number => scope.function(id)?.nodes ?? 1;

/** Whether a function asserts anything. */
export const hasAssert = (graph: FunctionGraph): boolean => [...allNodes(graph)].some(({ op }) => op === "assert");
