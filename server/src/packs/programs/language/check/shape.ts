/** Level 0: a function is well formed. Everything after it may rely on that. */
import { defined } from "@holdfast/sdk/base/defined";
import type { Finding } from "../diagnostic.ts";
import { languageLimits } from "../language-limits.ts";
import { type Attribute, binderName, type FunctionGraph, type GraphNode, type Input, type Region } from "../node.ts";
import type { AttributeKind } from "../ops/op-row.ts";
import { isReserved, opTable } from "../ops/op-table.ts";
import { builtinArity } from "../ops/builtin-rows.ts";
import { itemIdPattern, namePattern } from "../name-pattern.ts";
import { typeDepth } from "../types.ts";

const isText = (value: Attribute | undefined): value is string => typeof value === "string" && value.isWellFormed();
const isName = (value: Attribute | undefined): boolean =>
  isText(value) && namePattern.test(value) && !isReserved(value);
const isWord = (value: Attribute | undefined): boolean =>
  isText(value) && /^[A-Za-z_]\w{0,63}$/u.test(value) && value !== "__proto__";
const isId = (value: Attribute | undefined): boolean => isText(value) && itemIdPattern.test(value);

const attributeTests: Readonly<Record<AttributeKind, (value: Attribute | undefined) => boolean>> = {
  name: isName,
  "name?": (value) => value === null || isName(value),
  type: isText,
  "type?": (value) => value === null || isText(value),
  function: isId,
  type_id: isId,
  word: isWord,
  "word?": (value) => value === null || isWord(value),
  words: (value) => Array.isArray(value) && value.every((each) => isWord(each as string)),
  text: isText,
  "text?": (value) => value === null || isText(value),
};

const constTexts: Readonly<Record<string, RegExp>> = {
  int: /^(0|-?[1-9]\d{0,399})$/u,
  float: /^-?\d+(\.\d+)?(e[+-]?\d+)?$/u,
  bool: /^(true|false)$/u,
  unit: /^unit$/u,
  text: /^[^]*$/u,
};
const armKinds: ReadonlySet<unknown> = new Set(["any", "int", "bool", "text", "variant"]);

function attributeFault(node: GraphNode): string | undefined {
  const { attributes } = opTable[node.op];
  if (attributes.length !== node.attributes.length) return `${node.op} has ${attributes.length} attributes`;
  const wrong = attributes.findIndex((kind, index) => !attributeTests[kind](node.attributes[index]));
  if (wrong !== -1) return `The attribute ${wrong} of ${node.op} must be of the kind ${String(attributes[wrong])}`;
  const [first, second] = node.attributes;
  if (node.op === "const" && constTexts[String(first)]?.test(String(second)) !== true)
    return `${String(second)} is not a literal of the kind ${String(first)}`;
  if (node.op === "builtin" && builtinArity(String(first)) === undefined) return `There is no builtin ${String(first)}`;
  return node.op === "arm" && !armKinds.has(first) ? `${String(first)} is not a kind of pattern` : undefined;
}

function arityFault(node: GraphNode): string | undefined {
  const row = opTable[node.op];
  const [min, max] = row.inputs;
  if (node.inputs.length < min || node.inputs.length > max)
    return `${node.op} has ${min === max ? min : `${min} to ${max}`} inputs, not ${node.inputs.length}`;
  const regionsMin = node.op === "if" ? 1 : row.regions.length;
  if (node.regions.length < regionsMin || node.regions.length > row.regions.length)
    return `${node.op} has ${row.regions.length} regions, not ${node.regions.length}`;
  const fields = node.op === "struct_make" ? node.attributes[1] : node.op === "struct_with" ? node.attributes[0] : null;
  const values = node.op === "struct_with" ? node.inputs.length - 1 : node.inputs.length;
  return Array.isArray(fields) && fields.length !== values ? `${node.op} has ${fields.length} fields` : undefined;
}

interface Visible {
  readonly name: string;
  readonly isCell: boolean;
}

class ShapeCheck {
  readonly findings: Finding[] = [];
  readonly #graph: FunctionGraph;
  readonly #ids = new Set<number>();
  readonly #visible = new Map<number, Visible>();
  readonly #names = new Set<string>();
  #count = 0;

  constructor(graph: FunctionGraph) {
    this.#graph = graph;
  }

  report(code: Finding["code"], id: number | null, message: string, port?: number): void {
    this.findings.push({ code, node_id: id, message, ...defined({ port }) });
  }

  takeId(id: number): void {
    if (!Number.isSafeInteger(id) || id < 1 || id >= this.#graph.next || this.#ids.has(id))
      this.report("graph.dangling", id, `The id ${id} is used twice or was never given`);
    this.#ids.add(id);
    this.#count += 1;
  }

  /** Makes a name visible until `leave`. */
  enter(id: number, visible: Visible): void {
    if (this.#names.has(visible.name))
      this.report("name.duplicate", id, `${visible.name} is already a name here: choose another`);
    this.#names.add(visible.name);
    this.#visible.set(id, visible);
  }

  #leave(id: number): void {
    const visible = this.#visible.get(id);
    if (visible === undefined) return;
    this.#visible.delete(id);
    this.#names.delete(visible.name);
  }

  #reference(id: number, owner: number | null, isCell: boolean, port?: number): void {
    const visible = this.#visible.get(id);
    if (visible === undefined) this.report("graph.order", owner, `The value ${id} is not known at this place`, port);
    else if (visible.isCell !== isCell)
      this.report(
        "graph.dangling",
        owner,
        isCell ? `${visible.name} is not a var` : `${visible.name} is a var: get reads it`,
        port,
      );
  }

