import type { Json } from "@holdfast/sdk/json/json";

export type DiagnosticCode =
  | "graph.hole"
  | "graph.dangling"
  | "graph.order"
  | "graph.limit"
  | "graph.text"
  | "syntax.unexpected"
  | "name.unknown"
  | "name.duplicate"
  | "name.unused"
  | "type.mismatch"
  | "type.unknown"
  | "type.arity"
  | "type.not_numeric"
  | "type.not_boolean"
  | "type.not_callable"
  | "type.field"
  | "type.variant"
  | "type.const_range"
  | "type.private"
  | "type.effect"
  | "flow.no_return"
  | "flow.outside_loop"
  | "flow.unreachable"
  | "match.incomplete"
  | "match.unreachable"
  | "condition.ensures"
  | "condition.requires"
  | "condition.invariant"
  | "condition.assert"
  | "condition.trap"
  | "condition.steps"
  | "condition.impure"
  | "condition.untested";

/** A finding about a program, in the form in which callers receive it. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly severity: "error" | "warning";
  /** The function, or the type for a finding in its definition. */
  readonly function_id: string | null;
  /** The name of that function or type. A new function has no id that its author knows. */
  readonly name?: string;
  readonly node_id: number | null;
  readonly port?: number;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly expected?: string;
  readonly found?: string;
  readonly suggestion?: string;
  /** The callee whose condition the function breaks, or whose change made the finding appear. */
  readonly because?: string;
  /** The tested function that the inputs are of, if it is another one. */
  readonly case_of?: string;
  readonly inputs?: Json;
  readonly result?: Json;
  readonly condition?: string;
  readonly steps?: number;
}

/** A finding before its place in the text is known. */
export type Finding = Omit<Diagnostic, "severity" | "function_id" | "name" | "line" | "column">;

const warnings: ReadonlySet<DiagnosticCode> = new Set<DiagnosticCode>([
  ...(["flow.unreachable", "match.unreachable", "name.unused", "condition.untested"] as const),
]);

export function severityOf(code: DiagnosticCode): "error" | "warning" {
  return warnings.has(code) ? "warning" : "error";
}
