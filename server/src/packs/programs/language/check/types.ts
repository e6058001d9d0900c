/** Level 1: every node by the rule of its op. The result has the type of each node, which the compiler uses. */
import { defined } from "@holdfast/sdk/base/defined";
import type { Finding } from "../diagnostic.ts";
import type { Attribute, Condition, FunctionGraph, GraphNode, Input, Region } from "../node.ts";
import type { Signature, TypeContext } from "../ops/op-row.ts";
import { opTable } from "../ops/op-table.ts";
import { definitionOf, graphOf } from "../pack.ts";
import { typeFromText } from "../parse-types.ts";
import { fieldsAsFunction } from "../print-functions.ts";
import { printType } from "../print-types.ts";
import type { ProgramScope } from "../program-scope.ts";
import type { TypeDefinition } from "../type-definition.ts";
import { boolType, isNever, isUnit, neverType, sameType, type Type, typeIdsIn, unitType } from "../types.ts";

export interface Typing {
  readonly findings: readonly Finding[];
  /** The type of each node. */
  readonly types: ReadonlyMap<number, Type>;
  /** The type of each value that has an id. */
  readonly bindings: ReadonlyMap<number, Type>;
}

export function definitionIn(scope: ProgramScope, id: string): TypeDefinition | undefined {
  const value = scope.type(id);
  return value === undefined ? undefined : definitionOf(id, value);
}

function signatureIn(scope: ProgramScope, id: string): Signature | undefined {
  const value = scope.function(id);
  return value === undefined ? undefined : graphOf(value);
}

type Part = "body" | "requires" | "ensures";

class TypeCheck {
  readonly findings: Finding[] = [];
  readonly types = new Map<number, Type>();
  readonly #scope: ProgramScope;
  readonly #graph: FunctionGraph;
  readonly bindings = new Map<number, Type>();
  readonly #used = new Set<number>();
  #loops = 0;

  constructor(scope: ProgramScope, graph: FunctionGraph) {
    this.#scope = scope;
    this.#graph = graph;
    for (const { id, type } of graph.parameters) this.bindings.set(id, type);
  }

  #show = (type: Type): string => printType(type, { names: this.#scope.names, module: this.#graph.module });

  report(node: GraphNode | null, finding: Omit<Finding, "node_id">): Type {
    this.findings.push({ node_id: node?.id ?? null, ...finding });
    return neverType;
  }

  /** Reports named types that are unknown or private. */
  known(node: GraphNode | null, type: Type): Type {
    for (const id of typeIdsIn(type)) {
      const definition = definitionIn(this.#scope, id);
      if (definition === undefined)
        return this.report(node, { code: "type.unknown", message: `There is no type ${id}` });
      if (!definition.public && definition.module !== this.#graph.module)
        this.report(node, { code: "type.private", message: `${definition.name} is not pub in its module` });
    }
    return type;
  }

  #context(part: Part): TypeContext {
    const isCondition = part !== "body";
    const context: TypeContext = {
      infer: (input, expected) => this.#infer(context, input, expected),
      expect: (node, port, expected) => {
        const input = node.inputs[port];
        this.#compare(node, this.#infer(context, input, expected), expected, port);
        return expected;
      },
      region: (region, expected) => this.#region(context, region, expected),
      expectRegion: (node, index, expected) => {
        this.#compare(node, this.#region(context, node.regions[index], expected), expected);
      },
      loop: (region) => {
        this.#loops += 1;
        const type = this.#region(context, region, unitType);
        if (!isUnit(type) && !isNever(type)) this.#mismatch(region?.at(-1)?.value, type, unitType);
        this.#loops -= 1;
      },
      bind: (id, type) => void this.bindings.set(id, type),
      typeAt: (id) => {
        this.#used.add(id);
        return this.bindings.get(id);
      },
      report: (node, finding) => this.report(node, finding),
      signature: (id) => signatureIn(this.#scope, id),
      definition: (id) => definitionIn(this.#scope, id),
      read: (node, stored: Attribute | undefined) => this.known(node, typeFromText(String(stored))),
      show: this.#show,
      module: this.#graph.module,
      result: isCondition ? undefined : this.#graph.result,
      conditionResult: part === "ensures" ? this.#graph.result : undefined,
      isIo: !isCondition && this.#graph.io,
      isCondition,
      loopDepth: () => this.#loops,
    };
    return context;
  }

  #infer(context: TypeContext, input: Input | undefined, expected?: Type): Type {
    if (input === undefined) return neverType;
    if (typeof input === "number") {
      this.#used.add(input);
      return this.bindings.get(input) ?? neverType;
    }
    const type = opTable[input.op].type(context, input, expected);
    this.types.set(input.id, type);
    return type;
  }

  #mismatch(input: Input | undefined, found: Type, expected: Type, port?: number): void {
    const node = typeof input === "object" ? input : null;
    this.report(node, {
      code: expected.text === boolType.text ? "type.not_boolean" : "type.mismatch",
      message: `Expected ${this.#show(expected)}, found ${this.#show(found)}`,
      expected: this.#show(expected),
      found: this.#show(found),
      ...defined({ port }),
    });
  }

  #compare(node: GraphNode, found: Type, expected: Type, port?: number): void {
    if (isNever(found) || isNever(expected) || sameType(found, expected)) return;
    this.#mismatch(node, found, expected, port);
  }

