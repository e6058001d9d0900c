import { workspacePackRules } from "../../../packs/workspace/workspace.ts";
import { resourcePack } from "../resource-pack.ts";
import type { ServerPack } from "../server-pack.ts";
import { getTile } from "./get-tile.ts";
import { listProjects } from "./list-projects.ts";
import { prepareProject } from "./prepare-project.ts";
import { readSketches } from "./read-sketches.ts";

const records = resourcePack(workspacePackRules);

export const workspacePack: ServerPack = {
  ...records,
  prepare: { "workspace.create-project": prepareProject },
  reads: {
    ...records.reads,
    "workspace.get-tile": getTile,
    "workspace.list-projects": listProjects,
    ...readSketches,
  },
};
