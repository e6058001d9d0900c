/**
 * How often each proof by repetition repeats: a small fixed part in `npm test`, all of it in `npm run prove`. Every such
 * count is in this table and nowhere else.
 *
 * `npm test` fails if its small part misses a fault kind, or a rare event of `test/simulation/rare-events.ts`.
 */
import { allPlanted, plantedInTest } from "../mutants/catalogue.ts";
import { testSeeds } from "./test-seeds.ts";

/** The command whose counts are in force. `npm run prove` sets it for the processes that it starts. */
export const repetition = process.env["HOLDFAST_REPETITION"] === "prove" ? "prove" : "test";

export interface RepetitionCount {
  readonly unit: string;
  readonly test: number;
  readonly prove: number;
  /** Wall seconds of one unit on the reference host of `tools/host-speed.ts`; none for the size of another unit. */
  readonly secondsEach?: number;
}

const table = {
  simulationSeeds: { unit: "seeds of the simulation", test: testSeeds.length, prove: 20_000, secondsEach: 0.019 },
  simulationSteps: { unit: "steps of a seed", test: 500, prove: 500 },
  mutantsTried: {
    unit: "planted mutants tried",
    test: plantedInTest.length,
    prove: allPlanted.length,
    secondsEach: 2.5,
  },
  mutantSeeds: { unit: "seeds until a mutant counts as missed", test: testSeeds.length, prove: 600 },
  killRuns: { unit: "data folders under kill -9", test: 1, prove: 12, secondsEach: 45 },
  killCycles: { unit: "kills of a data folder", test: 8, prove: 32 },
  auditFileKills: { unit: "kills of a server that writes its audit file", test: 3, prove: 50, secondsEach: 3 },
  runnerKills: { unit: "runners of intents under kill -9", test: 1, prove: 100, secondsEach: 3 },
  answerKills: { unit: "kills between a durable step and its answer", test: 2, prove: 45, secondsEach: 8 },
  faultCycles: { unit: "faults of three nodes", test: 7, prove: 200, secondsEach: 3.5 },
  oneServerHistories: { unit: "histories of one server", test: 1, prove: 25, secondsEach: 20 },
  threeNodeHistories: { unit: "histories of three nodes", test: 1, prove: 25, secondsEach: 35 },
  historyCalls: { unit: "calls of a history", test: 1_500, prove: 5_000 },
  canonicalFuzz: { unit: "fuzz rounds of canonical JSON", test: 6_000, prove: 500_000, secondsEach: 0.00012 },
  pathFuzz: { unit: "fuzz rounds of paths and pointers", test: 10_000, prove: 500_000, secondsEach: 0.0001 },
  cliFuzz: { unit: "fuzz rounds of the command line", test: 1_500, prove: 50_000, secondsEach: 0.0013 },
  fileFuzz: { unit: "fuzz rounds of files", test: 600, prove: 60_000, secondsEach: 0.0015 },
  socketFuzz: { unit: "fuzz rounds of the socket", test: 120, prove: 5_000, secondsEach: 0.025 },
  httpFuzz: { unit: "fuzz rounds of HTTP, of 20 requests each", test: 0, prove: 5_000, secondsEach: 0.05 },
  httpRequests: { unit: "fuzzed requests of each HTTP route", test: 40, prove: 1_000, secondsEach: 0.11 },
  socketFrames: { unit: "wrong frames on the socket", test: 60, prove: 2_000, secondsEach: 0.01 },
  lockModelRuns: { unit: "command lists against the lock model", test: 120, prove: 1_200, secondsEach: 0.023 },
  deadlockModelRuns: { unit: "command lists against the deadlock model", test: 40, prove: 400, secondsEach: 0.05 },
  planningRuns: { unit: "command lists against the planning model", test: 60, prove: 600, secondsEach: 0.017 },
  nodeRaces: { unit: "races of writers on three nodes", test: 300, prove: 3_000, secondsEach: 0.016 },
  meshRaces: { unit: "races of agents on the mesh", test: 8, prove: 80, secondsEach: 0.25 },
  watchedWrites: { unit: "writes that a slow watcher follows", test: 1_500, prove: 15_000, secondsEach: 0.0013 },
  jsonRuns: { unit: "values of each JSON property", test: 500, prove: 20_000, secondsEach: 0.0015 },
  journalLines: { unit: "lines of a journal, read back", test: 2_000, prove: 20_000, secondsEach: 0.0001 },
  journalDamages: { unit: "damaged files", test: 200, prove: 4_000, secondsEach: 0.014 },
  journalBatches: { unit: "batches against the journal's model", test: 25, prove: 250, secondsEach: 0.06 },
  checkpointSaves: { unit: "checkpoints against the journal's model", test: 30, prove: 300, secondsEach: 0.05 },
  erasureOrders: { unit: "orders of erasing and archiving", test: 10, prove: 200, secondsEach: 0.15 },
  streamedMegabytes: { unit: "megabytes up and down one stream", test: 64, prove: 1_024, secondsEach: 0.02 },
  programRuns: { unit: "random programs of each language property", test: 25, prove: 1_000, secondsEach: 0.15 },
  programSkews: { unit: "seeds of two mutations that exclude each other", test: 20, prove: 1_000, secondsEach: 0.1 },
  programRaces: { unit: "seeds of races of two agents in a program", test: 6, prove: 300, secondsEach: 0.5 },
  undoRuns: { unit: "command lists against the model of undo", test: 8, prove: 1_000, secondsEach: 0.32 },
  programFuzz: { unit: "fuzz rounds of the texts of programs", test: 300, prove: 50_000, secondsEach: 0.002 },
  intentRuns: { unit: "command lists against the watch of intents", test: 60, prove: 5_000, secondsEach: 0.02 },
  intentFolds: { unit: "command lists whose journals are folded again", test: 6, prove: 200, secondsEach: 0.2 },
  jobCommands: { unit: "commands against the model of jobs", test: 2_000, prove: 20_000, secondsEach: 0.002 },
  cronExpressions: {
    unit: "cron expressions against a scan of every minute",
    test: 160,
    prove: 20_000,
    secondsEach: 0.003,
  },
  blockedBeats: { unit: "heartbeats of a worker whose loop is blocked", test: 1, prove: 7, secondsEach: 8 },
  jobRecoveries: { unit: "recoveries of the locks of real workers", test: 0, prove: 1, secondsEach: 75 },
  crashStates: { unit: "states of a disk after each crash of a publish", test: 200, prove: 5_000, secondsEach: 0.02 },
  fileCommands: { unit: "commands against the model of files", test: 5_000, prove: 50_000, secondsEach: 0.0008 },
  readPublishes: { unit: "publishes that readers follow", test: 12, prove: 2_000, secondsEach: 0.06 },
  restoreKills: { unit: "restores with files under kill -9", test: 2, prove: 20, secondsEach: 2 },
  workerKills: { unit: "restores of a project whose worker is killed", test: 1, prove: 20, secondsEach: 2 },
  publishKills: { unit: "publishers of files under kill -9", test: 3, prove: 100, secondsEach: 3 },
  reinstallations: { unit: "npm ci under a running server", test: 0, prove: 2 },
} satisfies Readonly<Record<string, RepetitionCount>>;

export type CountName = keyof typeof table;

export const countTable: Readonly<Record<CountName, RepetitionCount>> = table;

/** The counts in force. */
export const counts = Object.fromEntries(
  Object.entries(countTable).map(([name, count]) => [name, count[repetition]]),
) as Readonly<Record<CountName, number>>;