  #region(context: TypeContext, region: Region | undefined, expected?: Type): Type {
    let type = unitType;
    let hasEnded = false;
    for (const [order, { value }] of (region ?? []).entries()) {
      const node = typeof value === "object" ? value : null;
      if (hasEnded && node !== null) this.report(node, { code: "flow.unreachable", message: "This is never reached" });
      const isLast = order === (region?.length ?? 0) - 1;
      type = this.#infer(context, value, isLast ? expected : undefined);
      if (isNever(type)) hasEnded = true;
      else if (!isLast && !isUnit(type) && node !== null)
        this.report(node, {
          code: "type.mismatch",
          message: `The value ${this.#show(type)} is not used`,
          expected: "unit",
          found: this.#show(type),
          suggestion: "end it with ;",
        });
    }
    return hasEnded ? neverType : type;
  }

  condition({ value }: Condition, part: "requires" | "ensures"): void {
    const context = this.#context(part);
    const type = context.infer(value, boolType);
    if (!isNever(type) && !sameType(type, boolType)) this.#mismatch(value, type, boolType);
  }

  body(): void {
    const { result, body } = this.#graph;
    const type = this.#region(this.#context("body"), body, result);
    if (isNever(type) || sameType(type, result)) return;
    const last = body.at(-1)?.value;
    if (isUnit(type) && (last === undefined || (typeof last === "object" && opTable[last.op].place === "statement")))
      this.report(typeof last === "object" ? last : null, {
        code: "flow.no_return",
        message: `Not every path returns ${this.#show(result)}`,
        expected: this.#show(result),
      });
    else this.#mismatch(last, type, result);
  }

  unused(nodes: Iterable<GraphNode>): void {
    for (const node of nodes)
      if (
        (node.op === "let" || node.op === "var") &&
        !this.#used.has(node.id) &&
        !String(node.attributes[0]).startsWith("_")
      )
        this.report(node, { code: "name.unused", message: `${String(node.attributes[0])} is never used` });
  }
}

/** The types of a function that passed level 0. */
export function checkTypes(scope: ProgramScope, graph: FunctionGraph, nodes: Iterable<GraphNode>): Typing {
  const check = new TypeCheck(scope, graph);
  for (const { type } of graph.parameters) check.known(null, type);
  check.known(null, graph.result);
  for (const condition of graph.requires) check.condition(condition, "requires");
  for (const condition of graph.ensures) check.condition(condition, "ensures");
  check.body();
  check.unused(nodes);
  return { findings: check.findings, types: check.types, bindings: check.bindings };
}

/** The types of a definition and of its invariants. */
export function checkDefinition(scope: ProgramScope, definition: TypeDefinition): Typing {
  const check = new TypeCheck(scope, fieldsAsFunction(definition));
  for (const { type } of definition.members) if (type !== null) check.known(null, type);
  for (const condition of definition.invariants) check.condition(condition, "requires");
  return { findings: check.findings, types: check.types, bindings: check.bindings };
}
