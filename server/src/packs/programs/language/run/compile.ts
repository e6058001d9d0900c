/** Compiles functions to closures over an array of slots. A function is compiled when it is first called. */
import { defined } from "@holdfast/sdk/base/defined";
import { allNodes, type Condition, type FunctionGraph, type GraphNode, type Input, type Region } from "../node.ts";
import type { CompileContext } from "../ops/op-row.ts";
import { opTable } from "../ops/op-table.ts";
import { typeFromText } from "../parse-types.ts";
import { neverType, type Type } from "../types.ts";
import type { TypeDefinition } from "../type-definition.ts";
import {
  type Code,
  type Execution,
  ExecutionFailed,
  type CallFrame,
  endSteps,
  leave,
  LimitExceeded,
  returnSignal,
  type RunFailure,
  Trap,
} from "./frame.ts";
import { traced, tracedReference } from "./trace.ts";
import type { Value } from "./values.ts";

/** The types of nodes, and of values that have an id. */
interface NodeTypes {
  readonly types: ReadonlyMap<number, Type>;
  readonly bindings: ReadonlyMap<number, Type>;
}

/** The parts of a program that the compiler needs. Functions have passed the check of types. */
interface CompileSource {
  readonly graph: (id: string) => FunctionGraph | undefined;
  readonly typing: (id: string) => NodeTypes;
  readonly definition: (id: string) => TypeDefinition | undefined;
  readonly invariantTyping: (id: string) => NodeTypes;
  /** The text of an input, for failures. */
  readonly text: (graph: FunctionGraph, input: Input) => string;
  readonly invariantGraph: (id: string) => FunctionGraph | undefined;
}

interface CompiledCondition {
  readonly code: Code;
  readonly failure: Omit<RunFailure, "function_id" | "because">;
}

interface CompiledFunction {
  readonly id: string;
  readonly graph: FunctionGraph;
  readonly slots: number;
  /** The nesting of its deepest expression: the stack that a call needs. */
  readonly depth: number;
  readonly requires: readonly CompiledCondition[];
  readonly ensures: readonly CompiledCondition[];
  readonly body: Code;
}

function nesting(input: Input): number {
  if (typeof input === "number") return 1;
  const inputs = input.inputs.map(nesting);
  const items = input.regions.flatMap((region) => region.map(({ value }) => 1 + nesting(value)));
  return 2 + Math.max(0, ...inputs, ...items);
}

function placed(code: Code, functionId: string, node: GraphNode): Code {
  return (frame) => {
    try {
      return code(frame);
    } catch (error) {
      if (!(error instanceof Trap)) throw error;
      return leave(
        new ExecutionFailed({
          code: "condition.trap",
          function_id: functionId,
          node_id: node.id,
          message: error.message,
        }),
      );
    }
  };
}

export class CompiledProgram {
  readonly #source: CompileSource;
  readonly #functions = new Map<string, CompiledFunction>();
  readonly #invariants = new Map<string, CompiledFunction>();

  constructor(source: CompileSource) {
    this.#source = source;
  }

  function(id: string): CompiledFunction {
    const known = this.#functions.get(id);
    if (known !== undefined) return known;
    const graph = this.#source.graph(id);
    if (graph === undefined) throw new Error(`There is no function ${id} to compile`);
    const compiled = this.#compile(id, graph, this.#source.typing(id));
    this.#functions.set(id, compiled);
    return compiled;
  }

