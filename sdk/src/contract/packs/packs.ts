import type { Operation } from "../operation.ts";
import { planningOperations, planningResources } from "./planning.ts";
import { planningExamples } from "./planning-examples.ts";
import { planningProblems } from "./planning-problems.ts";
import type { Problem } from "../problem.ts";
import type { Resource } from "./resource.ts";

/** A system built on the features: its resources, and all of its operations by name. */
export interface Pack {
  readonly name: string;
  readonly summary: string;
  readonly resources: readonly Resource[];
  readonly operations: Readonly<Record<string, Operation>>;
  /** One input for each operation, for documents. */
  readonly examples: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** What it refuses with besides what every writer meets; each code starts with the name of the pack. */
  readonly problems: Readonly<Record<string, Problem>>;
  /** The names of those that belong to operators. */
  readonly forOperators: readonly string[];
}

/** Every pack there is. Doors, documents and tests go by this list. */
export const packs: readonly Pack[] = [
  {
    name: "planning",
    summary: "Who does what, when: organizations, projects, missions, assignments, collaborators.",
    resources: planningResources,
    operations: planningOperations,
    examples: planningExamples,
    problems: planningProblems,
    forOperators: ["reopen-mission"],
  },
];

const packOf = new Map(packs.flatMap((pack) => Object.keys(pack.operations).map((name) => [name, pack] as const)));

/** The pack that an operation belongs to, if it belongs to one. */
export function packOfOperation(operation: string): Pack | undefined {
  return packOf.get(operation);
}

/** The resource that an operation of a pack is about: `archive-mission` is about missions. */
export function resourceOfOperation(pack: Pack, operation: string): Resource | undefined {
  return pack.resources.find(({ name, plural }) => operation.endsWith(`-${name}`) || operation.endsWith(`-${plural}`));
}
