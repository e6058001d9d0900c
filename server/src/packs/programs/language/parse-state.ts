/** The cursor of the parser, the names in scope, and the errors that it found. */
import { defined } from "@holdfast/sdk/base/defined";
import { closestWord } from "@holdfast/sdk/base/closest-word";
import type { DiagnosticCode } from "./diagnostic.ts";
import { languageLimits } from "./language-limits.ts";
import type { NameTable } from "./names.ts";
import type { GraphNode, Input, Region } from "./node.ts";
import type { OpName } from "./op-names.ts";
import { type SourceToken, tokensOf } from "./tokens.ts";

export interface SyntaxError {
  readonly code: DiagnosticCode;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly expected?: string;
  readonly found?: string;
  readonly suggestion?: string;
}

/** Ends the current statement. The parser continues with the next one. */
class StatementFailed extends Error {
  override readonly name = "StatementFailed";
}

interface LocalName {
  readonly id: number;
  readonly isCell: boolean;
}

/** Maximum nesting of the parser and of the nodes that it makes. Everything that follows recurses over them. */
const depthMax = 150;

export class ParseState {
  readonly names: NameTable;
  readonly module: string;
  readonly errors: SyntaxError[] = [];
  /** Ids that the text gave to nodes with `#id`, by the parser's own ids. */
  readonly givenIds = new Map<number, number>();
  /** Whether a brace begins a block and no struct literal. */
  isHead = false;
  /** Set by the file that parses statements: expressions contain blocks. */
  block: (state: ParseState, binders?: readonly LocalBinder[]) => Region = () => [];
  #tokens: SourceToken[];
  #at = 0;
  #next = 1;
  #depth = 0;
  readonly #heights = new WeakMap<GraphNode, number>();
  readonly #scopes: Map<string, LocalName>[] = [new Map<string, LocalName>()];

  constructor(text: string, { names, module }: { names: NameTable; module: string }) {
    this.names = names;
    this.module = module;
    this.#tokens = [...tokensOf(text)];
  }

  get token(): SourceToken {
    return this.peek(0);
  }

  peek(ahead: number): SourceToken {
    return (this.#tokens[this.#at + ahead] ?? this.#tokens.at(-1)) as SourceToken;
  }

  get isFull(): boolean {
    return this.errors.length >= languageLimits.syntaxErrors;
  }

  advance(): SourceToken {
    const { token } = this;
    if (token.kind !== "end") this.#at += 1;
    return token;
  }

  is(text: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return (token.kind === "sign" || token.kind === "name") && token.text === text;
  }

  accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.advance();
    return true;
  }

  expect(text: string): SourceToken {
    if (this.is(text)) return this.advance();
    return this.fail(JSON.stringify(text));
  }

  /** `>` as the first character of `>>` or `>>>`, which end nested types. */
  expectAngle(): void {
    const { token } = this;
    if (token.kind !== "sign" || !token.text.startsWith(">") || token.text === ">=") this.fail('">"');
    if (token.text === ">") this.advance();
    else this.#tokens[this.#at] = { ...token, text: token.text.slice(1), column: token.column + 1 };
  }

  expectKind(kind: SourceToken["kind"], wanted: string): SourceToken {
    return this.token.kind === kind ? this.advance() : this.fail(wanted);
  }

  report(code: DiagnosticCode, token: SourceToken, message: string, more: Partial<SyntaxError> = {}): void {
    if (!this.isFull) this.errors.push({ code, line: token.line, column: token.column, message, ...more });
  }

  fail(expected: string): never {
    const { token } = this;
    const found = token.kind === "end" ? token.text : JSON.stringify(token.text.slice(0, 40));
    this.report("syntax.unexpected", token, `Expected ${expected}, found ${found}`, { expected, found });
    throw new StatementFailed();
  }

  /** Runs a part of the parser. If it fails, skips to the end of the statement. */
  recover(parse: () => void): void {
    const depth = this.#depth;
    const scopes = this.#scopes.length;
    const { isHead } = this;
    try {
      parse();
    } catch (error) {
      if (!(error instanceof StatementFailed)) throw error;
      this.#depth = depth;
      this.#scopes.length = scopes;
      this.isHead = isHead;
      this.#skipStatement();
    }
  }

  #skipStatement(): void {
    for (let open = 0; this.token.kind !== "end"; this.advance()) {
      if (this.is("{")) open += 1;
      else if (this.is("}")) {
        if (open === 0) return;
        open -= 1;
        if (open > 0) continue;
        this.advance();
        return;
      } else if (open === 0 && this.is(";")) {
        this.advance();
        return;
      }
    }
  }

  deeper<Result>(parse: () => Result): Result {
    this.#depth += 1;
    this.#bound(this.#depth);
    const result = parse();
    this.#depth -= 1;
    return result;
  }

  node(op: OpName, parts: Partial<Omit<GraphNode, "op">> = {}): GraphNode {
    const node = { id: parts.id ?? this.newId(), op, attributes: [], inputs: [], regions: [], ...parts };
    // A chain such as `1 + 1 + 1` is parsed in a loop, and its nodes are nested as deep as it is long.
    let height = 0;
    for (const input of node.inputs) height = Math.max(height, this.#heightOf(input));
    for (const region of node.regions) for (const { value } of region) height = Math.max(height, this.#heightOf(value));
    this.#bound(height + 1);
    this.#heights.set(node, height + 1);
    return node;
  }

  #heightOf(input: Input): number {
    return typeof input === "number" ? 0 : (this.#heights.get(input) ?? 0);
  }

  #bound(depth: number): void {
    if (depth <= depthMax) return;
    this.report("graph.limit", this.token, `The text is nested deeper than ${depthMax}`);
    throw new StatementFailed();
  }

  newId(): number {
    this.#next += 1;
    return this.#next - 1;
  }

  /** Reads `#12` behind a keyword or an expression. */
  acceptId(id: number): void {
    if (!this.is("#") || this.peek(1).kind !== "int") return;
    this.advance();
    const given = Number(this.advance().text);
    if (Number.isSafeInteger(given)) this.givenIds.set(id, given);
  }

  scoped<Result>(parse: () => Result): Result {
    this.#scopes.push(new Map());
    const result = parse();
    this.#scopes.pop();
    return result;
  }

  declare(token: SourceToken, local: LocalName): void {
    if (this.lookUp(token.text) !== undefined)
      this.report("name.duplicate", token, `${token.text} is already a name here: choose another`);
    this.#scopes.at(-1)?.set(token.text, local);
  }

  lookUp(name: string): LocalName | undefined {
    return this.#scopes.findLast((scope) => scope.has(name))?.get(name);
  }

  unknownName(token: SourceToken, what: string, extra: readonly string[] = []): Input {
    const words = [
      ...this.#scopes.flatMap((scope) => [...scope.keys()]),
      ...this.names.wordsNear(this.module),
      ...extra,
    ];
    const suggestion = closestWord(token.text, words);
    const hint = suggestion === undefined ? "" : `: did you mean ${suggestion}?`;
    this.report("name.unknown", token, `There is no ${what} ${token.text}${hint}`, defined({ suggestion }));
    return this.node("hole");
  }
}

/** A name that a block has from its owner: the item of a `for`, the payload of an arm. */
export interface LocalBinder {
  readonly token: SourceToken;
  readonly id: number;
}
