import type { Problem } from "../../problem.ts";
import { ownedProblems } from "../owned-problems.ts";

/** A diagnostic of a function that the caller may not read has no text, no node and no counter-example. */
const finding = ["code", "severity", "function_id"];

/** The place of a finding in a function that the caller may read. */
const place = ["node_id", "line", "column", "step"];

const ofFunction = { member: "errors", path: "program/{program_id}/function/{}" };

/**
 * A change may break a function that its author may not read. The condition of a callee is data of the callee. The
 * inputs of a case are data of the tested function. A suggestion may be any name of the program.
 */
const findings = {
  reveals: [
    { ...ofFunction, id: "function_id", keeps: finding },
    { ...ofFunction, id: "because", keeps: [...finding, ...place, "because", "case_of", "inputs", "result"] },
    { ...ofFunction, id: "case_of", keeps: [...finding, ...place, "because", "case_of", "condition"] },
    { ...{ member: "errors", id: "suggestion", path: "program/{program_id}" }, keeps: [...finding, ...place] },
  ],
  visibleToWriters: ["program_id", "locks_kept", ...finding.map((name) => `errors.${name}`)],
};

const { "programs.lock_required": lockRequired, ...owned } = ownedProblems("programs");

export const programsProblems = {
  ...owned,
  "programs.lock_required": {
    ...(lockRequired as Problem),
    visibleToWriters: [
      ...["function_id", "path", "mode", "scope"].map((name) => `missing.${name}`),
      ...["acquire", "batch"],
    ],
  },
  "programs.not_found": {
    status: 404,
    retry: "never",
    title: "The program has no such item",
    next: "Check `kind` and `id`. `nearest` lists similar ids. programs.create makes a program, and programs.mutate makes what is in it.",
    visibleToWriters: ["kind", "id"],
  },
  "programs.hashes_required": {
    status: 428,
    retry: "new-key-after-read",
    title: "expected_hashes is incomplete",
    next: "Read the items in `missing`, and send their hashes in `expected_hashes`.",
    visibleToWriters: ["missing"],
  },
  "programs.hash_conflict": {
    status: 409,
    retry: "new-key-after-read",
    title: "An item changed after it was read",
    next: "`conflicts` has the changes. Read again, apply your change to the new version, and send it with a new key.",
    visibleToWriters: [
      ...["program_id", "tries", "tries_max"],
      ...["function_id", "type_id", "expected_hash", "current_hash"].map((name) => `conflicts.${name}`),
    ],
  },
  "programs.structure_locked": {
    status: 409,
    retry: "later",
    title: "Another agent locks the structure or a function that this change concerns",
    next: "See `holders`. Retry after `retry_after_ms`.",
    isContention: true,
    visibleToWriters: ["retry_after_ms"],
  },
  "programs.text_invalid": {
    status: 422,
    retry: "never",
    title: "A step cannot be applied",
    next: "See `errors`: each has a step, a line, a column and what was expected. The grammar is at /v1/program-grammar.",
    ...findings,
  },
  "programs.verification_failed": {
    status: 422,
    retry: "never",
    title: "The changed program is not valid",
    next: "See `errors`. Nothing changed, and `locks_kept` are still held. Correct the change and send it again.",
    ...findings,
  },
  "programs.check_too_large": {
    status: 422,
    retry: "never",
    title: "The check needs more steps than the settings of the program allow",
    next: "Change fewer functions at once, or ask an operator for more `settings.steps`.",
    ...findings,
  },
  "programs.undo_blocked": {
    status: 409,
    retry: "never",
    title: "The change cannot be undone or redone",
    next: "See `reason`. If another agent changed `item`, change it yourself instead.",
    visibleToWriters: ["mutation", "item", "reason"],
  },
  "programs.nothing_to_undo": {
    status: 409,
    retry: "never",
    title: "There is nothing to undo or redo",
    next: "programs.get-undo lists the mutations of the agent.",
    visibleToWriters: ["side", "newest"],
  },
  "programs.name_taken": {
    status: 409,
    retry: "never",
    title: "The id was used before",
    next: "Send another id, or none. An id is never used for something else.",
    visibleToWriters: ["item"],
  },
  "programs.limit_reached": {
    status: 409,
    retry: "never",
    title: "The program has the maximum number of items or nodes",
    next: "`counted` and `limit` name the bound.",
    visibleToWriters: ["counted", "limit"],
  },
  "programs.too_many_conflicts": {
    status: 429,
    retry: "later",
    title: "Too many hash conflicts in a row",
    next: "Wait for `retry_after_ms`. Then read again before the next mutation.",
    visibleToWriters: ["tries", "retry_after_ms"],
  },
} as const satisfies Record<string, Problem>;
