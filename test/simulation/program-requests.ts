/** Requests of agents that edit one small program at the same time. */
import { findEntity, isLive } from "../../server/src/features/entities/entity-table.ts";
import type { StateReader } from "../../server/src/machine/state.ts";
import { stackOf } from "../../server/src/packs/programs/stack-table.ts";
import { findItem, findProgram, hashOfItem, programType } from "../../server/src/packs/programs/program-value.ts";
import type { SimulatedRequest } from "./entity-requests.ts";
import type { Random } from "./random.ts";

/** The program of a simulation. The id of a deleted program is not used again, so another one follows it. */
function programIn(state: StateReader): string {
  for (let number = 1; ; number += 1) {
    const id = `p${number === 1 ? "" : String(number)}`;
    const row = findEntity(state, { type: programType, id });
    if (row === undefined || isLive(row)) return id;
  }
}

/** `g` needs both others: each of two changes may be right alone, and wrong together. */
const skewed = ["f", "k", "g"] as const;
const extras = ["x1", "x2"] as const;
const functionIds = [...skewed, ...extras];
/** The two functions that break `g` together are edited most. */
const edited = ["f", "k", "f", "k", ...functionIds];
/** Two texts for each value, so that a change of the text alone is a change too. */
const values = ["0", "0 - 0", "1", "1 + 0"] as const;

/** Weights of the kinds of requests. */
const usualKinds = { lock: 30, free: 6, set: 40, twice: 6, shape: 12, restore: 24, wrong: 4, whole: 2 } as const;

interface KnownState {
  readonly state: () => StateReader;
  readonly agents: () => readonly string[];
  readonly holders: () => readonly { readonly owner: string; readonly paths: readonly { readonly path: string }[] }[];
}

/** Generates the next request. Callers know the journal, or remember an older hash. */
export class ProgramRequests {
  readonly #random: Random;
  readonly #known: KnownState;
  readonly #kinds: Record<keyof typeof usualKinds, number>;
  #programId = "";
  /** Hashes that some caller has seen. */
  readonly #hashes: string[] = [];

  constructor(random: Random, known: KnownState) {
    this.#random = random;
    this.#known = known;
    this.#kinds = random.unevenly(usualKinds);
    this.#kinds.lock += 1;
    this.#kinds.set += 1;
  }