  value(input: Input, owner: number | null, depth: number, port?: number): void {
    if (typeof input === "number") this.#reference(input, owner, false, port);
    else if (opTable[input.op].place !== "value")
      this.report("graph.order", input.id, `${input.op} is not a value`, port);
    else this.#node(input, depth);
  }

  #node(node: GraphNode, depth: number): void {
    this.takeId(node.id);
    if (depth > languageLimits.nesting) {
      this.report("graph.limit", node.id, `Nodes are nested deeper than ${languageLimits.nesting}`);
      return;
    }
    if (node.op === "hole") this.report("graph.hole", node.id, "A value is missing here");
    const fault = attributeFault(node) ?? arityFault(node);
    if (fault !== undefined) this.report("graph.dangling", node.id, fault);
    for (const [port, input] of node.inputs.entries())
      if (port === 0 && (node.op === "get" || node.op === "set")) {
        if (typeof input === "number") this.#reference(input, node.id, true, port);
        else this.report("graph.dangling", node.id, `${node.op} needs a var`, port);
      } else this.value(input, node.id, depth + 1, port);
    this.#regions(node, depth);
  }

  #regions(node: GraphNode, depth: number): void {
    const name = binderName(node);
    const isInside = node.op === "for" || node.op === "arm";
    if (isInside && name !== undefined) this.enter(node.id, { name, isCell: false });
    for (const region of node.regions) this.region(region, node, depth + 1);
    if (isInside) this.#leave(node.id);
  }

  region(region: Region, owner: GraphNode | undefined, depth: number): void {
    const entered: number[] = [];
    for (const [order, item] of region.entries()) {
      if (item.note?.isWellFormed() === false) this.report("graph.text", owner?.id ?? null, "The note is not text");
      const isLast = order === region.length - 1;
      if (typeof item.value === "number") {
        if (!isLast) this.report("graph.order", owner?.id ?? null, "A value that is not the last item needs drop");
        this.#reference(item.value, owner?.id ?? null, false);
      } else if (this.#item(item.value, owner, { isLast, depth })) entered.push(item.value.id);
    }
    for (const id of entered) this.#leave(id);
  }

  /** True if the statement makes its name visible to the items behind it. */
  #item(node: GraphNode, owner: GraphNode | undefined, { isLast, depth }: { isLast: boolean; depth: number }): boolean {
    if ((node.op === "arm") !== (owner?.op === "match"))
      this.report("graph.order", node.id, "Arms are the items of match alone");
    const isUnused = !isLast && opTable[node.op].place === "value" && node.op !== "if" && node.op !== "match";
    if (isUnused) this.report("graph.order", node.id, "A value that is not the last item needs drop");
    this.#node(node, depth);
    const name = binderName(node);
    if (name === undefined || (node.op !== "let" && node.op !== "var")) return false;
    this.enter(node.id, { name, isCell: node.op === "var" });
    return true;
  }

  get count(): number {
    return this.#count;
  }
}

/** A type is checked as a function whose parameters are its members. */
type CheckedSort = "function" | "type";

function limitFindings(graph: FunctionGraph, nodes: number, sort: CheckedSort): readonly Finding[] {
  const { parameters, members } = languageLimits;
  const limits: readonly (readonly [number, number, string])[] = [
    [nodes, languageLimits.functionNodes, "nodes"],
    sort === "function"
      ? [graph.parameters.length, parameters, "parameters"]
      : [graph.parameters.length, members, "members"],
    [graph.requires.length, languageLimits.conditions, "requires"],
    [graph.ensures.length, languageLimits.conditions, "ensures"],
    [
      Math.max(typeDepth(graph.result), ...graph.parameters.map(({ type }) => typeDepth(type))),
      languageLimits.typeDepth,
      "levels of types",
    ],
  ];
  return limits
    .filter(([count, max]) => count > max)
    .map(([count, max, what]) => ({
      code: "graph.limit",
      node_id: null,
      message: `${count} ${what} are more than ${max}`,
    }));
}

export function checkShape(graph: FunctionGraph, sort: CheckedSort = "function"): readonly Finding[] {
  const check = new ShapeCheck(graph);
  for (const { id, name } of graph.parameters) {
    check.takeId(id);
    if (!isName(name)) check.report("graph.dangling", id, `${name} cannot be a name`);
    check.enter(id, { name, isCell: false });
  }
  for (const { value } of [...graph.requires, ...graph.ensures]) check.value(value, null, 1);
  check.region(graph.body, undefined, 1);
  return [...check.findings, ...limitFindings(graph, check.count, sort)];
}
