/**
 * A plain model of one program under undo and redo. It keeps functions as texts, and the changes of each agent as two
 * lists. It knows nothing of hashes, evidence or tables, and it compares everything with everything.
 */

/** A function. `{f}` in a body is a call of the function with the id `f`. */
export interface ModelFunction {
  readonly name: string;
  readonly body: string;
}

export type ModelContent = ModelFunction | null;

export interface ModelChange {
  readonly id: string;
  readonly before: ModelContent;
  readonly after: ModelContent;
}

/** A change that its agent can undo or redo, named by its position. */
export interface ModelRow {
  readonly position: number;
  readonly changes: readonly ModelChange[];
}

export type Side = "undo" | "redo";

/** A change as its caller sends it. */
export interface ModelRequest {
  readonly agent: string;
  readonly writes: ReadonlyMap<string, ModelContent>;
  /** The functions that must exist, with the content that the caller read; undefined if the caller sends no hash. */
  readonly expected: ReadonlyMap<string, ModelFunction | undefined>;
  readonly what: "mutate" | "import" | Side;
  /** The functions of steps that change the structure. An undo or redo changes it if a name comes, goes or changes. */
  readonly shaped?: readonly string[];
}

export interface ModelLocks {
  readonly holds: (agent: string, id: string, mode: "read" | "write") => boolean;
  readonly holdsProgram: (agent: string) => boolean;
  /** Whether another agent holds a lock of the function, or of the structure or program if there is no id. */
  readonly isForeign: (agent: string, id?: string) => boolean;
}

/** Maximum changes of an agent that it can undo. */
const depth = 100;

export const isSame = (one: ModelContent | undefined, other: ModelContent | undefined): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

const callsOf = (content: ModelContent | undefined): readonly string[] =>
  [...(content?.body ?? "").matchAll(/\{(?<id>\w+)\}/gu)].map(({ groups }) => groups?.["id"] ?? "");

export class UndoModel {
  readonly functions = new Map<string, ModelFunction>();
  readonly stacks = new Map<string, Record<Side, ModelRow[]>>();
  readonly #retries: number;
  readonly #used = new Set<string>();
  readonly #conflicts = new Map<string, number>();

  constructor(retries: number) {
    this.#retries = retries;
  }

  stackOf(agent: string, side: Side): readonly ModelRow[] {
    return this.stacks.get(agent)?.[side] ?? [];
  }

  textOf(id: string): string | undefined {
    const found = this.functions.get(id);
    if (found === undefined) return undefined;
    const body = found.body.replaceAll(/\{(\w+)\}/gu, (_call, callee: string) => `${this.#nameOf(callee)}()`);
    const ensures = id === "g" ? "\n  ensures result > 0\n" : " ";
    return `pub fn ${found.name}() -> i64${ensures}{\n  ${body}\n}\n`;
  }

