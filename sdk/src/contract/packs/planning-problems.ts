import type { Problem } from "../problem.ts";

export const planningProblems = {
  "planning.archived": {
    status: 409,
    retry: "never",
    title: "The resource or its parent is archived",
    next: "Unarchive the resource in `archived` first.",
    reveals: [{ member: "archived", id: "id", type: ".type" }],
  },
  "planning.archive_alone": {
    status: 422,
    retry: "never",
    title: "Archiving cannot change other fields",
    next: "Change `field` in a request of its own.",
  },
  "planning.parent_not_found": {
    status: 422,
    retry: "never",
    title: "The referenced resource does not exist",
    next: "Check the id in `field`, or create that resource first.",
  },
  "planning.name_taken": {
    status: 409,
    retry: "never",
    title: "Another resource with the same parent has this name",
    next: "Choose another name. `taken_by` is the resource that has it.",
    reveals: [{ id: "taken_by", type: "own" }],
  },
  "planning.field_fixed": {
    status: 422,
    retry: "never",
    title: "This field cannot change after creation",
    next: "Create a new resource with the other value, then delete or archive this one.",
  },
  "planning.range_invalid": {
    status: 422,
    retry: "never",
    title: "Invalid time range",
    next: "Send `from` and `to` as valid UTC times, `from` before `to`. See `reason`.",
  },
  "planning.outside_range": {
    status: 409,
    retry: "never",
    title: "An assignment would be outside the time range of its mission",
    next: "Change the range of the mission, or the ranges of the assignments in `outside`.",
    reveals: [
      { member: "outside", id: "assignment_id", type: "planning-assignment" },
      { member: "mission", id: "id", type: "planning-mission" },
    ],
  },
  "planning.other_organization": {
    status: 422,
    retry: "never",
    title: "Collaborator and mission belong to different organizations",
    next: "Assign a collaborator of the mission's organization.",
    reveals: [{ id: "organization_id", type: "planning-organization" }],
  },
  "planning.transition_invalid": {
    status: 409,
    retry: "never",
    title: "The status of the mission does not allow this transition",
    next: "`status` is the current status. `allowed` lists the possible ones.",
  },
  "planning.prerequisite_missing": {
    status: 409,
    retry: "never",
    title: "A prerequisite is missing",
    next: "Provide what `missing` names, read again and send a new request.",
  },
  "planning.booking_clash": {
    status: 409,
    retry: "never",
    title: "A collaborator would be booked twice at the same time",
    next: "See `clashes`. Move or remove one of the two assignments, then send a new request.",
    reveals: [
      { member: "clashes", id: "assignment_id", type: "planning-assignment" },
      { member: "clashes", id: "other_assignment_id", type: "planning-assignment" },
      { member: "clashes", id: "other_mission_id", type: "planning-mission" },
    ],
  },
  "planning.mission_closed": {
    status: 409,
    retry: "never",
    title: "The mission is locked, completed or cancelled, so its plan cannot change",
    next: "An operator can reopen a locked mission with planning.reopen-mission.",
    reveals: [{ id: "mission_id", type: "planning-mission", also: ["status"] }],
  },
  "planning.in_use": {
    status: 409,
    retry: "never",
    title: "Other resources refer to this resource",
    next: "Delete, move or finish the resources in `used_by` first. Or archive this resource instead.",
    reveals: [{ member: "used_by", id: "id", type: ".type" }],
  },
  "planning.too_many": {
    status: 409,
    retry: "never",
    title: "The mission has the maximum number of assignments",
    next: "Split the mission. `limit` is the maximum.",
  },
} as const satisfies Record<string, Problem>;
