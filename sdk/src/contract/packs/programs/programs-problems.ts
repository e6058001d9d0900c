import type { Problem } from "../../problem.ts";
import { ownedProblems } from "../owned-problems.ts";

export const programsProblems = {
  ...ownedProblems("programs"),
  "programs.not_found": {
    status: 404,
    retry: "never",
    title: "The program has no such item",
    next: "`kind` and `id` name it, and `nearest` lists ids that are similar.",
  },
  "programs.hashes_required": {
    status: 428,
    retry: "new-key-after-read",
    title: "expected_hashes is incomplete",
    next: "Read the items in `missing`, and send their hashes in `expected_hashes`.",
  },
  "programs.hash_conflict": {
    status: 409,
    retry: "new-key-after-read",
    title: "An item changed after it was read",
    next: "`conflicts` has the changes. Read again, apply your change to the new version, and send it with a new key.",
  },
  "programs.structure_locked": {
    status: 409,
    retry: "later",
    title: "Another agent locks the structure or a function that this change concerns",
    next: "See `holders`. Retry after `retry_after_ms`.",
    isContention: true,
  },
  "programs.text_invalid": {
    status: 422,
    retry: "never",
    title: "A step cannot be applied",
    next: "See `errors`: each has a step, a line, a column and what was expected. The grammar is at /v1/program-grammar.",
  },
  "programs.verification_failed": {
    status: 422,
    retry: "never",
    title: "The changed program is not valid",
    next: "See `errors`. Nothing changed, and `locks_kept` are still held. Correct the change and send it again.",
  },
  "programs.check_too_large": {
    status: 422,
    retry: "never",
    title: "The check needs more steps than the settings of the program allow",
    next: "Change fewer functions at once, or ask an operator for more `settings.steps`.",
  },
  "programs.undo_blocked": {
    status: 409,
    retry: "never",
    title: "The change cannot be undone or redone",
    next: "See `reason`. If another agent changed `item`, change it yourself instead.",
  },
  "programs.nothing_to_undo": {
    status: 409,
    retry: "never",
    title: "There is nothing to undo or redo",
    next: "programs.get-undo lists the mutations of the agent.",
  },
  "programs.name_taken": {
    status: 409,
    retry: "never",
    title: "The id was used before",
    next: "Send another id, or none. An id is never used for something else.",
  },
  "programs.in_use": {
    status: 409,
    retry: "never",
    title: "The program is not empty, or is being removed",
    next: "See `reason`.",
  },
  "programs.limit_reached": {
    status: 409,
    retry: "never",
    title: "The program has the maximum number of items or nodes",
    next: "`counted` and `limit` name the bound.",
  },
  "programs.too_many_conflicts": {
    status: 429,
    retry: "later",
    title: "Too many hash conflicts in a row",
    next: "Wait for `retry_after_ms`. Then read again before the next mutation.",
  },
} as const satisfies Record<string, Problem>;
