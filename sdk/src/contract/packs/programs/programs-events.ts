import Type from "typebox";
import { line } from "../../agents.ts";
import type { EventType } from "../../event-type.ts";

const closed = { additionalProperties: false } as const;
const hash = Type.Union([Type.String(), Type.Null()]);

/** An item of a mutation. Its hash and its version are in the next events of the same entry. */
export const mutatedItem = {
  item: Type.String({ description: "function/f1, type/t1 or module/m1." }),
  change: Type.Enum(["added", "changed", "removed", "renamed", "moved"]),
};

export const programsEvents = {
  "program.mutated": {
    summary: "A mutation of a program was accepted.",
    data: Type.Object(
      {
        what: Type.Enum(["mutate", "undo", "redo", "import"]),
        of: Type.Optional(Type.Integer({ description: "The position of the mutation that was undone or redone." })),
        items: Type.Array(Type.Object(mutatedItem, closed)),
        set: Type.Optional(
          Type.String({
            description: "The touched items, sorted, if they differ from the changed items that existed.",
          }),
        ),
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
