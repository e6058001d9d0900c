import type { Operation } from "../operation.ts";
import { planningOperations, planningResources } from "./planning.ts";
import { planningExamples } from "./planning-examples.ts";
import { planningProblems } from "./planning-problems.ts";
import type { Problem } from "../problem.ts";
import type { Resource } from "./resource.ts";

/** A system built on features: its resources and its operations by name. */
export interface Pack {
  readonly name: string;
  readonly summary: string;
  readonly resources: readonly Resource[];
  readonly operations: Readonly<Record<string, Operation>>;
  /** One input per operation, for documents. */
  readonly examples: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The pack's own problem codes. Each code starts with the name of the pack. */
  readonly problems: Readonly<Record<string, Problem>>;
  /** The names of the operations for operators. */
  readonly forOperators: readonly string[];
}

/** Every pack. Doors, documents and tests are built from this list. */
export const packs: readonly Pack[] = [
  {
    name: "planning",
    summary: "Plans of work: organizations, projects, missions, assignments, collaborators.",
    resources: planningResources,
    operations: planningOperations,
    examples: planningExamples,
    problems: planningProblems,
    forOperators: ["reopen-mission"],
  },
];

const packOf = new Map(packs.flatMap((pack) => Object.keys(pack.operations).map((name) => [name, pack] as const)));

/** The pack of an operation, if it has one. */
export function packOfOperation(operation: string): Pack | undefined {
  return packOf.get(operation);
}

/** The resource of a pack's operation: `archive-mission` is about missions. */
export function resourceOfOperation(pack: Pack, operation: string): Resource | undefined {
  return pack.resources.find(({ name, plural }) => operation.endsWith(`-${name}`) || operation.endsWith(`-${plural}`));
}
