import { files } from "./files/files.ts";
import { intents } from "./intents/intents.ts";
import { jobs } from "./jobs/jobs.ts";
import type { Pack } from "./pack.ts";
import { planning } from "./planning.ts";
import { programs } from "./programs/programs.ts";
import { workspace } from "./workspace/workspace.ts";

/** Every pack. Doors, documents and tests are built from this list. */
export const packs: readonly Pack[] = [planning, intents, programs, jobs, files, workspace];
