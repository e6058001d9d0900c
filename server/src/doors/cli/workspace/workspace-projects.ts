import { numberOption } from "../args/option-values.ts";
import type { CliCommand } from "../command.ts";
import { limitDefault, limitOption, moreItemsHint, readPages } from "../discovery/read-pages.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";

interface ProjectPage {
  readonly items: readonly { readonly project: string }[];
  readonly next: string | null;
}

export const workspaceProjectsCommand: CliCommand = serverCommand({
  name: "workspace projects",
  positionalsMax: 0,
  summary: "list the projects in which the caller has a role",
  details: [
    "Prints the id of each project in which the caller has a role. The operator sees all projects.",
    "",
    "  holdfast workspace projects",
    "  holdfast workspace projects --json",
  ],
  options: { limit: limitOption },
  operations: ["workspace.list-projects"],
  async execute({ run, values, show }) {
    const limit = numberOption(values, "limit", 1) ?? limitDefault;
    const page = await readPages(limit, async (part) => (await run("workspace.list-projects", part)) as ProjectPage);
    const ids = page.items.map(({ project }) => escapeControlChars(project));
    return show(page, () =>
      ids.length === 0 ? "There is no project in which you have a role." : ids.join("\n") + moreItemsHint(page.next),
    );
  },
});
