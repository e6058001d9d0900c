import type { PlantedMutant } from "./planted-mutant.ts";

const runs = { by: "test/intents/runs.test.ts", caughtIn: "npm test" } as const;
const decisions = { by: "test/intents/decisions.test.ts", caughtIn: "npm test" } as const;
const advance = "server/src/packs/intents/advance.ts";

export const intentMutants: readonly PlantedMutant[] = [
  {
    name: "a step of a run is accepted without a live fence",
    file: advance,
    find: 'if (!holdsLock(context, path, { mode: "write", scope: "self", fence }))',
    put: 'if (!holdsLock(context, path, { mode: "write", scope: "self", fence }) && fence === "")',
    ...runs,
  },
  {
    name: "a step is accepted under a live fence that is not that of its run",
    file: advance,
    find: "if (run.fence !== fence)",
    put: 'if (fence === "" && run.fence !== fence)',
    ...runs,
  },
  {
    name: "a step is accepted out of its order",
    file: advance,
    find: "if (run.current === step) return undefined;",
    put: 'if (run.current === step || step !== "") return undefined;',
    ...runs,
  },
  {
    name: "the result of a step and the begin of the next one are not one entry",
    file: advance,
    find: "const following = nextStep(context, { row, value: completed.next }, input.pause);",
    put: "const following = { next: completed.next, records: [] as const, nextStep };",
    ...runs,
  },
  {
    name: "a run is not marked when its lock ends",
    file: "server/src/packs/intents/intents.ts",
    find: "reactions: interruptRun,",
    put: "reactions: interruptRun === undefined ? interruptRun : {},",
    ...runs,
  },
  {
    name: "a run is marked after its lock was handed over",
    file: "server/src/packs/intents/interrupt-run.ts",
    find: "  Object.keys(endings).map((type) => [type, interrupt]),",
    put: `  [
    ...Object.keys(endings).map((type) => [type, (event, context) => (event.data.contended ? [] : interrupt(event, context))]),
    ["lock.acquired", (_event, context) => context.events.flatMap((ended) => interrupt(ended, context))],
  ],`,
    ...runs,
  },
  {
    name: "a run is not marked when a job adopts its lock",
    file: "server/src/packs/intents/interrupt-run.ts",
    find: '  "lock.adopted": {',
    put: '  "lock.unknown": {',
    ...runs,
  },
  {
    name: "the crash of an owner of a step is not counted",
    file: "server/src/packs/intents/run.ts",
    find: '(left === "expired" && before?.state === "started" ? 1 : 0)',
    put: '(left === "never" && before?.state === "started" ? 1 : 0)',
    ...runs,
  },
  {
    name: "the release of a run counts as a crash",
    file: "server/src/packs/intents/run.ts",
    find: 'left === "expired" && before?.state',
    put: 'left !== "never" && before?.state',
    ...runs,
  },
  {
    name: "a resumed step keeps the crashes by which it failed",
    file: "server/src/packs/intents/run.ts",
    find: "const earlier = resets ? 0 :",
    put: "const earlier = resets && before === undefined ? 0 :",
    ...runs,
  },
  {
    name: "the id of a correction does not contain the intent",
    file: "server/src/app/packs/intents/prepare-correction.ts",
    find: '["holdfast correction 1", id, canonicalText(patch)]',
    put: '["holdfast correction 1", id.slice(id.length), canonicalText(patch)]',
    ...decisions,
  },
  {
    name: "a known correction is answered with the time of the last request",
    file: "server/src/packs/intents/reevaluate.ts",
    find: "knownCorrection(found, input, known.time)",
    put: "knownCorrection(found, input, context.time)",
    ...decisions,
  },
  {
    name: "an optimistic write passes the lock of another owner",
    file: "server/src/packs/intents/guard-intent.ts",
    find: 'if (strategy === "none") return undefined;',
    put: 'if (strategy !== "pessimistic") return undefined;',
    ...decisions,
  },
  {
    name: "a pessimistic write overtakes a queued ticket",
    file: "server/src/packs/intents/guard-intent.ts",
    find: 'strategy === "pessimistic" ? "queue" : "holders"',
    put: 'strategy === "none" ? "queue" : "holders"',
    ...decisions,
  },
  {
    name: "a new run is merged into the last one",
    file: "server/src/packs/intents/run.ts",
    find: "const number = found.value.run_count + 1;",
    put: "const number = Math.max(1, found.value.run_count);",
    by: "test/intents/pipelines.test.ts",
    caughtIn: "npm test",
  },
  {
    name: "an ended intent stays in the state",
    file: "server/src/packs/intents/intents.ts",
    find: "timers: [retirementTimer],",
    put: "timers: [retirementTimer].slice(1),",
    by: "test/intents/retention.test.ts",
    caughtIn: "npm test",
  },
  {
    name: "the id of a retired intent is used again",
    file: "server/src/packs/intents/create.ts",
    find: 'return evidence.retired ? refused("intents.retired", { intent_id: id }) : undefined;',
    put: 'return evidence.position < 0 ? refused("intents.retired", { intent_id: id }) : undefined;',
    by: "test/intents/retention.test.ts",
    caughtIn: "npm test",
  },
];
