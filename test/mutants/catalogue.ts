/** Every bug that is planted, by the part of the product that it is in. */
import { checkMutants } from "./check-mutants.ts";
import { clientMutants } from "./client-mutants.ts";
import { doorMutants } from "./door-mutants.ts";
import { engineMutants } from "./engine-mutants.ts";
import { fileMutants } from "./file-mutants.ts";
import { intentMutants } from "./intent-mutants.ts";
import { jobMutants } from "./job-mutants.ts";
import { jobWorkerMutants } from "./job-worker-mutants.ts";
import { journalMutants } from "./journal-mutants.ts";
import { lockMutants } from "./lock-mutants.ts";
import { machineMutants } from "./machine-mutants.ts";
import { packMutants } from "./pack-mutants.ts";
import { programMutants } from "./program-mutants.ts";
import type { PlantedMutant } from "./planted-mutant.ts";
import { publishMutants } from "./publish-mutants.ts";
import { withdrawalMutants } from "./withdrawal-mutants.ts";
import { workspaceMutants } from "./workspace-mutants.ts";

export const catalogue: Readonly<Record<string, readonly PlantedMutant[]>> = {
  "Machine and entities": machineMutants,
  Locks: lockMutants,
  Withdrawals: withdrawalMutants,
  Engine: engineMutants,
  Journals: journalMutants,
  "Files from elsewhere": fileMutants,
  "Access and doors": doorMutants,
  Checks: checkMutants,
  Packs: packMutants,
  Programs: programMutants,
  Intents: intentMutants,
  Jobs: [...jobMutants, ...jobWorkerMutants],
  "Published files": publishMutants,
  Workspace: workspaceMutants,
  Client: clientMutants,
};

export const allPlanted: readonly PlantedMutant[] = Object.values(catalogue).flat();

/** Those that `npm test` really plants. They are caught within seconds, two by seeds and two by a test file. */
export const plantedInTest: readonly string[] = [
  "a reply leaves before the append",
  "a tree is locked although another owner holds a path below it",
  "a key is valid after its window",
  "a heartbeat renews a lease although its reply came too late",
];
