import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { showRequestedJob, watchJobDetails, watchJobOption } from "./show-requested-job.ts";
import type { RequestedJob } from "./show-requested-job.ts";

export const workspaceExportCommand: CliCommand = serverCommand({
  name: "workspace export",
  usage: "PROJECT MAP",
  positionalsMin: 2,
  positionalsMax: 2,
  summary: "publish the sketches of a map as GeoJSON in calibrated units",
  details: [
    "Requests an export, which is published as export/PROJECT/MAP/JOB. `holdfast files fetch` reads it.",
    ...watchJobDetails,
    "",
    "  holdfast workspace export p1 m1 --watch",
    "  holdfast files fetch export/p1/m1/ws-42 ./export",
  ],
  options: watchJobOption,
  operations: ["workspace.export-map", "jobs.get"],
  async execute(context) {
    const [project = "", map = ""] = context.positionals;
    const answer = (await context.run("workspace.export-map", { project, map })) as RequestedJob;
    const place = escapeControlChars(`${project}/${map}`);
    return showRequestedJob(
      context,
      answer,
      (job) => `When it is completed, fetch it: holdfast files fetch export/${place}/${job} FOLDER`,
    );
  },
});
