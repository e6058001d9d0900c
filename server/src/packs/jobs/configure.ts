/**
 * The settings of jobs. An agent that tries to change them is refused, and the attempt is in the audit trail.
 *
 * The first lanes are compared with the changed settings in the same entry. Otherwise the next entry could start two jobs
 * of one project before a project whose cap was raised. A timer compares the rest.
 */
import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { refused } from "../../features/locks/rules/owner.ts";
import { operatorOnly } from "../../features/operator-only.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done } from "../../machine/refusal.ts";
import { recheckLanes } from "./job-timers.ts";
import { jobCaps } from "./job-settings-table.ts";

interface ConfigureInput extends JsonObject {
  readonly classes?: JsonObject;
  readonly types?: JsonObject;
  readonly projects?: JsonObject;
}

/** Changes the given settings, and starts the jobs that may start by them. */
export function configureJobs({ types, projects, ...given }: ConfigureInput, context: DecideContext): Decision {
  const forbidden = operatorOnly(context);
  if (forbidden !== undefined) return forbidden;
  const { state, emit } = context;
  const before = jobCaps(state);
  const classes = { ...before.classes, ...given.classes };
  const caps = { ...before, ...given, classes };
  const settings = defined({ caps, types, projects });
  emit({ type: "jobs.configured", subject: "jobs", data: { settings } });
  recheckLanes(context);
  return { outcome: done(caps), events: [], attachment: {} };
}

interface PauseInput {
  readonly type?: string;
  readonly project?: string;
  readonly reason?: string;
}

/** A pause is a cap of 0 for one type or one project. */
const changePause =
  (isPaused: boolean) =>
  ({ type, project, reason }: PauseInput, context: DecideContext): Decision => {
    const forbidden = operatorOnly(context);
    if (forbidden !== undefined) return forbidden;
    if ((type === undefined) === (project === undefined))
      return refused("jobs.selection_invalid", { reason: "send either type or project" });
    const event = isPaused ? "jobs.paused" : "jobs.resumed";
    context.emit({ type: event, subject: "jobs", data: defined({ type, project, reason }) });
    recheckLanes(context);
    return { outcome: done({ paused: isPaused }), events: [], attachment: {} };
  };

export const pauseJobs = changePause(true);
export const resumeJobs = changePause(false);
