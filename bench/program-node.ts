/** A node with programs on a memory journal, with the check in its real thread, and agents that edit functions. */
import type { Client } from "holdfast";
import { clientOf, servicesOf, startEngine } from "../server/src/assembly/open.ts";
import type { Engine } from "../server/src/engine/engine.ts";
import { createMemoryDisk } from "../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../server/src/journal/memory/open.ts";

export interface ProgramNode extends AsyncDisposable {
  readonly engine: Engine;
  readonly client: Client;
  /** The rounds of checking of the decided commands since the last call. */
  readonly takeRounds: () => readonly number[];
}

export async function openProgramNode(): Promise<ProgramNode> {
  const report = (): void => undefined;
  const engine = await startEngine({ journal: openMemoryJournal(createMemoryDisk()), report });
  let rounds: number[] = [];
  const checkObserver = { onCheck: report, onRounds: (_check: string, count: number) => void rounds.push(count) };
  const client = clientOf(servicesOf(engine, { checkObserver, report }), {});
  return {
    engine,
    client,
    takeRounds() {
      const taken = rounds;
      rounds = [];
      return taken;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** About 40 nodes with one condition. Two editions of a function differ in one constant. */
export function leafText(name: string, edition: number): string {
  return `pub fn ${name}(x: i64, y: i64) -> i64
  ensures result >= 0 and result <= 1000
{
  let a = x +% ${edition};
  let b = a *% 3 +% y;
  let c = if a < b { a } else { b };
  let d = (c ^ 17) & 1023;
  let e = if d > 500 { d -% 500 } else { d +% 7 };
  let f = (e *% 5 +% d *% 3) % 1000;
  if f < 0 { 0 -% f } else { f }
}
`;
}

/** Adds functions in mutations of at most 60, and returns their ids in order. */
export async function addFunctions(
  agent: Client,
  program: string,
  texts: readonly string[],
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let start = 0; start < texts.length; start += 60) {
    const mutations = texts.slice(start, start + 60).map((text) => ({ type: "add_function", text }) as const);
    const { created } = await agent.programs.mutate(program, { mutations, expectedHashes: {} });
    ids.push(...created.filter(({ kind }) => kind === "function").map(({ id }) => id));
  }
  return ids;
}

/** An agent that holds the lock of one function and changes it again and again. */
export class FunctionEditor {
  readonly #agent: Client;
  readonly #target: { readonly program: string; readonly id: string };
  readonly #text: (edition: number) => string;
  #hash = "";
  #edition = 0;

  constructor(
    agent: Client,
    target: { readonly program: string; readonly id: string },
    text: (edition: number) => string,
  ) {
    this.#agent = agent;
    this.#target = target;
    this.#text = text;
  }

  async start(): Promise<this> {
    const { program, id } = this.#target;
    await this.#agent.acquire(`program/${program}/function/${id}`, { ttlMs: 600_000 });
    this.#hash = (await this.#agent.programs.getFunction(program, { functionId: id })).hash;
    return this;
  }

  async edit(): Promise<number> {
    const { program, id } = this.#target;
    this.#edition += 1;
    const mutations = [{ type: "set_function", functionId: id, text: this.#text(this.#edition) }] as const;
    const accepted = await this.#agent.programs.mutate(program, { mutations, expectedHashes: { [id]: this.#hash } });
    this.#hash = accepted.functions[0]?.hash ?? this.#hash;
    return accepted.position;
  }
}