  #nameOf(id: string): string {
    return this.functions.get(id)?.name ?? `@${id}`;
  }

  /** The request that undoes or redoes a change, or the code of its refusal. */
  restored(agent: string, side: Side, position: number): ReadonlyMap<string, ModelContent> | string {
    const newest = this.stackOf(agent, side).at(-1);
    if (newest?.position !== position) return "programs.nothing_to_undo";
    const isForeign = newest.changes.some(({ id, after }) => !isSame(this.functions.get(id), after));
    if (isForeign) return "programs.undo_blocked";
    return new Map(newest.changes.map(({ id, before }) => [id, before]));
  }

  /** The code of the answer: the first reason in a fixed order, or `done`. */
  codeOf(request: ModelRequest, locks: ModelLocks): string {
    return this.#early(request, locks) ?? this.#late(request, locks) ?? "done";
  }

  #early(request: ModelRequest, locks: ModelLocks): string | undefined {
    const { agent, expected, what } = request;
    const touched = [...expected.keys()];
    if (touched.some((id) => !this.functions.has(id))) return "programs.not_found";
    if (touched.some((id) => expected.get(id) === undefined)) return "programs.hashes_required";
    if ((this.#conflicts.get(this.#setOf(request)) ?? 0) > this.#retries) return "programs.too_many_conflicts";
    if (what === "import" && this.functions.size > 0 && !locks.holdsProgram(agent)) return "programs.lock_required";
    const shaped = request.shaped ?? this.#shaped(request.writes);
    const isConcerned = shaped.some((id) => expected.has(id) && locks.isForeign(agent, id));
    if (shaped.length > 0 && (locks.isForeign(agent) || isConcerned)) return "programs.structure_locked";
    if (touched.some((id) => !locks.holds(agent, id, "write"))) return "programs.lock_required";
    const isOutdated = touched.some((id) => !isSame(this.functions.get(id), expected.get(id)));
    return isOutdated ? "programs.hash_conflict" : undefined;
  }

  #late({ agent, writes, expected, what }: ModelRequest, locks: ModelLocks): string | undefined {
    const added = [...writes].filter(([id, content]) => content !== null && !expected.has(id)).map(([id]) => id);
    const isNew = what === "mutate" || what === "import";
    if (isNew && added.some((id) => this.functions.has(id))) return "programs.text_invalid";
    const called = [...writes].flatMap(([id, content]) => {
      const known = callsOf(this.functions.get(id));
      return callsOf(content).filter((callee) => !known.includes(callee) && !writes.has(callee));
    });
    const isUnlocked = called.some((id) => this.functions.has(id) && !locks.holds(agent, id, "read"));
    if (isUnlocked) return "programs.lock_required";
    if (!isValid(this.#after(writes))) return "programs.verification_failed";
    return isNew && added.some((id) => this.#used.has(id)) ? "programs.name_taken" : undefined;
  }

  /** A change of the structure adds, removes or renames a function. */
  #shaped(writes: ReadonlyMap<string, ModelContent>): readonly string[] {
    return [...writes].filter(([id, content]) => this.functions.get(id)?.name !== content?.name).map(([id]) => id);
  }

  #after(writes: ReadonlyMap<string, ModelContent>): ReadonlyMap<string, ModelFunction> {
    const functions = new Map(this.functions);
    for (const [id, content] of writes)
      if (content === null) functions.delete(id);
      else functions.set(id, content);
    return functions;
  }

  #setOf({ agent, expected }: ModelRequest): string {
    return `${agent} ${[...expected.keys()].sort().join(",")}`;
  }

  countConflict(request: ModelRequest): void {
    const set = this.#setOf(request);
    this.#conflicts.set(set, (this.#conflicts.get(set) ?? 0) + 1);
  }

  /** Whether the request changes something. A change to the same text is not a change. */
  isChange({ writes }: ModelRequest): boolean {
    return [...writes].some(([id, content]) => !isSame(this.functions.get(id), content));
  }

  accept(request: ModelRequest, position: number): void {
    const { agent, what, writes } = request;
    this.#conflicts.delete(this.#setOf(request));
    const stacks = this.stacks.get(agent) ?? { undo: [], redo: [] };
    this.stacks.set(agent, stacks);
    if (what === "mutate" || what === "import") stacks.redo = [];
    else stacks[what].pop();
    const changes = [...writes]
      .map(([id, after]): ModelChange => ({ id, before: this.functions.get(id) ?? null, after }))
      .filter(({ before, after }) => !isSame(before, after));
    const side = what === "undo" ? "redo" : "undo";
    stacks[side] = [...stacks[side], { position, changes }].slice(-depth);
    for (const { id, after } of changes) {
      this.#used.add(id);
      if (after === null) this.functions.delete(id);
      else this.functions.set(id, after);
    }
  }

  endAgent(agent: string): void {
    this.stacks.delete(agent);
    for (const set of this.#conflicts.keys()) if (set.startsWith(`${agent} `)) this.#conflicts.delete(set);
  }

  /** Whether an agent can still undo or redo the change at this position. */
  isStacked(position: number): boolean {
    const stacks = [...this.stacks.values()].flatMap(({ undo, redo }) => [...undo, ...redo]);
    return stacks.some((row) => row.position === position);
  }
}

/** Every call names a function, no two functions have one name, and the condition of `g` holds. */
function isValid(functions: ReadonlyMap<string, ModelFunction>): boolean {
  const all = [...functions.values()];
  const isComplete = all.every((each) => callsOf(each).every((id) => functions.has(id)));
  const isNamed = new Set(all.map(({ name }) => name)).size === all.length;
  return isComplete && isNamed && (!functions.has("g") || resultOf("g", functions) > 0);
}

function resultOf(id: string, functions: ReadonlyMap<string, ModelFunction>): number {
  const terms = functions.get(id)?.body.split(" + ") ?? [];
  const values = terms.map((term) => {
    const called = /^\{(?<callee>\w+)\}$/u.exec(term)?.groups?.["callee"];
    if (called !== undefined) return resultOf(called, functions);
    return term.split(" * ").reduce((product, factor) => product * Number(factor), 1);
  });
  return values.reduce((sum, value) => sum + value, 0);
}
