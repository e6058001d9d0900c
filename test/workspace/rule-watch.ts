/**
 * The rule table against the entries of a journal: every write of the workspace that was done had its lock in its entry.
 * The locks are derived from events alone, and the rows are those of the contract.
 */
import { objectThresholds, workspacePath, workspaceRules } from "@holdfast/sdk/contract";
import type { RuledLock, WorkspacePlace, WorkspaceRule } from "@holdfast/sdk/contract";
import type { Entry } from "../../server/src/machine/entry.ts";
import type { ModelPath } from "../locks/lock-model.ts";
import { dueOf, LockView } from "../simulation/lock-view.ts";
import type { SeenGrant } from "../simulation/lock-view.ts";
import type { Witness } from "../simulation/witness.ts";
import { coversNeed } from "./covers-need.ts";

interface WatchedInput extends WorkspacePlace {
  readonly fence?: string;
  readonly lock?: "take";
  readonly level?: "sketch" | "map";
  readonly changes?: readonly { readonly sketch?: string; readonly object: string }[];
  readonly from?: { readonly map: string; readonly sketch: string };
  readonly to?: { readonly map: string; readonly sketch: string };
  readonly objects?: readonly string[];
}

export class RuleWatch {
  #locks = new LockView();
  /** Checked writes, by operation. */
  readonly checked = new Map<string, number>();

  append(entries: readonly Entry[], witness: Witness): void {
    for (const entry of entries) {
      this.#check(entry, witness);
      for (const event of entry.events) this.#locks.apply(event, entry);
    }
  }

  goBack(entries: readonly Entry[]): void {
    this.#locks = new LockView();
    this.append(entries, { demand: () => undefined, log: () => undefined });
  }

  #check(entry: Entry, witness: Witness): void {
    const { operation, outcome, position } = entry;
    if (outcome.kind === "refusal" && outcome.code === "workspace.lock_required") this.#checkRefusal(entry, witness);
    if (outcome.kind !== "done" || !operation.startsWith("workspace.") || entry.events.length === 0) return;
    const input = entry.input as unknown as WatchedInput;
    for (const need of needsOf(operation, input)) {
      this.checked.set(operation, (this.checked.get(operation) ?? 0) + 1);
      const isHeld = this.#isHeld(need, input, entry);
      const isFree = input.lock === "take" && this.#isFree(need, entry);
      witness.demand(
        isHeld || isFree,
        "a write of the workspace is done under the lock of its rule",
        () => `${operation} at position ${String(position)} needs ${JSON.stringify(need)}`,
      );
    }
  }

  /** A caller is refused only if it lacks a lock. Job rows and the reads of workers have no needs here. */
  #checkRefusal(entry: Entry, witness: Witness): void {
    const { operation, position } = entry;
    const input = entry.input as unknown as WatchedInput;
    const needs = needsOf(operation, input);
    witness.demand(
      needs.length === 0 || needs.some((need) => !this.#isHeld(need, input, entry)),
      "a write of the workspace is refused only without the lock of its rule",
      () => `${operation} at position ${String(position)} has ${JSON.stringify(needs)}`,
    );
  }

  #isHeld(need: ModelPath, { fence, lock }: WatchedInput, entry: Entry): boolean {
    const { agent, principal, time, grace } = entry;
    const covers = (grant: SeenGrant): boolean =>
      (grace || dueOf(grant) > time) && grant.paths.some((held) => coversNeed(held, need));
    return [...this.#locks.grants.values()].some((grant) => {
      // Only the principal of a lock presents its fence.
      const holder = this.#locks.agents.get(grant.owner)?.principal ?? principal;
      const isPresented = fence !== undefined && grant.fence === fence && holder === principal;
      const isOwn = (fence === undefined || lock === "take") && agent !== undefined && grant.owner === agent;
      return (isPresented || isOwn) && covers(grant);
    });
  }

  /** No other owner has a lock that a taken write lock would share a record with. An expiry of this entry comes first. */
  #isFree({ path, scope }: ModelPath, { agent, events }: Entry): boolean {
    const ended = new Set(events.filter(({ type }) => type.startsWith("lock.")).map(({ data }) => data["fence"]));
    return [...this.#locks.grants.values()].every(({ owner, fence, paths }) => {
      if (owner === agent || ended.has(fence)) return true;
      return paths.every((held) => {
        const isAbove = held.scope === "tree" && path.startsWith(`${held.path}/`);
        const isBelow = scope === "tree" && held.path.startsWith(`${path}/`);
        return held.path !== path && !isAbove && !isBelow;
      });
    });
  }
}

/** The locks that the row of an operation demands for its input. */
function needsOf(operation: string, input: WatchedInput): readonly ModelPath[] {
  const rows = workspaceRules.filter((rule) => rule.operation === operation && rule.isJob !== true);
  const [first] = rows;
  if (first === undefined || first.lock === null) return [];
  if (first.case === undefined) return [needAt(first.lock, input)];
  return rows.length > 0 ? countedNeeds(rows, input) : [];
}

/** The needs of a command about objects: by the distinct objects of each sketch, and of each map. */
function countedNeeds(rows: readonly WorkspaceRule[], input: WatchedInput): readonly ModelPath[] {
  const { project, changes = [], objects = [], from, to } = input;
  const places =
    from === undefined || to === undefined
      ? changes.map(({ sketch, object }) => ({ map: input.map, sketch: sketch ?? input.sketch, object }))
      : [from, to].flatMap((place) => objects.map((object) => ({ ...place, object })));
  const sketches = new Map<string, Set<string>>();
  for (const { map = "", sketch = "", object } of places) {
    const key = `${map}/${sketch}`;
    sketches.set(key, (sketches.get(key) ?? new Set()).add(object));
  }
  const named = (map: string): number =>
    [...sketches].filter(([key]) => key.startsWith(`${map}/`)).reduce((sum, [, names]) => sum + names.size, 0);
  // Objects that move within a map are named once.
  const ofMap = (map: string): number => (from === undefined ? named(map) : objects.length);
  return [...sketches].flatMap(([key, names]) => {
    const [map = "", sketch = ""] = key.split("/");
    const isOfMap = ofMap(map) > objectThresholds.map || input.level === "map";
    const count = isOfMap ? objectThresholds.map + 1 : names.size;
    const row = rows.find((rule) => rule.case?.of === (isOfMap ? "map" : "sketch") && isIn(rule, count));
    if (row?.lock === null || row === undefined) return [];
    return [needAt(row.lock, isOfMap ? { project, map } : { project, map, sketch })];
  });
}

const isIn = ({ case: only }: WorkspaceRule, count: number): boolean =>
  only !== undefined && count >= only.min && count <= (only.max ?? Infinity);

function needAt({ level, mode, scope }: RuledLock, { project, map, sketch }: WorkspacePlace): ModelPath {
  const place = { project: { project }, map: { project, map }, sketch: { project, map, sketch } }[level];
  return { path: workspacePath(place), mode, scope };
}
