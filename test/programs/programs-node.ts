/** A node with programs: an engine in memory, and the check on the thread of the test or in a real thread. */
import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import type { CallReply } from "holdfast";
import { allChecks } from "../../server/src/app/app-services.ts";
import type { AppServices } from "../../server/src/app/app-services.ts";
import { programsWork } from "../../server/src/app/packs/programs/programs-worker.ts";
import { clientOf, servicesOf, startEngine } from "../../server/src/assembly/open.ts";
import { systemClock } from "../../server/src/base/clock.ts";
import { ThreadedCheckRunner } from "../../server/src/checks/check-runner.ts";
import { openCheckThread } from "../../server/src/checks/check-thread.ts";
import { openInlineRunner } from "../../server/src/checks/inline-runner.ts";
import type { Engine } from "../../server/src/engine/engine.ts";
import type { Journal } from "../../server/src/journal/journal.ts";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import type { Client } from "holdfast";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { HeldChecks } from "../ground/checked-node.ts";
import { hash } from "./program-fixture.ts";

export interface ProgramsNode extends AsyncDisposable {
  readonly engine: Engine;
  readonly services: AppServices;
  readonly client: Client;
  /** The rounds of checking of each decided mutation. */
  readonly rounds: number[];
  readonly hold: HeldChecks;
  readonly agent: (name: string) => Promise<ProgramAgent>;
}

type Clock = typeof systemClock;

export async function programsNode(
  options: { readonly where?: "thread" | "inline"; readonly clock?: Clock; readonly journal?: Journal } = {},
): Promise<ProgramsNode> {
  const { where = "inline", clock = systemClock, journal = openMemoryJournal(createMemoryDisk()) } = options;
  const report = (): void => undefined;
  const engine = await startEngine({ journal, report, clock });
  const rounds: number[] = [];
  const inline = openInlineRunner({ clock, open: () => programsWork(hash) });
  const hold = new HeldChecks(where === "thread" ? openCheckThread : inline);
  const checks = new ThreadedCheckRunner({
    checks: allChecks([]),
    source: engine,
    clock,
    openPort: hold.open,
    observer: { onCheck: () => undefined, onRounds: (_check, count) => rounds.push(count) },
    report,
  });
  const services = servicesOf(engine, { checks, clock });
  const client = clientOf(services, { client: { retry: false } });
  return {
    ...{ engine, services, client, rounds, hold },
    async agent(name) {
      const registered = await client.execute("register-agent", { name });
      const { agent_id, secret } = registered.outcome.data as { readonly agent_id: string; readonly secret: string };
      return new ProgramAgent(client.as({ agentId: agent_id, secret }), agent_id, "ledger", secret);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

export interface StepInput extends Readonly<Record<string, unknown>> {
  readonly type: string;
}

/** An agent that edits one program. */
export class ProgramAgent {
  readonly #client: Pick<Client, "execute">;
  readonly id: string;
  readonly program: string;
  readonly secret: string;

  constructor(client: Pick<Client, "execute">, id: string, program: string, secret = "") {
    this.secret = secret;
    this.#client = client;
    this.id = id;
    this.program = program;
  }

  async send(operation: string, input: JsonObject = {}, key?: string): Promise<CallReply> {
    const named = operation.startsWith("programs.") ? { program_id: this.program, ...input } : input;
    return this.#client.execute(operation, named, defined({ key }));
  }

  /** The data of a call that must succeed. */
  async done(operation: string, input: JsonObject = {}): Promise<JsonObject> {
    const { outcome } = await this.send(operation, input);
    assert.equal(outcome.kind, "done", JSON.stringify(outcome, null, 1));
    return outcome.data as JsonObject;
  }

  /** The code of a refused call, or `done`. */
  async code(operation: string, input: JsonObject = {}): Promise<string> {
    const { outcome } = await this.send(operation, input);
    return outcome.kind === "refusal" ? outcome.code : "done";
  }

  async lock(functions: readonly string[], mode = "write"): Promise<string> {
    const paths = functions.map((id) => `program/${this.program}/function/${id}`);
    return (await this.done("acquire-lock", { paths, mode }))["fence"] as string;
  }

  async release(...functions: readonly string[]): Promise<void> {
    await this.done("release-lock", { paths: functions.map((id) => `program/${this.program}/function/${id}`) });
  }

  async hash(id: string): Promise<string> {
    return (await this.done("programs.get-function", { function_id: id }))["hash"] as string;
  }

  async text(id: string): Promise<string> {
    return (await this.done("programs.get-function", { function_id: id }))["text"] as string;
  }

  /** The hashes of functions, for a mutation. */
  async hashes(...ids: readonly string[]): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const id of ids) found[id] = await this.hash(id);
    return found;
  }

  mutate(mutations: readonly StepInput[], expected_hashes: JsonObject = {}, more: JsonObject = {}): Promise<CallReply> {
    return this.send("programs.mutate", { mutations: mutations as never, expected_hashes, ...more });
  }

  /** Adds functions with the ids f1, f2 and so on. */
  async add(...texts: readonly string[]): Promise<JsonObject> {
    return this.done("programs.mutate", {
      mutations: texts.map((text) => ({ type: text.startsWith("struct") ? "add_type" : "add_function", text })),
      expected_hashes: {},
    });
  }

  /** Replaces the text of functions with the hashes that are current when it is called. */
  async set(texts: Readonly<Record<string, string>>, more: JsonObject = {}): Promise<CallReply> {
    const ids = Object.keys(texts);
    const steps = ids.map((id) => ({ type: "set_function", function_id: id, text: texts[id] ?? "" }));
    return this.mutate(steps, await this.hashes(...ids), more);
  }
}

export function codeOf({ outcome }: Pick<CallReply, "outcome">): string {
  return outcome.kind === "refusal" ? outcome.code : "done";
}

/** A node with the program `ledger` and one agent. */
export async function ledger(
  texts: readonly string[],
  options: Parameters<typeof programsNode>[0] = {},
): Promise<{ readonly node: ProgramsNode; readonly ann: ProgramAgent }> {
  const node = await programsNode(options);
  const ann = await node.agent("ann");
  await ann.done("programs.create", { name: "Ledger" });
  if (texts.length > 0) await ann.add(...texts);
  return { node, ann };
}
