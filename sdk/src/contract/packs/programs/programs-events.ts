import Type from "typebox";
import { line } from "../../agents.ts";
import { version } from "../../conditions.ts";
import type { EventType } from "../../event-type.ts";

const closed = { additionalProperties: false } as const;
const hash = Type.Union([Type.String(), Type.Null()]);

/** An item before and after a mutation. Null: it did not exist. A module has no hash, so it has the empty text. */
export const mutatedItem = Type.Object(
  {
    item: Type.String({ description: "function/f1, type/t1 or module/m1." }),
    change: Type.Enum(["added", "changed", "removed", "renamed", "moved"]),
    before: hash,
    after: hash,
    /** The version of the item after the mutation. */
    version,
  },
  closed,
);

export const programsEvents = {
  "program.mutated": {
    summary: "A mutation of a program was accepted.",
    data: Type.Object(
      {
        what: Type.Enum(["mutate", "undo", "redo", "import"]),
        of: Type.Optional(Type.Integer({ description: "The position of the mutation that was undone or redone." })),
        version,
        items: Type.Array(mutatedItem),
        set: Type.String({ description: "The touched items, sorted." }),
        description: Type.Optional(line),
      },
      closed,
    ),
  },
  "program.hash_conflict": {
    summary: "A mutation was refused because the item changed after it was read.",
    data: Type.Object(
      {
        expected_hash: hash,
        current_hash: hash,
        set: Type.Optional(
          Type.String({ description: "The touched items, sorted. Only the first conflict of a mutation has it." }),
        ),
      },
      closed,
    ),
  },
} as const satisfies Record<string, EventType>;
