/** The data of the refusals of jobs, by code. */
import Type from "typebox";
import type { TProperties } from "typebox";
import { holder } from "../grant.ts";

const open = { additionalProperties: true } as const;
const data = <Members extends TProperties>(members: Members) => Type.Object(members, open);
const text = Type.String();
const number = Type.Number();

export const jobsProblemData = {
  "jobs.off": data({ toggle: text }),
  "jobs.unknown": data({ id: text }),
  "jobs.claim_stale": data({ id: text, claim: text }),
  "jobs.not_waiting": data({ id: text, state: text }),
  "jobs.not_failed": data({ id: text, state: text }),
  "jobs.exists": data({ id: text }),
  "jobs.duplicate": data({ id: text, key: text }),
  "jobs.backlog_full": data({ project: text, limit: number, retry_after_ms: number }),
  "jobs.dependents_full": data({ id: text, limit: number }),
  "jobs.payload_too_large": data({ limit: number }),
  "jobs.result_too_large": data({ limit: number }),
  "jobs.project_mismatch": data({ project: text, projects: Type.Array(text) }),
  "jobs.selection_invalid": data({ reason: text }),
  "jobs.locks_unavailable": data({ resource_id: Type.Optional(text), holders: Type.Optional(Type.Array(holder)) }),
  "jobs.schedule_unknown": data({ id: text }),
  "jobs.cron_invalid": data({ cron: text, reason: text }),
  "jobs.time_zone_unknown": data({ time_zone: text }),
  "jobs.schedules_full": data({ limit: number }),
  "jobs.cap_reached": data({ project: text, limit: number }),
};
