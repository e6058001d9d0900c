import type { Problem } from "../problem.ts";

export const planningProblems = {
  "planning.off": {
    status: 409,
    retry: "never",
    title: "Planning is switched off",
    next: "An operator switches it on with configure: component_toggles.planning.",
  },
  "planning.archived": {
    status: 409,
    retry: "never",
    title: "It, or what it belongs to, is archived",
    next: "Unarchive what `archived` names first; nothing changes below it until then.",
  },
  "planning.archive_alone": {
    status: 422,
    retry: "never",
    title: "Archiving changes nothing else",
    next: "Change `field` first, or leave it as it is.",
  },
  "planning.parent_not_found": {
    status: 422,
    retry: "never",
    title: "What it refers to does not exist",
    next: "Check the id in `field`, or create it first.",
  },
  "planning.name_taken": {
    status: 409,
    retry: "never",
    title: "Another one in the same place has this name",
    next: "Choose another name; `taken_by` is the one that has it.",
  },
  "planning.field_fixed": {
    status: 422,
    retry: "never",
    title: "This field is set at creation, for good",
    next: "Create another one where it belongs, and delete or archive this one.",
  },
  "planning.range_invalid": {
    status: 422,
    retry: "never",
    title: "The range of time is not one",
    next: "Give `from` and `to` as real times in UTC, `from` before `to`; `reason` says what is wrong.",
  },
  "planning.outside_range": {
    status: 409,
    retry: "never",
    title: "An assignment would lie outside its mission's range",
    next: "Change the range of the mission, or those of the assignments in `outside`.",
  },
  "planning.other_organization": {
    status: 422,
    retry: "never",
    title: "Collaborator and mission belong to different organizations",
    next: "Assign a collaborator of the mission's organization.",
  },
  "planning.transition_invalid": {
    status: 409,
    retry: "never",
    title: "The mission's status does not allow this",
    next: "See `status` for what it is and `allowed` for where it can go.",
  },
  "planning.prerequisite_missing": {
    status: 409,
    retry: "never",
    title: "Something that must come first is missing",
    next: "See `missing` for what; do that, read again, and send a new request.",
  },
  "planning.booking_clash": {
    status: 409,
    retry: "never",
    title: "A collaborator would be booked twice at the same time",
    next: "See `clashes` for each; move or remove one of the two, then send a new request.",
  },
  "planning.mission_closed": {
    status: 409,
    retry: "never",
    title: "The mission is locked, completed or cancelled, and its plan can't change",
    next: "An operator can take a locked mission back with reopen-mission.",
  },
  "planning.in_use": {
    status: 409,
    retry: "never",
    title: "Something belongs to it or refers to it",
    next: "Delete, move or finish what `used_by` names first, or archive it instead.",
  },
  "planning.too_many": {
    status: 409,
    retry: "never",
    title: "A mission can't have more assignments",
    next: "Split the mission; `limit` is how many one can have.",
  },
} as const satisfies Record<string, Problem>;
