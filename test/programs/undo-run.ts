/** Random commands of several agents in two programs, each decided by the machine and by the model, then compared. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import type { StateReader } from "../../server/src/machine/state.ts";
import { stackOf } from "../../server/src/packs/programs/stack-table.ts";
import type { Random } from "../simulation/random.ts";
import { HeldLocks, wholeLock, writeLock } from "./held-locks.ts";
import { KnownContents } from "./known-contents.ts";
import { codeOf, ProgramAgent, programsNode } from "./programs-node.ts";
import type { ProgramsNode, StepInput } from "./programs-node.ts";
import { UndoModel } from "./undo-model.ts";
import type { ModelFunction, ModelRequest, Side } from "./undo-model.ts";

/** Hash conflicts in a row after which a set is refused: small, so that the refusal is reached. */
const retries = 2;
const constants = ["0", "0 * 1", "1", "1 * 1"] as const;
const extras = ["x1", "x2", "x3", "x4"] as const;

/** Weights of the kinds of commands. */
const kinds = { lock: 6, free: 12, set: 30, shape: 16, undo: 26, redo: 20, whole: 3, end: 2, erase: 8, start: 2 };

export class UndoRun {
  readonly #random: Random;
  readonly #disk = createMemoryDisk();
  readonly #weights: typeof kinds;
  readonly #locks = new HeldLocks();
  readonly #known = new KnownContents();
  /** The model of each program. The second program may be deleted, and another one follows. */
  readonly #models = new Map(["p", "q1"].map((id) => [id, new UndoModel(retries)]));
  /** The answers of each operation, to prove that a run reaches them. */
  readonly codes = new Set<string>();
  #node!: ProgramsNode;
  #agents: readonly { readonly id: string; readonly secret: string }[] = [];
  #keys = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#weights = { ...random.unevenly(kinds), set: kinds.set, undo: kinds.undo };
  }

  async run(commands: number): Promise<void> {
    await this.#open();
    for (let count = 0; count < 3; count += 1) await this.#register();
    for (const program of this.#models.keys()) await this.#create(program);
    // Its agent could undo the first functions. Its end keeps them.
    if (this.#random.chance(0.8)) await this.#end(this.#agents[0]?.id ?? "");
    for (let count = 0; count < commands; count += 1) await this.#next();
    await this.#restart();
    for (const program_id of this.#models.keys()) {
      const { outcome } = await this.#node.client.execute("programs.verify", { program_id });
      assert.equal((outcome.data as JsonObject)["valid"], true);
    }
    await this.#node.client.close();
  }

  async #next(): Promise<void> {
    const random = this.#random;
    const program = random.chance(0.85) ? "p" : ([...this.#models.keys()][1] ?? "");
    const kind = random.weighed(this.#weights);
    const side = kind === "redo" ? "redo" : "undo";
    const able = this.#agents.filter(({ id }) => this.#model(program).stackOf(id, side).length > 0);
    const isAble = kind === side && able.length > 0 && random.chance(0.9);
    const agent = random.pick(isAble ? able : this.#agents).id;
    const commands: Readonly<Record<keyof typeof kinds, () => Promise<void>>> = {
      lock: () => this.#lock(program, agent),
      free: () => this.#locks.release(random, (id) => this.#as(program, id)),
      set: () => this.#set(program, agent),
      shape: () => this.#shape(program, agent),
      undo: () => this.#restore(program, agent, "undo"),
      redo: () => this.#restore(program, agent, "redo"),
      whole: () => (program === "p" ? this.#import(program, agent) : this.#delete(program, agent)),
      end: () => this.#end(agent),
      erase: () => this.#erase(program, agent),
      start: () => this.#restart(),
    };
    await commands[kind]();
    if (this.#models.has(program)) await this.#compare(program);
  }

  async #open(): Promise<void> {
    this.#node = await programsNode({ journal: openMemoryJournal(this.#disk) });
  }

  /** Sometimes with a checkpoint first. Otherwise the journal is folded from its beginning. */
  async #restart(): Promise<void> {
    if (this.#random.chance(0.5)) await this.#node.engine.checkpoint();
    await this.#node.client.close();
    await this.#open();
    for (const program of this.#models.keys()) await this.#compare(program);
  }

  async #register(): Promise<void> {
    this.#agents = [...this.#agents, await this.#node.agent("agent")];
  }

  async #end(agent: string): Promise<void> {
    await this.#as("p", agent).done("end-agent", { agent_id: agent });
    this.#agents = this.#agents.filter(({ id }) => id !== agent);
    this.#locks.remove(agent);
    for (const model of this.#models.values()) model.endAgent(agent);
    await this.#register();
    for (const program of this.#models.keys()) await this.#compare(program);
  }

  /** A program records itself as a whole at every 64th version, and only older entries can be erased. */
  async #create(program_id: string): Promise<void> {
    const input = { program_id, name: "p", settings: { cases: 8, retries } };
    assert.equal(codeOf(await this.#node.client.execute("programs.create", input)), "done");
    const before = program_id === "p" ? this.#random.between(40, 60) : 0;
    for (let version = 1; version < before; version += 1) {
      const changes = { description: String(version) };
      await this.#node.client.run("programs.update", { program_id, changes, expected_version: version });
    }
    const agent = this.#agents[0]?.id ?? "";
    const bodies = { f: "1", k: "1", g: "{f} + {k} + 0" };
    const writes = new Map(Object.entries(bodies).map(([id, body]) => [id, { name: id, body }]));
    const steps = [...writes].map(([id, content]) => added(id, content));
    await this.#mutate(program_id, { agent, writes, expected: new Map(), what: "mutate", shaped: ["f"] }, steps);
    await this.#compare(program_id);
  }

  #model(program: string): UndoModel {
    return this.#models.get(program) as UndoModel;
  }

  #as(program: string, agentId: string): ProgramAgent {
    const secret = this.#agents.find(({ id }) => id === agentId)?.secret ?? "";
    return new ProgramAgent(this.#node.client.as({ agentId, secret }), agentId, program, secret);
  }

  async #lock(program: string, agent: string): Promise<void> {
    const random = this.#random;
    const whole = { ...wholeLock(program), scope: random.pick(["self", "tree"]) };
    const id = random.pick(["f", "k", "g", ...extras]);
    const one = { ...writeLock(program, id), mode: random.pick(["read", "write"]) };
    await this.#locks.acquire(this.#as(program, agent), [random.chance(0.15) ? whole : one]);
  }

  /** Mostly an agent has locked what it changes, and what its new text calls. */
  async #lockFor(program: string, { agent, writes, expected }: Pick<ModelRequest, "agent" | "writes" | "expected">) {
    const random = this.#random;
    const isCalled = [...writes.values()].some((content) => content?.body.includes("{f}")) && !expected.has("f");
    const read = isCalled && random.chance(0.8) ? [{ ...writeLock(program, "f"), mode: "read" }] : [];
    const wanted = [...[...expected.keys()].map((id) => writeLock(program, id)), ...read];
    if (random.chance(0.85)) await this.#locks.acquire(this.#as(program, agent), wanted);
  }

  async #set(program: string, agent: string): Promise<void> {
    const random = this.#random;
    const model = this.#model(program);
    const existing = [...model.functions.keys()];
    const ids = [random.chance(0.97) && existing.length > 0 ? random.pick(existing) : random.pick(extras)];
    if (random.chance(0.2)) ids.push(random.pick(["f", "k"]));
    const writes = new Map<string, ModelFunction>();
    for (const id of ids) writes.set(id, { name: model.functions.get(id)?.name ?? id, body: this.#body(id) });
    const steps = [...writes].map(([id, content]) => ({ ...added(id, content), type: "set_function" }));
    const expected = this.#known.expected(random, model, [...writes.keys()]);
    await this.#lockFor(program, { agent, writes, expected });
    await this.#mutate(program, { agent, writes, expected, what: "mutate", shaped: [] }, steps);
  }

  #body(id: string): string {
    const constant = this.#random.pick(constants);
    if (id === "g") return `{f} + {k} + ${constant}`;
    return id.startsWith("x") && this.#random.chance(0.6) ? `{f} + ${constant}` : constant;
  }

  /** Adds, removes or renames a function. */
  async #shape(program: string, agent: string): Promise<void> {
    const random = this.#random;
    const id = random.chance(0.9) ? random.pick(extras) : "f";
    const name = random.pick([id, `${id}_too`, "x1", "f"]);
    const current = this.#model(program).functions.get(id);
    const kind = random.chance(current === undefined ? 0.9 : 0.1) ? "add" : random.pick(["remove", "rename"]);
    const content = { name, body: kind === "add" ? this.#body(id) : (current?.body ?? "") };
    const writes = new Map([[id, kind === "remove" ? null : content]]);
    const expected = this.#known.expected(random, this.#model(program), kind === "add" ? [] : [id]);
    const steps: Readonly<Record<string, StepInput>> = {
      add: added(id, content),
      remove: { type: "remove_function", function_id: id },
      rename: { type: "rename_function", function_id: id, name },
    };
    await this.#lockFor(program, { agent, writes, expected });
    const request = { agent, writes, expected, what: "mutate", shaped: [id] } as const;
    await this.#mutate(program, request, [steps[kind] as StepInput]);
  }

  async #mutate(program: string, request: ModelRequest, steps: readonly StepInput[]): Promise<void> {
    const input = { mutations: steps as never, expected_hashes: this.#known.hashesOf(request.expected) };
    await this.#decide(program, request, { operation: "programs.mutate", input });
  }

  async #import(program: string, agent: string): Promise<void> {
    if (this.#random.chance(0.8)) await this.#locks.acquire(this.#as(program, agent), [wholeLock(program)]);
    const id = this.#random.pick(extras);
    const writes = new Map([[id, { name: id, body: "1" }]]);
    const request = { agent, writes, expected: new Map(), what: "import", shaped: [id] } as const;
    const text = `@id("${id}")\npub fn ${id}() -> i64 { 1 }\n`;
    await this.#decide(program, request, { operation: "programs.import", input: { text } });
  }

  /** A deleted program has no stacks, and its id is not used again. */
  async #delete(program: string, agentId: string): Promise<void> {
    const agent = this.#as(program, agentId);
    await this.#locks.acquire(agent, [wholeLock(program)]);
    const { version } = await agent.done("programs.get");
    const isLocked = this.#locks.of(program).holdsProgram(agentId);
    const code = await agent.code("programs.delete", { expected_version: version ?? 0 });
    assert.equal(this.#reached("programs.delete", code), isLocked ? "done" : "programs.lock_required");
    if (!isLocked) return;
    const stacks = await this.#node.engine.read((state) => this.#stacks(program, state));
    assert.deepEqual(stacks.flat(2), []);
    assert.equal(await agent.code("programs.undo", { mutation: 1, expected_hashes: {} }), "programs.not_found");
    assert.equal(await agent.code("programs.create", { name: "again" }), "programs.name_taken");
    this.#models.delete(program);
    const next = `q${String(Number(program.slice(1)) + 1)}`;
    this.#models.set(next, new UndoModel(retries));
    await this.#create(next);
  }

  /** Mostly the newest change of the agent; sometimes an older one, or one of another agent. */
  async #restore(program: string, agent: string, side: Side): Promise<void> {
    const random = this.#random;
    const model = this.#model(program);
    const all = [...model.stacks.values()].flatMap((stacks) => [...stacks.undo, ...stacks.redo]);
    const own = model.stackOf(agent, side).at(-1);
    const named = random.chance(0.1) && all.length > 0 ? random.pick(all) : (own ?? all.at(-1));
    const mutation = named?.position ?? 1;
    const touched = (own?.changes ?? []).filter(({ after }) => after !== null).map(({ id }) => id);
    const expected = this.#known.expected(random, model, touched);
    const command = {
      operation: `programs.${side}`,
      input: { mutation, expected_hashes: this.#known.hashesOf(expected) },
    };
    const writes = model.restored(agent, side, mutation);
    if (typeof writes === "string") {
      const code = await this.#as(program, agent).code(command.operation, command.input);
      assert.equal(this.#reached(command.operation, code), writes);
      return;
    }
    await this.#lockFor(program, { agent, writes, expected });
    await this.#decide(program, { agent, writes, expected, what: side }, command);
  }

  /** Sends a command, compares the code of its answer with the model, and repeats it if it has a key. */
  async #decide(
    program: string,
    request: ModelRequest,
    { operation, input }: { readonly operation: string; readonly input: JsonObject },
  ): Promise<void> {
    const model = this.#model(program);
    const agent = this.#as(program, request.agent);
    const key = this.#random.chance(0.15) ? `key-${String((this.#keys += 1))}` : undefined;
    const whole = { ...input, ...(this.#random.chance(0.2) && { release: true }) };
    const code = model.codeOf(request, this.#locks.of(program));
    const reply = await agent.send(operation, whole, key);
    const shown = `${operation} ${JSON.stringify(whole)}: ${JSON.stringify(reply.outcome)}`;
    assert.equal(this.#reached(operation, codeOf(reply)), code, shown);
    if (key !== undefined) assert.deepEqual((await agent.send(operation, whole, key)).outcome, reply.outcome);
    if (code === "programs.hash_conflict") model.countConflict(request);
    if (reply.outcome.kind !== "done") return;
    const {
      position,
      changed,
      released = [],
    } = reply.outcome.data as {
      readonly position: number;
      readonly changed: boolean;
      readonly released?: readonly string[];
    };
    assert.equal(changed, model.isChange(request), shown);
    this.#locks.remove(request.agent, released);
    if (changed) model.accept(request, position);
  }

  #reached(operation: string, code: string): string {
    this.codes.add(`${operation} ${code}`.replaceAll("programs.", ""));
    return code;
  }

  /** An entry that a stack needs is never erased. Other entries may be. */
  async #erase(program: string, agent: string): Promise<void> {
    const random = this.#random;
    const model = this.#model(program);
    const { items } = await this.#as(program, agent).done("programs.list-mutations", { limit: 200 });
    const positions = (items as { readonly position: number }[]).map(({ position }) => position);
    const free = positions.filter((position) => !model.isStacked(position));
    const position = random.pick(free.length > 0 && random.chance(0.8) ? free.slice(-10) : positions);
    const reply = await this.#node.client.execute("erase-payload", { position, reason: "asked for" });
    const code = this.#reached("erase-payload", codeOf(reply));
    if (model.isStacked(position)) assert.equal(code, "entry_in_use");
    else assert.ok(code === "done" || code === "entry_in_use", code);
  }

  /** Compares all texts and all stacks. */
  async #compare(program: string): Promise<void> {
    const model = this.#model(program);
    const reader = this.#as(program, this.#agents[0]?.id ?? "");
    const { items } = await reader.done("programs.list-functions", { view: "text" });
    const shown = items as { readonly function_id: string; readonly text: string; readonly hash: string }[];
    assert.deepEqual(
      new Map(shown.map(({ function_id: id, text }) => [id, text])),
      new Map([...model.functions.keys()].map((id) => [id, model.textOf(id)])),
    );
    for (const { function_id: id, hash } of shown)
      this.#known.learn(id, model.functions.get(id) as ModelFunction, hash);
    const stacks = await this.#node.engine.read((state) => this.#stacks(program, state));
    const sides = ["undo", "redo"] as const;
    const expected = this.#agents.map(({ id }) => sides.map((side) => this.#known.hashedRows(model.stackOf(id, side))));
    assert.deepEqual(stacks, expected);
    for (const [index, { id }] of this.#agents.entries()) {
      const { undo, redo, undo_count, redo_count } = await this.#as(program, id).done("programs.get-undo");
      const newest = [undo, redo].map((row) => (row as JsonObject | null)?.["mutation"]);
      assert.deepEqual(
        newest,
        expected[index]?.map(([row]) => row?.position),
      );
      assert.deepEqual(
        [undo_count, redo_count],
        expected[index]?.map((rows) => rows.length),
      );
    }
  }

  #stacks(programId: string, state: StateReader) {
    const rows = (agent: string, side: Side) =>
      stackOf(state, { agent, programId, side }).map(({ position, items }) => ({
        position,
        items: items.map(({ item, before, after }) => [item, before, after]).sort(),
      }));
    return this.#agents.map(({ id }) => [rows(id, "undo"), rows(id, "redo")]);
  }
}

/** A call by id means the same function after a rename. */
function added(id: string, { name, body }: ModelFunction): StepInput {
  const ensures = id === "g" ? "ensures result > 0 " : "";
  const called = body.replaceAll(/\{(\w+)\}/gu, "@$1()");
  const text = `pub fn ${name}() -> i64 ${ensures}{ ${called} }`;
  return { type: "add_function", function_id: id, text };
}
