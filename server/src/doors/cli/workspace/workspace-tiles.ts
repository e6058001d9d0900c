import { defined } from "@holdfast/sdk/base/defined";
import { numberOption } from "../args/option-values.ts";
import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { showRequestedJob, watchJobDetails, watchJobOption } from "./show-requested-job.ts";
import type { RequestedJob } from "./show-requested-job.ts";

export const workspaceTilesCommand: CliCommand = serverCommand({
  name: "workspace tiles",
  usage: "PROJECT MAP",
  positionalsMin: 2,
  positionalsMax: 2,
  summary: "cut the floorplan of a map into tiles",
  details: [
    "Requests the tiles of every zoom level. Readers see the tiles before or all new ones. Sketches stay editable.",
    ...watchJobDetails,
    "",
    "  holdfast workspace tiles p1 m1 --watch",
    "  holdfast workspace tiles p1 m1 --tile-size 512",
  ],
  options: { "tile-size": { value: "PIXELS", summary: "the side of a tile (default: 256)" }, ...watchJobOption },
  operations: ["workspace.generate-tiles", "jobs.get"],
  async execute(context) {
    const [project = "", map = ""] = context.positionals;
    const input = defined({ project, map, tile_size: numberOption(context.values, "tile-size", 1) });
    return showRequestedJob(context, (await context.run("workspace.generate-tiles", input)) as RequestedJob);
  },
});
