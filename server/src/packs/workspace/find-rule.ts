import { workspacePath, workspaceRules, workspaceWorkRules } from "@holdfast/sdk/contract";
import type { WorkspacePlace, WorkspaceRule } from "@holdfast/sdk/contract";
import type { PathLock } from "../../features/locks/tables/modes.ts";

const all = [...workspaceRules, ...workspaceWorkRules];

/** The counted objects of a command: how many it names in one sketch or in one map. */
interface CountedObjects {
  readonly of: "sketch" | "map";
  readonly count: number;
}

/** The row of the table for an operation. An operation without a row is a bug: it would need no lock. */
export function findRule(operation: string, counted?: CountedObjects): WorkspaceRule {
  const found = all.find((rule) => rule.operation === operation && isCase(rule, counted));
  if (found === undefined) throw new Error(`the rule table has no row for ${operation}`);
  return found;
}

function isCase({ case: only }: WorkspaceRule, counted: CountedObjects | undefined): boolean {
  if (only === undefined) return counted === undefined;
  if (counted?.of !== only.of) return false;
  return counted.count >= only.min && counted.count <= (only.max ?? Infinity);
}

/** The lock that a row demands at a place; none if it demands none. */
export function locksOfRule({ lock }: WorkspaceRule, { project, map, sketch }: WorkspacePlace): readonly PathLock[] {
  if (lock === null) return [];
  const { level, mode, scope } = lock;
  const ofSketch = level === "sketch" ? { sketch } : {};
  const path = workspacePath(level === "project" ? { project } : { project, map, ...ofSketch });
  return [{ path, mode, scope }];
}
