import type { JsonObject } from "../../sdk/src/json/json.ts";
import { ownProjects } from "../../server/src/packs/workspace/own-projects.ts";
import { workspacePackRules } from "../../server/src/packs/workspace/workspace.ts";
import { Decider } from "../locks/decider.ts";
import type { DecisionResult } from "../locks/decider.ts";

interface Caller {
  readonly principal?: string;
  readonly agent?: string;
}

/** A machine that decides commands and reads of the workspace at the time that the test sets. */
export class WorkspaceDecider extends Decider {
  #isTrial = false;

  override decide(operation: string, input: JsonObject, principal = "ann", agent?: string): DecisionResult {
    if (!this.#isTrial) return super.decide(operation, input, principal, agent);
    const position = this.entries.length + 1;
    const speaker = agent === undefined ? { principal } : { principal, agent };
    const command = { id: `trial-${String(position)}`, operation, ...speaker, input };
    const place = { position, time: this.time, grace: false, prior: undefined };
    const { outcome, entry, defect } = this.machine.decide(command, place);
    if (defect !== undefined) throw defect as Error;
    if (entry !== undefined) this.entries.push(entry);
    const code = outcome.kind === "refusal" ? outcome.code : "done";
    return { code, data: outcome.data, events: entry?.events ?? [] };
  }

  /** Runs commands and rolls all of them back, so that many cases share one world. */
  trial<Result>(run: () => Result): Result {
    const { length } = this.entries;
    const { time } = this;
    this.#isTrial = true;
    try {
      return run();
    } finally {
      this.#isTrial = false;
      this.machine.undo();
      this.entries.length = length;
      this.time = time;
    }
  }

  /** A write of the pack. The principal is `ann` unless the caller says otherwise. */
  write(name: string, input: JsonObject, { principal = "ann", agent }: Caller = {}): DecisionResult {
    return this.decide(`workspace.${name}`, input, principal, agent);
  }

  /** A write that must be done. */
  done(name: string, input: JsonObject, caller?: Caller): DecisionResult {
    const result = this.write(name, input, caller);
    if (result.code !== "done") throw new Error(`${name}: ${result.code} ${JSON.stringify(result.data)}`);
    return result;
  }

  read(name: string, input: JsonObject, { principal = "ann", agent }: Caller = {}): DecisionResult {
    const read = workspacePackRules.reads?.[`workspace.${name}`];
    if (read === undefined) throw new Error(`no read ${name}`);
    const { fence } = input as { readonly fence?: string };
    const at = { state: this.machine.durable, time: this.time, grace: false };
    const outcome = read.run(input as never, { ...at, principal, agent, fence });
    return { code: outcome.kind === "refusal" ? outcome.code : "done", data: outcome.data, events: [] };
  }

  /** The projects that a principal is shown. */
  projectsOf(principal: string): readonly JsonObject[] {
    const range = { after: undefined, rows: 1_000 };
    return ownProjects(this.machine.durable, principal, range).shown.map(({ item }) => item);
  }

  /** Acquires locks for an agent of `ann`. Returns the fence. */
  lock(agent: string, locks: readonly JsonObject[]): string {
    const result = this.decide("acquire-lock", { paths: locks }, "ann", agent);
    if (result.code !== "done") throw new Error(`${result.code} ${JSON.stringify(result.data)}`);
    return result.data["fence"] as string;
  }

  unlock(agent: string, fence: string): void {
    const result = this.decide("release-lock", { fence }, "ann", agent);
    if (result.code !== "done") throw new Error(`${result.code} ${JSON.stringify(result.data)}`);
  }

  agent(principal = "ann"): string {
    const result = this.decide("register-agent", {}, principal);
    return result.data["agent_id"] as string;
  }

  /** Every row of the state except those of agents and locks. */
  records(): string {
    const rows = [...this.machine.dump()].filter(({ table }) => /^(?:entities|workspace|job|file)/u.test(table));
    return JSON.stringify(rows);
  }
}

export const take = { lock: "take" } as const;

/** A point that an object can be. */
export const point = { shape: "point", points: [3, 4] } as const;

/** Puts of objects with the ids `<prefix>1` to `<prefix>n`. */
export function puts(count: number, prefix = "n", more: JsonObject = {}): readonly JsonObject[] {
  return Array.from({ length: count }, (_, index) => {
    return { op: "put", object: `${prefix}${String(index + 1)}`, value: point, ...more };
  });
}

/** Two maps with two sketches each; the sketch `s1` of `m1` has 1,001 objects, `o1` to `o1001`. */
export function smallWorkspace(): WorkspaceDecider {
  const decider = new WorkspaceDecider();
  decider.done("create-project", { project: "p1", name: "Main building", ...take });
  decider.done("create-template", { template: "floor", name: "A floor", maps: [{ map: "plan", name: "Plan" }] });
  for (const map of ["m1", "m2"]) {
    decider.done("create-map", { project: "p1", map, name: map, ...take });
    for (const sketch of ["s1", "s2"])
      decider.done("create-sketch", { project: "p1", map, sketch, name: sketch, ...take });
  }
  const inSketch = { project: "p1", map: "m1", sketch: "s1", ...take };
  const all = puts(1_001, "o");
  decider.done("change-objects", { ...inSketch, changes: all.slice(0, 600) });
  decider.done("change-objects", { ...inSketch, changes: all.slice(600) });
  return decider;
}
