/**
 * Locks on the functions of a program, in the terms of program editing. A function is the path
 * `program/{program_id}/function/{function_id}`. The structure is the path `program/{program_id}` alone, and the whole
 * program is the same path with everything below. Each route is a view of an operation on locks.
 */
import Type from "typebox";
import type { Static } from "typebox";
import { line } from "./agents.ts";
import { fence } from "./grant.ts";
import { mode, ttlSeconds } from "./lock-path.ts";

const closed = { additionalProperties: false } as const;

/** One segment of a path, so it has no slash. */
const name = (description: string) =>
  Type.String({ minLength: 1, maxLength: 200, pattern: "^[^/\\u0000-\\u001f\\u007f]+$", description });

export const programId = name("The id of a program.");
export const functionId = name("The id of a function of this program.");

const functionIds = Type.Array(functionId, { minItems: 1, maxItems: 1000 });
const programScope = Type.Enum(["structure", "program"], {
  description: "Instead of functions: `structure` is which items exist, and `program` is everything.",
});
const which = {
  function_id: Type.Optional(functionId),
  function_ids: Type.Optional(functionIds),
  scope: Type.Optional(programScope),
};
const how = {
  mode: Type.Optional(mode),
  description: Type.Optional(line),
  wait: Type.Optional(Type.Boolean({ description: "Queue the request if the lock is not free." })),
  ttl_seconds: Type.Optional(ttlSeconds),
};

const programAcquire = Type.Object({ ...which, ...how }, closed);

const programBatch = Type.Object(
  {
    locks: Type.Array(Type.Object({ function_id: functionId, mode: Type.Optional(mode) }, closed), {
      minItems: 1,
      maxItems: 1000,
      description: "All or nothing.",
    }),
    ...how,
  },
  closed,
);

const programRelease = Type.Object({ ...which, fence: Type.Optional(fence) }, closed);

const programRenew = Type.Object(
  {
    ...which,
    fence: Type.Optional(fence),
    ttl_seconds: Type.Optional(ttlSeconds),
    description: Type.Optional(line),
  },
  closed,
);

export type ProgramAcquire = Static<typeof programAcquire>;
export type ProgramBatch = Static<typeof programBatch>;
export type ProgramRelease = Static<typeof programRelease>;
export type ProgramRenew = Static<typeof programRenew>;

/** The routes, each with the operation that it is a view of. */
export const programLockRoutes = [
  { method: "GET", path: "/v1/programs/{program_id}/locks", operation: "list-locks", body: undefined },
  { method: "POST", path: "/v1/programs/{program_id}/locks/acquire", operation: "acquire-lock", body: programAcquire },
  { method: "POST", path: "/v1/programs/{program_id}/locks/batch", operation: "acquire-lock", body: programBatch },
  { method: "POST", path: "/v1/programs/{program_id}/locks/release", operation: "release-lock", body: programRelease },
  { method: "POST", path: "/v1/programs/{program_id}/locks/renew", operation: "renew-lock", body: programRenew },
] as const;
