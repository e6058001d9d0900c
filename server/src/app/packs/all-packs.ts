import { planningRules } from "../../packs/planning/planning.ts";
import { filesPack } from "./files/files.ts";
import { intentsPack } from "./intents/intents.ts";
import { jobsPack } from "./jobs/jobs.ts";
import { programsPack } from "./programs/programs.ts";
import { resourcePack } from "./resource-pack.ts";
import type { ServerPack } from "./server-pack.ts";
import { workspacePack } from "./workspace/workspace.ts";

/** Every pack of the server but `files`. Add a new one here and to the contract's list. */
const packs: readonly ServerPack[] = [resourcePack(planningRules), intentsPack, programsPack, jobsPack, workspacePack];

/** The pack `files` asks the rules about targets of all others. */
export const allPacks: readonly ServerPack[] = [...packs, filesPack(packs.flatMap(({ targets = [] }) => targets))];
