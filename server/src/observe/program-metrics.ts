import type { Registry } from "prom-client";
import { CounterFamily } from "./counter-family.ts";

const changes = ["mutate", "undo", "redo", "import"] as const;

interface CountedRecord {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Counts the accepted changes of programs and their conflicts. No label contains a name of the user. */
export class ProgramMetrics {
  readonly #mutations: CounterFamily<"what">;
  readonly #conflicts: CounterFamily;

  constructor(registry: Registry) {
    this.#mutations = new CounterFamily(registry, {
      name: "holdfast_program_mutations_total",
      help: "Accepted changes of programs: mutate, undo, redo or import.",
      labels: ["what"],
    });
    this.#conflicts = new CounterFamily(registry, {
      name: "holdfast_program_hash_conflicts_total",
      help: "Mutations of programs that were refused because an item changed after it was read.",
      labels: [],
    });
    // Each series exists at zero from the start: rate() cannot see a step from a missing series to one.
    for (const what of changes) this.#mutations.series({ what });
    this.#conflicts.series({});
  }

  record({ type, data }: CountedRecord): void {
    const what = type === "program.mutated" ? changes.find((each) => each === data["what"]) : undefined;
    if (what !== undefined) this.#mutations.series({ what }).count += 1;
    // Only the first conflict of a mutation has the set.
    if (type === "program.hash_conflict" && data["set"] !== undefined) this.#conflicts.series({}).count += 1;
  }
}
