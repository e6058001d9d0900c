import type { PlantedMutant } from "./planted-mutant.ts";

const machine = "server/src/machine";
const entities = "server/src/features/entities";

export const machineMutants: readonly PlantedMutant[] = [
  {
    name: "another request under a used key gets the first answer",
    file: `${machine}/idempotency.ts`,
    find: "if (!sameJson(prior.input, command.input)) {",
    put: "if (!sameJson(prior.input, prior.input)) {",
    by: "test/machine/machine.test.ts",
  },
  {
    name: "a key works after its time",
    file: `${machine}/idempotency.ts`,
    find: "if (time - prior.time > windowMs) {",
    put: "if (time - prior.time > windowMs * 1_000) {",
    by: "test/machine/machine.test.ts",
  },
  {
    name: "a key belongs to everybody",
    file: `${machine}/entry.ts`,
    find: "if (last.principal !== principal || last.operation !== operation) {",
    put: "if (last.operation !== operation) {",
    by: "test/planning/rights.test.ts",
  },
  {
    name: "a refusal under a key is not recorded",
    file: `${machine}/machine.ts`,
    find: "const isRecorded = events.length > 0 || isKept || decision.isAudited === true;",
    put: "const isRecorded = events.length > 0 || (isKept && false) || decision.isAudited === true;",
    by: "simulation",
  },
  {
    name: "a rule that throws takes its neighbours with it",
    file: `${machine}/machine.ts`,
    find: "      this.#state.undo.undoTo(mark);",
    put: "      this.#state.undo.undoTo(0 * mark);",
    by: "test/machine/machine.test.ts",
  },
  {
    name: "entries of unknown rules are folded all the same",
    file: `${machine}/machine.ts`,
    find: "if (!this.knowsRules(entry.rules)) {",
    put: "if (!this.knowsRules(1)) {",
    by: "test/machine/machine.test.ts",
  },
  {
    name: "undo forgets the oldest value",
    file: `${machine}/undo-list.ts`,
    find: "for (let index = this.#notes.length - 1; index >= mark; index -= 1) {",
    put: "for (let index = this.#notes.length - 1; index > mark; index -= 1) {",
    by: "simulation",
  },
  {
    name: "versions begin again after a delete",
    file: `${entities}/fold-entities.ts`,
    find: "version: (before?.version ?? 0) + 1,",
    put: "version: before?.value === undefined ? 1 : before.version + 1,",
    by: "simulation",
  },
  {
    name: "a revision of a lost epoch is good",
    file: `${entities}/conditions.ts`,
    find: "return expectation.epoch === undefined || row?.epoch === expectation.epoch;",
    put: "return true;",
    by: "test/engine/nodes.test.ts",
  },
  {
    name: "fields that changed count as unchanged",
    file: `${entities}/conditions.ts`,
    find: "if (changed.length === 0) return undefined;",
    put: "if (changed.length < 9) return undefined;",
    by: "test/api/conflicts.test.ts",
  },
  {
    name: "a journal forgets by which rules it began",
    file: "server/src/machine/machine.ts",
    find: "if (rules > 1) this.#options.begin?.keep(this.#state, rules);",
    put: "if (rules > 9) this.#options.begin?.keep(this.#state, rules);",
    by: "test/engine/first-rules.test.ts",
  },
];
