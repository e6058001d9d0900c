/** The events of the workspace besides those of its records, which are entities. */
import Type from "typebox";
import type { TProperties } from "typebox";
import type { EventType } from "../../event-type.ts";

const open = { additionalProperties: true } as const;
const text = Type.String();
const number = Type.Number();

/** The subject is a record, and its path decides who sees the event. */
const ofRecord = (summary: string, members: TProperties): EventType => ({
  summary,
  data: Type.Object(members, open),
});

export const workspaceEvents = {
  "workspace.job_requested": {
    ...ofRecord("An operation of the workspace submitted a job. Only such a job may write with its fence.", {
      job: text,
      job_type: text,
      requester: text,
    }),
    audit: "WORKSPACE_JOB_REQUESTED",
  },
  "workspace.purge_started": {
    ...ofRecord("A project, a map or a sketch was deleted. Everything below it is being removed.", { place: text }),
    audit: "WORKSPACE_DELETED",
  },
  "workspace.purge_continued": ofRecord("Some records and targets below a deleted record were removed.", {
    place: text,
    at: number,
  }),
  "workspace.purged": ofRecord("Everything below a deleted record is gone. Its id can be used again.", { place: text }),
  "workspace.objects_moved": ofRecord("Objects moved from one sketch to another. Both sketches have the event.", {
    from: text,
    to: text,
    objects: Type.Array(text),
  }),
  "workspace.role_changed": {
    ...ofRecord("A principal got or lost a role in a project.", { principal_name: text }),
    audit: "WORKSPACE_ROLE_CHANGED",
  },
  "workspace.approval_requested": {
    ...ofRecord("The approval of a second person was requested.", { approval: text, action: text }),
    audit: "APPROVAL_REQUESTED",
  },
  "workspace.approval_decided": {
    ...ofRecord("A second person approved or rejected an action.", { approval: text, action: text, state: text }),
    audit: "APPROVAL_DECIDED",
  },
  "workspace.approval_used": {
    ...ofRecord("An approved action was carried out. Its approval is used up.", { approval: text, action: text }),
    audit: "APPROVAL_USED",
  },
  "workspace.restore_began": {
    ...ofRecord("A project is being restored. Everything else is refused there.", { job: text }),
    audit: "WORKSPACE_RESTORE_BEGAN",
  },
  "workspace.restore_ended": {
    ...ofRecord("A project equals its backup.", { job: text }),
    audit: "WORKSPACE_RESTORE_ENDED",
  },
} as const satisfies Record<string, EventType>;
