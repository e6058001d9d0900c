import { defined } from "@holdfast/sdk/base/defined";
import { isAllowed, jobEnds } from "@holdfast/sdk/contract";
import type { JobEnd } from "@holdfast/sdk/contract";
import type { Engine } from "../../../engine/engine.ts";
import type { Entry, Event } from "../../../machine/entry.ts";
import { done, refusal } from "../../../machine/refusal.ts";
import { endedJobTable, jobPath, jobSubject, jobTable } from "../../../packs/jobs/job-tables.ts";
import type { EndedJobRow } from "../../../packs/jobs/job-tables.ts";
import { endedJobView, wholeJobView } from "../../../packs/jobs/job-view.ts";
import type { AppRead } from "../../reads/app-read.ts";
import { subjectHistory } from "../../reads/subject-history.ts";

/** A job of the state, or the end of a job. The result is read from the entry of its end. */
export const getJob: AppRead = {
  view: "keys",
  async run({ id }: { readonly id: string }, { state, rights, services: { engine } }) {
    const row = state.rows(jobTable).get(id);
    if (row !== undefined) return done(wholeJobView(row));
    const recent = state.rows(endedJobTable).get(id);
    const [entry] = recent === undefined ? await pastEnd(engine, id) : await engine.entriesAt([recent.position]);
    const event = entry?.events.find(({ type, subject }) => subject === jobSubject(id) && isEnd(type));
    const ended = recent ?? endedJob(id, entry, event);
    if (ended === undefined) return refusal("jobs.unknown", { id });
    // The gate finds the types of recent jobs only. An id out of reach is answered as unknown.
    if (rights !== undefined && !isAllowed(rights.allow, ["read"], jobPath(ended.type)))
      return refusal("jobs.unknown", { id });
    return done(defined({ ...endedJobView(ended), result: event?.data["result"] }));
  },
};

function isEnd(type: string): boolean {
  return jobEnds.some((end) => type === `jobs.${end}`);
}

/** The entry of the last end of a job that left the ring of ended jobs. None if the id is unknown. */
async function pastEnd(engine: Engine, id: string): Promise<readonly Entry[]> {
  const query = { subject: jobSubject(id), before: undefined, limit: 1, isSelected: isEnd };
  return (await subjectHistory(engine, query)).entries;
}

/** The end of a job as its event shows it. */
function endedJob(id: string, entry: Entry | undefined, event: Event | undefined): EndedJobRow | undefined {
  if (entry === undefined || event === undefined) return undefined;
  const { time: endedAt, position } = entry;
  const { type, project, attempt } = event.data as unknown as Pick<EndedJobRow, "type" | "project" | "attempt">;
  return { id, type, project, attempt, state: event.type.slice("jobs.".length) as JobEnd, endedAt, position };
}
