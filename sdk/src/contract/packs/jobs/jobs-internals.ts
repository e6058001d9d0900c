/** Commands about jobs that only Holdfast sends. */
import Type from "typebox";
import { ownerId } from "../../agents.ts";
import { internalOperation } from "../../operation.ts";
import { claim, jobId } from "./job-view.ts";

const closed = { additionalProperties: false } as const;
const nothing = Type.Object({}, closed);
const time = Type.Integer({ minimum: 0 });

const ready = internalOperation({
  name: "jobs.ready",
  summary: "Makes the jobs ready whose time has come, up to 500.",
  input: Type.Object({ until: time }, closed),
  output: nothing,
  problems: ["not_due"],
});

const expire = internalOperation({
  name: "jobs.expire",
  summary: "Ends an attempt whose worker sent no heartbeat. The job is retried.",
  input: Type.Object({ id: jobId, claim }, closed),
  output: nothing,
  problems: ["not_due"],
});

const endAttempt = internalOperation({
  name: "jobs.end-attempt",
  summary: "Signals the end of an attempt at its deadline, or ends an attempt that did not obey its signal.",
  input: Type.Object({ id: jobId, claim, at: time }, closed),
  output: nothing,
  problems: ["not_due"],
});

const expireOffer = internalOperation({
  name: "jobs.expire-offer",
  summary: "Ends the offer of a worker that sent no heartbeat.",
  input: Type.Object({ worker: ownerId, until: time }, closed),
  output: nothing,
  problems: ["not_due"],
});

const fill = internalOperation({
  name: "jobs.fill",
  summary: "Continues to start jobs, or to examine lanes after a change of the caps.",
  input: Type.Object({ left: time }, closed),
  output: nothing,
  problems: ["not_due"],
});

const drop = internalOperation({
  name: "jobs.drop",
  summary: "Removes failed jobs after 30 days, and expired unique keys.",
  input: Type.Object({ until: time }, closed),
  output: nothing,
  problems: ["not_due"],
});

const fireSchedule = internalOperation({
  name: "jobs.fire-schedule",
  summary: "Submits the job of a schedule at its time, and sets the next time.",
  input: Type.Object({ id: Type.String(), at: time }, closed),
  output: nothing,
  problems: ["not_due"],
});

const setZone = internalOperation({
  name: "jobs.set-zone",
  summary: "Stores the offsets of a time zone that a node found in its time zone database.",
  input: Type.Object(
    {
      zone: Type.String(),
      version: Type.String(),
      offsets: Type.Array(Type.Object({ from: time, minutes: Type.Integer() }, closed)),
      until: time,
    },
    closed,
  ),
  output: nothing,
  problems: ["not_due"],
});

export const jobsInternals = {
  "jobs.ready": ready,
  "jobs.expire": expire,
  "jobs.end-attempt": endAttempt,
  "jobs.expire-offer": expireOffer,
  "jobs.fill": fill,
  "jobs.drop": drop,
  "jobs.fire-schedule": fireSchedule,
  "jobs.set-zone": setZone,
} as const;
