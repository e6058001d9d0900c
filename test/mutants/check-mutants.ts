import type { PlantedMutant } from "./planted-mutant.ts";

export const checkMutants: readonly PlantedMutant[] = [
  {
    name: "evidence is part of what a reused key compares",
    file: "server/src/machine/replay.ts",
    find: "if (!sameJson(prior.input, command.input)) {",
    put: "if (!sameJson([prior.input, prior.evidence ?? null], [command.input, command.evidence ?? null])) {",
    by: "test/machine/machine.test.ts",
    caughtIn: "npm test",
  },
  {
    name: "a stale check is recorded",
    file: "server/src/features/entities/kind-check.ts",
    find: "return Object.entries(reads).every(([subject, version]) => currentVersion(rows.get(subject)) === version);",
    put: "return Object.entries(reads).every(([subject, version]) => currentVersion(rows.get(subject)) >= Number(version) - 9);",
    by: "test/ground/check-races.test.ts",
    caughtIn: "npm test",
  },
  {
    name: "the thread gets a new position without the rows of that moment",
    file: "server/src/checks/row-feed.ts",
    find: "this.#changed.set(check, subjects.add(subject));",
    put: "this.#changed.set(check, subjects);",
    by: "test/ground/check-races.test.ts",
    caughtIn: "npm test",
  },
  {
    name: "a known key runs its check again",
    file: "server/src/app/calls/gather-evidence.ts",
    find: "if (source.asksDecision !== true && (await engine.priorOf(scope)) !== undefined) {",
    put: "if (source.asksDecision !== true && (await engine.priorOf(scope)) === -1) {",
    by: "test/ground/gather-evidence.test.ts",
    caughtIn: "npm test",
  },
  {
    name: "long checks of one unit take turns and invalidate each other",
    file: "server/src/checks/check-work-loop.ts",
    find: "this.#long.set(job.unit, jobs);\n  }",
    put: "this.#long.set(job.unit, [...jobs.slice(1), job]);\n  }",
    by: "test/ground/check-order.test.ts",
    caughtIn: "npm test",
  },
];
