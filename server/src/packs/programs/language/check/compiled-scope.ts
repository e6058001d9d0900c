import type { NameTable } from "../names.ts";
import { graphOf } from "../pack.ts";
import { fieldsAsFunction, printInput } from "../print-functions.ts";
import type { ProgramScope } from "../program-scope.ts";
import { CompiledProgram } from "../run/compile.ts";
import { definitionIn } from "./types.ts";
import type { Typings } from "./typings.ts";

/** Compiles the functions of a scope that has passed level 1. */
export function compiledScope(scope: ProgramScope, typings: Typings): CompiledProgram {
  const names: NameTable = scope.names;
  return new CompiledProgram({
    graph: (id) => {
      const value = scope.function(id);
      return value === undefined ? undefined : graphOf(value);
    },
    typing: (id) => typings.function(id),
    definition: (id) => definitionIn(scope, id),
    invariantTyping: (id) => typings.type(id),
    invariantGraph: (id) => {
      const definition = definitionIn(scope, id);
      return definition === undefined ? undefined : fieldsAsFunction(definition);
    },
    text: (graph, input) => printInput(graph, input, { names, module: graph.module }),
  });
}