  make(): SimulatedRequest {
    const random = this.#random;
    const agents = this.#known.agents();
    if (agents.length < 2) return { ...request("register-agent", { inactivity_seconds: 30 }), isKeyless: true };
    const agent = random.pick(agents);
    const state = this.#known.state();
    this.#programId = programIn(state);
    const program_id = this.#programId;
    if (findProgram(state, program_id) === undefined)
      return request("programs.create", { program_id, name: "p", settings: { cases: 8, retries: 1 } });
    const missing = skewed.filter((id) => findItem(state, program_id, `function/${id}`) === undefined);
    if (missing.length > 0 && random.chance(0.5))
      return this.#mutate(
        agent,
        missing.map((id) => added(id, textOf(id, id === "g" ? "0" : "1"))),
      );
    return this.#make(agent);
  }

  #make(agent: string): SimulatedRequest {
    const random = this.#random;
    switch (random.weighed(this.#kinds)) {
      case "lock":
        return this.#lock(agent);
      case "free":
        return request("release-lock", { paths: [this.#path(random.pick(functionIds))] }, agent);
      case "set":
        return this.#setLocked(agent);
      case "twice":
        return this.#mutate(agent, [this.#set("f"), this.#set("k")]);
      case "shape":
        return this.#mutate(agent, [this.#shape()]);
      case "restore":
        return this.#restore("redo") ?? this.#restore("undo") ?? this.#lock(agent);
      case "wrong":
        return this.#mutate(agent, [{ type: "set_function", function_id: "f", text: random.pick(wrongTexts) }]);
      case "whole":
        return this.#whole(agent);
    }
  }

  #path(id?: string): string {
    return `program/${this.#programId}${id === undefined ? "" : `/function/${id}`}`;
  }

  #lock(agent: string): SimulatedRequest {
    const random = this.#random;
    const ids = [random.pick(edited), ...(random.chance(0.2) ? [random.pick(edited)] : [])];
    const mode = random.chance(0.9) ? "write" : "read";
    const ttl_seconds = random.pick([3, 20, 60]);
    if (random.chance(0.05)) {
      const scope = random.pick(["self", "tree"]);
      return request("acquire-lock", { paths: [{ path: this.#path(), mode: "write", scope }], ttl_seconds }, agent);
    }
    const paths = [...new Set(ids)].map((id) => ({ path: this.#path(id), mode, scope: "self" }));
    return request("acquire-lock", { paths, ttl_seconds }, agent);
  }

  /** Mostly a change under a lock that its agent holds. */
  #setLocked(agent: string): SimulatedRequest {
    const random = this.#random;
    const agents = this.#known.agents();
    const own = this.#held().filter(({ owner }) => agents.includes(owner));
    const { owner, id } =
      own.length > 0 && random.chance(0.85) ? random.pick(own) : { owner: agent, id: random.pick(edited) };
    return this.#mutate(owner, [this.#set(id)]);
  }

  #held(): readonly { readonly owner: string; readonly id: string }[] {
    return this.#known
      .holders()
      .flatMap(({ owner, paths }) =>
        paths.flatMap(({ path }) => functionIds.filter((id) => path === this.#path(id)).map((id) => ({ owner, id }))),
      );
  }

  #set(id: string): ProgramStep {
    return { type: "set_function", function_id: id, text: textOf(id, this.#random.pick(values)) };
  }

  #shape(): ProgramStep {
    const random = this.#random;
    const id = random.pick(extras);
    return random.pick<ProgramStep>([
      added(id, textOf(id, random.pick(values))),
      added(id, textOf(id, random.pick(values))),
      { type: "remove_function", function_id: id },
      { type: "rename_function", function_id: id, name: random.pick([id, `${id}_too`, "f"]) },
      { type: "remove_function", function_id: "f" },
    ]);
  }

  /** An agent undoes its newest change. Another change may have built on it, or the agent may lack the lock. */
  #restore(side: "undo" | "redo"): SimulatedRequest | undefined {
    const random = this.#random;
    const state = this.#known.state();
    const stacks = this.#known.agents().map((agent) => stackOf(state, { agent, programId: this.#programId, side }));
    const newest = stacks.flatMap((stack) => stack.slice(0, 1));
    if (newest.length === 0) return undefined;
    const { agent, position, items } = random.pick(newest);
    const ids = items.filter(({ after }) => after !== null).map(({ item }) => item.slice(item.indexOf("/") + 1));
    const held = this.#held();
    const isLocked = ids.every((id) => held.some((each) => each.owner === agent && each.id === id));
    if (!isLocked && random.chance(0.7))
      return request("acquire-lock", { paths: ids.map((id) => ({ path: this.#path(id), mode: "write" })) }, agent);
    const mutation = random.chance(0.95) ? position : position + 1;
    const input = { program_id: this.#programId, mutation, expected_hashes: this.#expected(ids) };
    return request(`programs.${side}`, { ...input, release: random.chance(0.1) }, agent);
  }

  /** The whole program is deleted, described again, or imported on top of itself. */
  #whole(agent: string): SimulatedRequest {
    const random = this.#random;
    const program_id = this.#programId;
    const text = `@id("y1")\n${textOf("y1", random.pick(values))}`;
    return random.pick([
      request("programs.update", { program_id, changes: { name: random.pick(["p", "q"]) } }, agent),
      request("programs.import", { program_id, text }, agent),
      request("programs.delete", { program_id }, agent),
    ]);
  }

  #mutate(agent: string, steps: readonly ProgramStep[]): SimulatedRequest {
    const random = this.#random;
    const touched = steps.filter(({ type }) => type !== "add_function").map(({ function_id: id }) => id);
    const input = { program_id: this.#programId, mutations: steps, expected_hashes: this.#expected(touched) };
    return request("programs.mutate", { ...input, ...(random.chance(0.4) && { release: true }) }, agent);
  }

  /** Mostly the current hashes, and sometimes older ones. */
  #expected(ids: readonly string[]): Readonly<Record<string, string>> {
    const random = this.#random;
    const state = this.#known.state();
    return Object.fromEntries(
      ids.flatMap((id) => {
        const value = findItem(state, this.#programId, `function/${id}`);
        if (value !== undefined) this.#hashes.push(hashOfItem(value));
        const isOld = value === undefined || random.chance(0.12);
        const hash = isOld && this.#hashes.length > 0 ? random.pick(this.#hashes.slice(-20)) : undefined;
        const expected = hash ?? (value === undefined ? undefined : hashOfItem(value));
        return expected === undefined ? [] : [[id, expected]];
      }),
    );
  }
}

interface ProgramStep extends Readonly<Record<string, unknown>> {
  readonly type: string;
  readonly function_id: string;
}

const added = (id: string, text: string): ProgramStep => ({ type: "add_function", function_id: id, text });

function textOf(id: string, value: string): string {
  if (id === "g") return `pub fn g() -> i64 ensures result > 0 { f() + k() + ${value} }`;
  const body = id === "f" || id === "k" ? value : `f() + ${value}`;
  return `pub fn ${id}() -> i64 { ${body} }`;
}

const wrongTexts = ["pub fn f() -> i64 { true }", "pub fn f() -> i64 {", "pub fn f(x: i64) -> i64 { x }"] as const;

function request(operation: string, input: SimulatedRequest["input"], agent?: string): SimulatedRequest {
  return { operation, input, isRead: false, speaker: { agent } };
}
