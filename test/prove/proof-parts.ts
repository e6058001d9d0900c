/** The parts of `npm run prove`. Each can run alone, with its own counts by the script of the same name if there is one. */
import { countTable } from "./counts.ts";
import type { CountName } from "./counts.ts";

export interface ProofPart {
  readonly name: string;
  /** The counts that it repeats. */
  readonly counts: readonly CountName[];
  /** Arguments for Node, one list for each process. They run one after the other. */
  readonly commands: readonly (readonly string[])[];
}

/** Properties, models and races: test files that repeat more often than in `npm test`. */
const propertyFiles = [
  "test/api/watch-owner.test.ts",
  "test/conformance/memory.test.ts",
  "test/conformance/postgres.test.ts",
  "test/json/parse-json.test.ts",
  "test/json/read-json.test.ts",
  "test/conformance/sqlite-damage.test.ts",
  "test/conformance/sqlite.test.ts",
  "test/http/fuzz.test.ts",
  "test/http/streams.test.ts",
  "test/intents/invariants.test.ts",
  "test/jobs/cron.test.ts",
  "test/jobs/kill-worker.test.ts",
  "test/jobs/model.test.ts",
  "test/jobs/recover-worker.test.ts",
  "test/locks/model.test.ts",
  "test/machine/json-difference.test.ts",
  "test/machine/json-merge-size.test.ts",
  "test/machine/json-patch.test.ts",
  "test/mesh/race.test.ts",
  "test/nodes/race.test.ts",
  "test/planning/invariants.test.ts",
  "test/programs/conditions.test.ts",
  "test/programs/difference.test.ts",
  "test/programs/hash.test.ts",
  "test/programs/races.test.ts",
  "test/programs/run.test.ts",
  "test/programs/scope.test.ts",
  "test/programs/text.test.ts",
  "test/programs/two-nodes.test.ts",
  "test/programs/undo-model.test.ts",
  "test/scenario/journal-damage.test.ts",
  "test/scenario/journal-erase.test.ts",
  "test/socket/protocol.test.ts",
];

/** Publishes and restores that crash, on a simulated disk and on a real one. */
const fileProofs = [
  ...["test/files/backup.test.ts", "test/files/crash.test.ts", "test/files/kill.test.ts"],
  ...["test/files/model.test.ts", "test/files/readers.test.ts"],
  ...["test/prove/storage.ts", "test/workers/restore.test.ts"],
];

const testing = ["--test", "--test-reporter=spec", "--test-concurrency=2"];

const histories = (deployment: string, count: CountName): readonly string[] => [
  "test/histories/run.ts",
  ...["--deployment", deployment, "--count", String(countTable[count].prove)],
];

export const proofParts: readonly ProofPart[] = [
  { name: "simulation", counts: ["simulationSeeds"], commands: [["test/simulation/run.ts"]] },
  { name: "mutants", counts: ["mutantsTried"], commands: [["test/mutants/run.ts", "--keep-page"]] },
  {
    name: "properties",
    counts: [
      ...(["httpRequests", "socketFrames", "lockModelRuns", "deadlockModelRuns", "planningRuns"] as const),
      ...(["nodeRaces", "meshRaces", "watchedWrites", "jsonRuns", "journalLines", "journalDamages"] as const),
      ...(["journalBatches", "checkpointSaves", "erasureOrders", "streamedMegabytes", "jobCommands"] as const),
      ...(["cronExpressions", "blockedBeats", "jobRecoveries"] as const),
      ...(["programRuns", "programSkews", "programRaces", "intentRuns", "intentFolds"] as const),
    ],
    commands: [[...testing, ...propertyFiles]],
  },
  {
    name: "fuzz",
    counts: ["canonicalFuzz", "pathFuzz", "cliFuzz", "fileFuzz", "programFuzz", "socketFuzz", "httpFuzz"],
    commands: [["test/fuzz/run.ts"]],
  },
  { name: "install", counts: ["reinstallations"], commands: [[...testing, "test/prove/fresh-clone.ts"]] },
  {
    name: "kills",
    counts: ["killRuns", "auditFileKills"],
    commands: [[...testing, "test/scenario/kill.test.ts", "test/observe/audit-file-kill.test.ts"]],
  },
  {
    name: "runners",
    counts: ["runnerKills", "answerKills"],
    commands: [[...testing, "test/intents/kill-runner.test.ts", "test/intents/kill-before-answer.test.ts"]],
  },
  {
    name: "files",
    counts: ["fileCommands", "readPublishes", "crashStates", "publishKills", "restoreKills", "workerKills"],
    commands: [[...testing, ...fileProofs]],
  },
  { name: "faults", counts: ["faultCycles"], commands: [["test/nodes/faults/run.ts"]] },
  {
    name: "histories",
    counts: ["oneServerHistories", "threeNodeHistories"],
    commands: [histories("one", "oneServerHistories"), histories("three", "threeNodeHistories")],
  },
];

/** Wall seconds on the reference host, with two cores and nothing else to do. */
export function expectedSeconds({ counts }: ProofPart): number {
  return counts.reduce((sum, name) => sum + countTable[name].prove * (countTable[name].secondsEach ?? 0), 0);
}

/** Each count in words. */
export function countTexts({ counts }: ProofPart): readonly string[] {
  return counts.map((name) => `${countTable[name].prove.toLocaleString("en")} ${countTable[name].unit}`);
}
