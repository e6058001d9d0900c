import { defined } from "@holdfast/sdk/base/defined";
import { done, refusal } from "../../../machine/refusal.ts";
import { endedJobTable, jobSubject, jobTable } from "../../../packs/jobs/job-tables.ts";
import { endedJobView, wholeJobView } from "../../../packs/jobs/job-view.ts";
import type { AppRead } from "../../reads/app-read.ts";

/** A job of the state, or the end of a job. The result is read from the entry of its end. */
export const getJob: AppRead = {
  view: "keys",
  async run({ id }: { readonly id: string }, { state, services: { engine } }) {
    const row = state.rows(jobTable).get(id);
    if (row !== undefined) return done(wholeJobView(row));
    const ended = state.rows(endedJobTable).get(id);
    if (ended === undefined) return refusal("jobs.unknown", { id });
    const [entry] = await engine.entriesAt([ended.position]);
    const event = entry?.events.find(
      ({ type, subject }) => subject === jobSubject(id) && type === `jobs.${ended.state}`,
    );
    return done(defined({ ...endedJobView(ended), result: event?.data["result"] }));
  },
};
