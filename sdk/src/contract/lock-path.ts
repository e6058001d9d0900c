/** The members of an operation on locks: path, mode, scope, set, lease and owner. */
import Type from "typebox";
import { ownerId } from "./agents.ts";

const closed = { additionalProperties: false } as const;

export const lockPath = Type.String({
  minLength: 1,
  maxLength: 1024,
  description:
    "The name of the locked thing: names and ids separated by slashes, such as `project/p1/map/m2` or `repo/x/src/a`.",
});

export const mode = Type.Enum(["read", "upgradeable", "write"], {
  description: "`read` shares with `read` and one `upgradeable`; `write` shares with nothing.",
});

export const scope = Type.Enum(["tree", "self"], {
  description: "`tree` (default): the path and everything below it. `self`: the record alone.",
});

export const seconds = (maximum: number, description: string) => Type.Integer({ minimum: 1, maximum, description });

export const ttlSeconds = seconds(86_400, "The lease: time until expiry without renewal, 1 second to 24 hours.");

export const lockedPath = Type.Object({ path: lockPath, mode, scope }, closed);

export const paths = Type.Array(
  Type.Union([
    lockPath,
    Type.Object({ path: lockPath, mode: Type.Optional(mode), scope: Type.Optional(scope) }, closed),
  ]),
  {
    minItems: 1,
    maxItems: 1000,
    description: "A set: all or nothing. Paths are sorted, repeats are merged, the strongest mode wins.",
  },
);

/** The owner of the lock, if it is not the calling agent. Only the agent itself may use a registered id. */
export const owner = { owner_id: Type.Optional(ownerId) };
