import { coreProblems } from "./core-problems.ts";
import { plainCode } from "./packs/code-of-pack.ts";
import { packs } from "./packs/packs.ts";
import { nextForOwner, ownOperationsOf } from "./packs/own-operations.ts";
import { ownedProblemOf } from "./packs/owned-problems.ts";
import { kindProblem, withProblemData } from "./problem.ts";
import { coreProblemData } from "./problem-data.ts";
import type { Problem } from "./problem.ts";

/** Every problem by its code. */
export const problems: Readonly<Record<string, Problem>> = {
  ...withProblemData(coreProblems, coreProblemData),
  ...Object.fromEntries(packs.flatMap((pack) => Object.entries(pack.problems))),
};

/** The problem of a code. Kinds have codes of their own (`ticket.already_closed`), which the contract does not know. */
export function problemOf(code: string): Problem {
  const known = [code, plainCode(code)].find((name) => Object.hasOwn(problems, name));
  const problem = known === undefined ? undefined : problems[known];
  return problem ?? ownedProblemOf(code) ?? kindProblem(code);
}

const ownOperations = new Map(
  packs.flatMap(({ resources }) => resources.map((resource) => [resource.type, ownOperationsOf(resource)] as const)),
);

/** The problem as a refusal with this data shows it. */
export function problemFor(code: string, { type }: Readonly<Record<string, unknown>>): Problem {
  const problem = problemOf(code);
  const own = typeof type === "string" ? ownOperations.get(type) : undefined;
  return own === undefined ? problem : { ...problem, next: nextForOwner(problem.next, own) };
}
