import type { PlantedMutant } from "./planted-mutant.ts";

const engine = "server/src/engine";

export const engineMutants: readonly PlantedMutant[] = [
  {
    name: "time follows the wall clock",
    file: `${engine}/engine-clock.ts`,
    find: "const time = Math.floor(this.#base + this.#clock.monotonicMs());",
    put: "const time = Math.floor(this.#clock.wallMs() + 0 * this.#base);",
    by: "simulation",
  },
  {
    name: "time does not follow what others wrote",
    file: `${engine}/engine-clock.ts`,
    find: "if (time <= now) return;",
    put: "if (time <= now + 1e12) return;",
    by: "simulation",
  },
  {
    name: "two uses of one key meet in a batch",
    file: `${engine}/batch.ts`,
    find: "if (scope !== undefined && scopes.has(scope)) {",
    put: "if (scope === one.command.id) {",
    by: "simulation",
  },
  {
    name: "expiries come before the renewals of their batch",
    file: `${engine}/writer.ts`,
    find: "due.length === 0 ? batch : [...batch, ...due]",
    put: "due.length === 0 ? batch : [...due, ...batch]",
    by: "simulation",
  },
  {
    name: "a subscriber goes on one entry too late",
    file: `${engine}/subscription.ts`,
    find: "this.#position = last.position;",
    put: "this.#position = last.position + 1;",
    by: "simulation",
  },
  {
    name: "a subscriber is told what this node has not folded",
    file: `${engine}/subscription.ts`,
    find: "return read.filter((entry) => entry.position <= head);",
    put: "return read.filter((entry) => entry.position <= head + 1_000_000);",
    by: "simulation",
  },
  {
    name: "a key that was used elsewhere is looked for among recent entries by its position alone",
    file: `${engine}/find-priors.ts`,
    find: "if (recent === undefined || keyScope(recent) !== scope) distant.push({ scope, position });",
    put: "if (recent === undefined) distant.push({ scope, position });",
    by: "test/engine/find-priors.test.ts",
  },
  {
    name: "deleted rows stay in checkpoints",
    file: `${engine}/checkpointer.ts`,
    find: "this.#unsaved.set(`${table}\\n${key}`, { row: { table, key, line }, position });",
    put: "if (line !== undefined) this.#unsaved.set(`${table}\\n${key}`, { row: { table, key, line }, position });",
    by: "test/engine/checkpoints.test.ts",
  },
  {
    name: "a state that differs from the recorded hash is good enough",
    file: `${engine}/hash-ledger.ts`,
    find: "if (own === undefined || recorded === undefined || own === recorded) return;",
    put: "if (own !== undefined || recorded !== undefined || own === recorded) return;",
    by: "test/engine/checkpoints.test.ts",
  },
  {
    name: "a node that lost its history keeps the epoch",
    file: `${engine}/follower.ts`,
    find: "first.push({ command: this.#lossCommand, done: () => undefined });",
    put: "",
    by: "simulation",
  },
  {
    name: "what is erased stays among the newest entries",
    file: `${engine}/replica.ts`,
    find: "if (erased !== undefined) this.recent.put(this.withoutErased(erased));",
    put: "if (erased === entry) this.recent.put(this.withoutErased(erased));",
    by: "test/engine/erasures.test.ts",
  },
  {
    name: "one entry that can't be read fails everybody in the batch",
    file: `${engine}/find-priors.ts`,
    find: 'if (error.code === "archived" || error.code === "damaged") return error;',
    put: 'if (error.code === "archived" && error.code !== error.code) return error;',
    by: "test/engine/unreadable-keys.test.ts",
  },
];
