import { defined } from "@holdfast/sdk/base/defined";
import { type Diagnostic, type Finding, severityOf } from "../diagnostic.ts";
import { languageLimits } from "../language-limits.ts";
import { graphOf } from "../pack.ts";
import { printFunction, printTypeDefinition } from "../print-functions.ts";
import type { TextPlace } from "../layout.ts";
import type { ProgramScope } from "../program-scope.ts";
import { definitionIn } from "./types.ts";

export interface ItemFinding {
  readonly kind: "function" | "type";
  readonly id: string;
  readonly finding: Finding;
}

function placesOf(scope: ProgramScope, { kind, id }: ItemFinding): ReadonlyMap<number, TextPlace> {
  if (kind === "type") {
    const definition = definitionIn(scope, id);
    return definition === undefined
      ? new Map()
      : printTypeDefinition(definition, { names: scope.names, module: definition.module }).places;
  }
  const value = scope.function(id);
  if (value === undefined) return new Map();
  return printFunction(graphOf(value), { names: scope.names, module: value.module }).places;
}

function nameOf(scope: ProgramScope, { kind, id }: ItemFinding): string | undefined {
  return (kind === "type" ? definitionIn(scope, id) : scope.function(id))?.name;
}

/** The findings that a caller receives: errors first, and those of changed items first. Lines are those of the printed text. */
export function placeFindings(
  scope: ProgramScope,
  findings: readonly ItemFinding[],
  changed: ReadonlySet<string>,
): readonly Diagnostic[] {
  const rank = ({ kind, id, finding }: ItemFinding): number =>
    (severityOf(finding.code) === "error" ? 0 : 2) + (changed.has(`${kind}/${id}`) ? 0 : 1);
  const places = new Map<string, ReadonlyMap<number, TextPlace>>();
  return findings
    .toSorted((a, b) => rank(a) - rank(b))
    .slice(0, languageLimits.diagnostics)
    .map((item) => {
      const key = `${item.kind}/${item.id}`;
      const known = places.get(key) ?? placesOf(scope, item);
      places.set(key, known);
      const { node_id: node, ...rest } = item.finding;
      const place = known.get(node ?? -1) ?? { line: 1, column: 1 };
      return defined({
        severity: severityOf(rest.code),
        function_id: item.id,
        name: nameOf(scope, item),
        node_id: node,
        ...place,
        ...rest,
      });
    });
}
