import { defined } from "../../sdk/src/base/defined.ts";
import type { Entry, Event } from "../../server/src/machine/entry.ts";
import type { Json, JsonObject } from "../../sdk/src/json/json.ts";
import type { Machine } from "../../server/src/machine/machine.ts";
import { machineOf } from "../../server/src/assembly/open.ts";

/** The outcome of a command: its data or the code of its refusal, and its events. */
export interface DecisionResult {
  readonly code: string;
  readonly data: JsonObject;
  readonly events: readonly Event[];
  /** Data of the reply that the entry does not hold. */
  readonly attachment?: JsonObject;
}

type Mode = "read" | "upgradeable" | "write";

/** A machine without an engine. It decides one command after the other at the time that the test sets. */
export class Decider {
  readonly machine: Machine;
  readonly entries: Entry[] = [];
  time = 1_000_000;

  constructor(machine: Machine = machineOf([])) {
    this.machine = machine;
  }

  decide(operation: string, input: Json, principal = "p", agent?: string, evidence?: Json): DecisionResult {
    const position = this.entries.length + 1;
    const speaker = agent === undefined ? { principal } : { principal, agent };
    const command = { id: `command-${position}`, operation, ...speaker, input, ...defined({ evidence }) };
    const place = { position, time: this.time, grace: false, prior: undefined };
    const { outcome, entry, defect, attachment = {} } = this.machine.decide(command, place);
    if (defect !== undefined) throw defect as Error;
    this.machine.settle();
    if (entry !== undefined) this.entries.push(entry);
    const code = outcome.kind === "refusal" ? outcome.code : "done";
    return { code, data: outcome.data, events: entry?.events ?? [], attachment };
  }

  /** The id of a new agent. */
  register(input: JsonObject = {}): string {
    return this.decide("register-agent", input).data["agent_id"] as string;
  }

  /** Paths with their modes after a colon. The default mode is `write`. */
  acquire(
    owner: string,
    paths: string,
    more: { readonly wait?: boolean; readonly ttlMs?: number } = {},
  ): DecisionResult {
    const wanted = paths.split(" ").map((item) => {
      const [path, mode = "write"] = item.split(":") as [string, Mode?];
      return { path, mode };
    });
    const { wait = false, ttlMs = 600_000 } = more;
    const ticket = wait ? { wait, ticket_seconds: 600 } : {};
    return this.decide("acquire-lock", { paths: wanted, owner_id: owner, ttl_seconds: ttlMs / 1_000, ...ticket });
  }

  wait(owner: string, paths: string): DecisionResult {
    return this.acquire(owner, paths, { wait: true });
  }

  release(owner: string, paths: string): DecisionResult {
    return this.decide("release-lock", { paths: paths.split(" "), owner_id: owner });
  }

  /** Advances the time and runs the commands that become due. */
  pass(ms: number): readonly Event[] {
    this.time += ms;
    const events: Event[] = [];
    for (;;) {
      const [first] = this.machine.due({ time: this.time, grace: false, limit: 1 });
      if (first === undefined) return events;
      events.push(...this.decide(first.operation, first.input, "holdfast").events);
    }
  }

  /** The owners with the paths they hold, such as `ann: a write, b read`. */
  holders(): readonly string[] {
    return this.#rows("lock-grants");
  }

  waiters(): readonly string[] {
    return this.#rows("lock-tickets");
  }

  #rows(name: string): readonly string[] {
    return [...this.machine.dump()]
      .filter(({ table }) => table === name)
      .map(({ row }) => row as { owner: string; paths: readonly { path: string; mode: string }[] })
      .map(({ owner, paths }) => `${owner}: ${paths.map(({ path, mode }) => `${path} ${mode}`).join(", ")}`)
      .sort();
  }
}

/** The type of each event with its owner and its reason, for comparison in a test. */
export function eventLines(events: readonly Event[]): readonly string[] {
  return events.map(({ type, data }) => {
    const { owner_id: owner, why } = data as { owner_id?: string; why?: string };
    return [type, owner, why].filter((word) => word !== undefined).join(" ");
  });
}
