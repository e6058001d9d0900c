import type { PlantedMutant } from "./planted-mutant.ts";

export const packMutants: readonly PlantedMutant[] = [
  {
    name: "a read uses its state after it waited",
    file: "server/src/app/reads/momentary-state.ts",
    find: "moment.isOver = true;",
    put: "moment.isOver = false;",
    by: "test/api/momentary-state.test.ts",
    caughtIn: "npm test",
  },
  {
    name: "an explanation shows changes after the recorded position",
    file: "server/src/app/calls/explanations/version-conflict.ts",
    find: "{ from: expected, to: Infinity, before: position }",
    put: "{ from: expected, to: Infinity, before: Infinity * position }",
    by: "test/api/conflicts.test.ts",
    caughtIn: "npm test",
  },
];
