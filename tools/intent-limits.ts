/** The limits of intents, for the page of all limits. */
import { defaultNumbers } from "@holdfast/sdk/contract";
import type { IntentNumbers } from "@holdfast/sdk/contract";
import { intentsLimits } from "../server/src/packs/intents/intents-limits.ts";
import type { LimitGroup, Rows } from "./limit-row.ts";

const { ended_days, crash_limit } = defaultNumbers;

const rows: Rows<typeof intentsLimits & Pick<IntentNumbers, "ended_days" | "crash_limit">> = {
  corrections: {
    bounds: "corrections of an intent",
    beyond: "`intents.too_many_corrections`",
    test: "an intent has a maximum of 1,000 corrections, and a known one is still answered [B4 X15]",
  },
  metadataBytes: {
    bounds: "bytes of the metadata of a correction, as JSON",
    beyond: "`value_too_large`",
    test: "metadata of a correction above 16 KiB is refused [B4]",
  },
  correctionsShown: {
    bounds: "corrections in a reply, unless the caller asks for more",
    beyond: "intents.list-corrections has the others",
    test: "an intent shows its newest 100 corrections, and up to 1,000 if the caller asks for them [B1 B4 X15]",
  },
  earlierRuns: {
    bounds: "summaries of earlier runs of an intent",
    beyond: "the oldest one leaves the state; intents.get with its version has the run",
    test: "an intent keeps the summaries of its last 20 runs, and an older run is read at its version [B5 X9 X15]",
  },
  crash_limit: {
    bounds: "crashes of owners of one step",
    beyond: "the step has failed",
    setting: "crash_limit",
    test: "a step that crashes more owners than the limit fails by the mode of its run [B5]",
  },
  ended_days: {
    bounds: "days that an ended intent stays in the state",
    beyond: "it is read from the journal",
    setting: "ended_days",
    test: "an ended intent leaves the state after 30 days with its corrections, and open ones stay [B1]",
  },
  rowsPerPage: {
    bounds: "intents that a list examines for a page",
    beyond: "the next page has the rest",
    test: "a page of a list examines at most 1,000 intents, and the next page continues there [X15]",
  },
  retiredAtOnce: "pace",
};

export const intentLimits: LimitGroup = {
  title: "Intents",
  values: { ...intentsLimits, ended_days, crash_limit },
  rows,
};
