import { ownProjects } from "../../../packs/workspace/own-projects.ts";
import type { AppRead } from "../../reads/app-read.ts";
import { shownPage } from "../../reads/shown-page.ts";

interface ProjectsQuery {
  readonly after?: string;
  readonly limit?: number;
}

/** Ids only, without a lock: those of projects in which the caller has a role. */
export const listProjects: AppRead = {
  view: "keys",
  run: ({ after, limit = 100 }: ProjectsQuery, { services, principal }) =>
    shownPage(services, { after, limit, step: (state, from) => ownProjects(state, principal, from) }),
};
