import { systemClock } from "../../../base/clock.ts";
import { numberOption } from "../args/option-values.ts";
import type { CliCommand } from "../command.ts";
import { limitDefault, moreItemsHint } from "../discovery/read-pages.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { jobNote } from "../job/job-line.ts";
import { AgentNames } from "../terminal/agent-names.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import type { Paint } from "../terminal/paint.ts";
import { table } from "../terminal/table.ts";
import { readProject } from "./read-project.ts";
import type { ShownProject } from "./read-project.ts";

export const workspaceProjectCommand: CliCommand = serverCommand({
  name: "workspace project",
  usage: "PROJECT",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "show a project: its roles, maps, sketches and unfinished jobs",
  details: [
    "Shows one project. Each request takes the read lock of the project for itself alone. If another owner blocks it, the",
    "command fails and names the owner. `--json` prints one object with `project`, `maps`, `sketches` and `jobs`.",
    "",
    "  holdfast workspace project p1",
    "  holdfast workspace project p1 --json",
  ],
  options: { limit: { value: "N", summary: "maximum number of maps, of sketches and of jobs (default: 100)" } },
  operations: ["workspace.get-project", "workspace.list-maps", "workspace.list-sketches", "jobs.list"],
  async execute(context) {
    const { positionals, values, terminal, show } = context;
    const shown = await readProject(context, positionals[0] ?? "", numberOption(values, "limit", 1) ?? limitDefault);
    const names = new AgentNames(context);
    await names.load((shown.jobs ?? []).flatMap(({ worker }) => (worker === undefined ? [] : [worker])));
    return show(shown, () =>
      [
        ...headLines(shown.project, terminal.paint),
        placeTable(shown, terminal.paint),
        jobTable(shown.jobs, terminal.paint, (worker) => names.label(worker)) + moreItemsHint(shown.more ? "" : null),
      ].join("\n"),
    );
  },
});

function headLines({ project, name, description, root, roles }: ShownProject["project"], paint: Paint): string[] {
  const held = Object.entries(roles).map(([principal, role]) => `${escapeControlChars(principal)} (${role})`);
  return [
    `${paint.strong(escapeControlChars(project))}: ${escapeControlChars(name)}`,
    ...(description === undefined ? [] : [`  ${escapeControlChars(description)}`]),
    `  roles  ${held.join(", ")}`,
    ...(root === undefined ? [] : [`  root   ${escapeControlChars(root)}`]),
  ];
}

function placeTable({ maps, sketches }: ShownProject, paint: Paint): string {
  if (maps.length === 0) return "It has no maps.";
  const rows = maps.flatMap(({ map, name, sketches: count }) => [
    [escapeControlChars(map), escapeControlChars(name), counted(count, "sketch", "sketches")],
    ...sketches
      .filter((sketch) => sketch.map === map)
      .map((sketch) => [
        escapeControlChars(`${map}/${sketch.sketch}`),
        escapeControlChars(sketch.name),
        counted(sketch.objects, "object", "objects"),
      ]),
  ]);
  return table(["MAP/SKETCH", "NAME", "CONTAINS"], rows, paint);
}

function jobTable(jobs: ShownProject["jobs"], paint: Paint, labelOf: (worker: string) => string): string {
  if (jobs === null) return "Its jobs are not shown: the token has no right to read jobs.";
  if (jobs.length === 0) return "It has no unfinished jobs.";
  const nowMs = systemClock.wallMs();
  const rows = jobs.map((job) => [
    escapeControlChars(job.id),
    escapeControlChars(job.type),
    job.state,
    jobNote(job, nowMs, labelOf),
  ]);
  return table(["JOB", "TYPE", "STATE", "NOTE"], rows, paint);
}

function counted(count: number, one: string, many: string): string {
  return `${String(count)} ${count === 1 ? one : many}`;
}