  /** The invariants of a struct, as the `requires` of a function of its fields. */
  #invariantsOf(id: string): CompiledFunction | undefined {
    const graph = this.#source.invariantGraph(id);
    if (graph === undefined || graph.requires.length === 0) return undefined;
    const known = this.#invariants.get(id);
    if (known !== undefined) return known;
    const compiled = this.#compile(id, graph, this.#source.invariantTyping(id));
    this.#invariants.set(id, compiled);
    return compiled;
  }

  #compile(id: string, graph: FunctionGraph, typing: NodeTypes): CompiledFunction {
    const slots = new Map<number, number>();
    for (const each of graph.parameters) slots.set(each.id, slots.size);
    for (const node of allNodes(graph))
      if (["let", "var", "for", "arm"].includes(node.op)) slots.set(node.id, slots.size);
    const context = this.#context(id, graph, { slots, typing });
    const conditions = (list: readonly Condition[], code: RunFailure["code"]): readonly CompiledCondition[] =>
      list.map(({ value, message }) => {
        const condition = this.#source.text(graph, value);
        const nodeId = typeof value === "number" ? value : value.id;
        return {
          code: context.code(value),
          failure: { code, node_id: nodeId, condition, message: message ?? `The condition is false: ${condition}` },
        };
      });
    const roots = [...graph.requires, ...graph.ensures, ...graph.body].map(({ value }) => nesting(value));
    return {
      id,
      graph,
      slots: slots.size,
      depth: 3 + Math.max(0, ...roots),
      requires: conditions(graph.requires, "condition.requires"),
      ensures: conditions(graph.ensures, "condition.ensures"),
      body: context.region(graph.body),
    };
  }

  #context(
    id: string,
    graph: FunctionGraph,
    { slots, typing }: { slots: ReadonlyMap<number, number>; typing: NodeTypes },
  ): CompileContext {
    const slot = (node: number): number => slots.get(node) ?? 0;
    const typeOf = (input: Input | undefined): Type =>
      (typeof input === "object" ? typing.types.get(input.id) : typing.bindings.get(input ?? 0)) ?? neverType;
    const code = (input: Input | undefined): Code => {
      if (input === undefined) return () => null;
      if (typeof input === "number") {
        const at = slot(input);
        return (frame) => tracedReference(frame, frame.slots[at] ?? null);
      }
      const row = opTable[input.op];
      const plain = traced(input, row.run(context, input));
      const inner = row.traps === true ? placed(plain, id, input) : plain;
      return (frame) => {
        const { execution } = frame;
        execution.steps += 1;
        if (execution.steps > execution.stepsEnd) endSteps(execution);
        return inner(frame);
      };
    };
    const context: CompileContext = {
      functionId: id,
      code,
      region: (region) => this.#region(code, region),
      typeOf,
      slot,
      type: (stored) => typeFromText(String(stored)),
      definition: (typeId) => this.#source.definition(typeId),
      call: (callee, node) => (frame, inputs) =>
        this.call(frame, callee, inputs, { function_id: id, node_id: node.id }),
      checked: (typeId, node) => (frame, value) => this.#checkInvariants(frame, typeId, value, { id, node }),
      text: (input) => (input === undefined ? "" : this.#source.text(graph, input)),
    };
    return context;
  }

  #region(code: (input: Input) => Code, region: Region | undefined): Code {
    const items = (region ?? []).map(({ value }) => code(value));
    const [only] = items;
    if (only === undefined) return () => null;
    if (items.length === 1) return only;
    return (frame) => {
      let value: Value = null;
      for (const item of items) value = item(frame);
      return value;
    };
  }

  #checkInvariants(frame: CallFrame, typeId: string, value: Value, at: { id: string; node: GraphNode }): void {
    const compiled = this.#invariantsOf(typeId);
    if (compiled === undefined) return;
    const own = this.#enter(frame, compiled, value as readonly Value[]);
    for (const { code, failure } of compiled.requires)
      if (code(own) !== true)
        leave(
          new ExecutionFailed({
            ...failure,
            code: "condition.invariant",
            function_id: at.id,
            node_id: at.node.id,
            because: typeId,
          }),
        );
    frame.execution.depth -= compiled.depth;
  }

  /** Whether a value from outside satisfies the invariants of its struct. */
  satisfiesInvariants(typeId: string, value: readonly Value[], execution: Execution): boolean {
    const compiled = this.#invariantsOf(typeId);
    return compiled === undefined || this.#holds(compiled, value, execution);
  }

  /** Whether inputs from outside satisfy `requires`. A condition that traps is not satisfied. */
  meetsRequires(id: string, inputs: readonly Value[], execution: Execution): boolean {
    return this.#holds(this.function(id), inputs, execution);
  }

  #holds(compiled: CompiledFunction, inputs: readonly Value[], execution: Execution): boolean {
    execution.depth = 0;
    try {
      const own = this.#enter({ slots: [], execution, result: null }, compiled, inputs);
      return compiled.requires.every(({ code }) => code(own) === true);
    } catch (error) {
      if (error instanceof ExecutionFailed || error instanceof LimitExceeded) return false;
      throw error;
    }
  }

  #enter(frame: CallFrame, callee: CompiledFunction, inputs: readonly Value[]): CallFrame {
    const { execution } = frame;
    execution.depth += callee.depth;
    if (execution.depth > execution.limits.depth) leave(new LimitExceeded("depth"));
    const slots: Value[] = new Array<Value>(callee.slots).fill(null);
    for (const [index, input] of inputs.entries()) slots[index] = input;
    return { slots, execution, result: null };
  }

  /** Calls a function and evaluates its conditions. Without a caller, unmet `requires` are the caller's own business. */
  call(
    frame: CallFrame,
    id: string,
    inputs: readonly Value[],
    caller?: { function_id: string; node_id: number },
  ): Value {
    const callee = this.function(id);
    const own = this.#enter(frame, callee, inputs);
    for (const { code, failure } of callee.requires)
      if (code(own) !== true)
        leave(new ExecutionFailed({ ...failure, function_id: id, ...caller, ...defined({ because: caller && id }) }));
    own.result = this.#result(callee, own);
    for (const { code, failure } of callee.ensures)
      if (code(own) !== true) leave(new ExecutionFailed({ ...failure, function_id: id }, own.result));
    frame.execution.depth -= callee.depth;
    return own.result;
  }

  #result(callee: CompiledFunction, own: CallFrame): Value {
    try {
      return callee.body(own);
    } catch (signal) {
      if (signal !== returnSignal) throw signal;
      return own.result;
    }
  }
}
