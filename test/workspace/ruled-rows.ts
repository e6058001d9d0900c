/** The rows of the rule table as cases for tests: an input of each operation, and the locks that it needs. */
import { workspace, workspaceRules } from "@holdfast/sdk/contract";
import type { WorkspaceRule } from "@holdfast/sdk/contract";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { puts } from "./workspace-decider.ts";

const calibration = [
  { x: 0, y: 0, u: 0, v: 0 },
  { x: 100, y: 0, u: 5, v: 0 },
];

type Inputs = Readonly<Record<string, (count: number) => JsonObject>>;

/** An input of each operation that needs a lock and is not a job, in a project. */
function inputsIn(id: string): Inputs {
  const project = { project: id };
  const map = { ...project, map: "m1" };
  const sketch = { ...map, sketch: "s1" };
  return {
    "create-project": () => ({ project: `${id}-new`, name: "New" }),
    "update-project": () => ({ ...project, changes: { name: "Renamed" } }),
    "set-role": () => ({ ...project, principal: "bob", role: "viewer" }),
    "remove-role": () => ({ ...project, principal: "eve" }),
    "apply-template": () => ({ ...project, template: "floor", prefix: "west-" }),
    "delete-project": () => ({ ...project, approval: "a1" }),
    "get-project": () => project,
    "list-maps": () => project,
    "list-sketches": () => map,
    "list-approvals": () => project,
    "create-map": () => ({ ...project, map: "m9", name: "New" }),
    "update-map": () => ({ ...map, changes: { name: "Renamed" } }),
    "calibrate-map": () => ({ ...map, points: calibration, unit: "m" }),
    "delete-map": () => map,
    "get-map": () => map,
    "create-sketch": () => ({ ...map, sketch: "s9", name: "New" }),
    "update-sketch": () => ({ ...sketch, changes: { name: "Renamed" } }),
    "delete-sketch": () => sketch,
    "change-objects": (count) => ({ ...sketch, changes: puts(count) }),
    "reassign-objects": (count) => ({
      ...project,
      from: { map: "m1", sketch: "s1" },
      to: { map: "m1", sketch: "s2" },
      objects: Array.from({ length: count }, (_, index) => `o${String(index + 1)}`),
    }),
    "get-sketch": () => sketch,
    "get-object": () => ({ ...sketch, object: "o1" }),
    "list-objects": (count) => (count === 0 ? map : sketch),
    "get-tile": () => ({ ...map, z: 0, x: 0, y: 0 }),
    "hit-test": () => ({ ...sketch, x: 3, y: 4 }),
    "select-objects": () => ({ ...sketch, box: [0, 0, 1, 1], mode: "touching" }),
    measure: () => ({ ...sketch, objects: ["o1"] }),
  };
}

export interface RuledLock extends JsonObject {
  readonly path: string;
  readonly mode: string;
  readonly scope: string;
}

/** The paths at which the input of an operation needs its lock, written down here a second time, by hand. */
function pathsOf(id: string, name: string, { lock }: WorkspaceRule): readonly string[] {
  const created: Readonly<Record<string, string>> = {
    "create-project": `project/${id}-new`,
    "create-map": `project/${id}/map/m9`,
    "create-sketch": `project/${id}/map/m1/sketch/s9`,
  };
  const own = created[name];
  if (own !== undefined) return [own];
  if (lock?.level === "project") return [`project/${id}`];
  if (lock?.level === "map") return [`project/${id}/map/m1`];
  const paths = [`project/${id}/map/m1/sketch/s1`, `project/${id}/map/m1/sketch/s2`];
  return name === "reassign-objects" ? paths : paths.slice(0, 1);
}

/** The path next to a path. Its lock must not help. */
export function sisterOf(path: string): string {
  return path.replace(/[^/]+$/u, "sister");
}

export interface RuledRow {
  readonly title: string;
  readonly name: string;
  readonly isRead: boolean;
  /** Number of objects, if the operation has several rows. */
  readonly count: number;
  readonly input: JsonObject;
  readonly locks: readonly RuledLock[];
}

const kinds = new Map(workspace.operations.map(({ name, kind }) => [name, kind]));

/** Each row with a lock that the caller itself holds, at both ends of its case. */
export function ruledRows(id: string): readonly RuledRow[] {
  const inputs = inputsIn(id);
  return workspaceRules
    .filter(({ lock, isJob }) => lock !== null && isJob !== true)
    .flatMap((rule) => {
      const { operation, lock, case: only } = rule;
      const name = operation.slice("workspace.".length);
      const isRead = kinds.get(operation) === "read";
      const counts =
        only === undefined
          ? [0]
          : isRead
            ? [only.of === "map" ? 0 : 1]
            : [...new Set([Math.max(1, only.min), only.max ?? only.min])];
      const locks = pathsOf(id, name, rule).map((path) => ({ path, mode: lock?.mode ?? "", scope: lock?.scope ?? "" }));
      return counts.map((count): RuledRow => {
        const title = `${name}${count > 0 ? ` of ${String(count)}` : ""}: ${lock?.level ?? ""} ${lock?.mode ?? ""} ${lock?.scope ?? ""}`;
        return { title, name, isRead, count, input: inputs[name]?.(count) ?? {}, locks };
      });
    });
}
