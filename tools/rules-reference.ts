import { workspaceRules } from "@holdfast/sdk/contract";
import type { WorkspaceRule } from "@holdfast/sdk/contract";

/** The table of rules of the workspace, from the rows that the check reads. */
export function rulesReference(): readonly string[] {
  const rows = workspaceRules.map((rule) => {
    const { operation, lock, role, isApproved, isJob } = rule;
    const need = lock === null ? "none" : `${lock.level} ${lock.mode} ${lock.scope}`;
    const more = [isApproved === true ? "approval" : "", isJob === true ? "the lock is that of the job" : ""];
    const cells = [`\`${operation}\`${caseText(rule)}`, need, role ?? "by right", more.filter(Boolean).join("; ")];
    return `| ${cells.join(" | ")} |`;
  });
  return [
    "## Rules",
    "The lock and the role that each operation needs. `self` is the record alone, `tree` the record with everything below it.",
    ["| operation | lock | role | besides |", "| --- | --- | --- | --- |", ...rows].join("\n"),
  ];
}

function caseText({ case: only, lock }: WorkspaceRule): string {
  if (only === undefined) return "";
  const { of, min, max } = only;
  if (lock?.mode === "read") return ` of a ${of}`;
  if (max === null) return `, more than ${(min - 1).toLocaleString("en")} objects of a ${of}`;
  return `, ${min === 0 ? "up to" : `${min.toLocaleString("en")} to`} ${max.toLocaleString("en")} objects of a ${of}`;
}
