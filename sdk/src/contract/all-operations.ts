import { agentOperations } from "./agents.ts";
import { auditOperations } from "./audit.ts";
import { entityOperations } from "./entities.ts";
import { lockInternals } from "./lock-internals.ts";
import { lockViews } from "./lock-views.ts";
import { lockOperations } from "./locks.ts";
import type { Operation } from "./operation.ts";
import { intentInternals } from "./packs/intents/intent-internals.ts";
import { jobsInternals } from "./packs/jobs/jobs-internals.ts";
import { programInternals } from "./packs/programs/program-internals.ts";
import { spaceOperations } from "./space.ts";
import { tokenOperations } from "./tokens.ts";

/** Every operation by name. Doors, documents and tests are built from this list. */
export const allOperations = {
  ...entityOperations,
  ...agentOperations,
  ...lockOperations,
  ...lockViews,
  ...lockInternals,
  ...intentInternals,
  ...programInternals,
  ...jobsInternals,
  ...spaceOperations,
  ...auditOperations,
  ...tokenOperations,
} as const;

type All = typeof allOperations;

/** The operations that callers may send. */
export type OperationName = {
  [Name in keyof All]: All[Name]["kind"] extends "internal" ? never : Name;
}[keyof All];

export const publicOperations: readonly Operation[] = Object.values<Operation>(allOperations).filter(
  ({ kind }) => kind !== "internal",
);
