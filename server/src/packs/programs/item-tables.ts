/** The index of items by name, and the number of users of each item. */
import type { TableSpec } from "../../machine/table.ts";
import type { ItemKind } from "./language/program-scope.ts";

/** Separates the parts of a sort key. Ids and names have no control characters. */
export const gap = "\u0001";

export interface ItemRow {
  readonly subject: string;
  readonly programId: string;
  readonly kind: ItemKind;
  readonly id: string;
  readonly name: string;
  /** The module of a function or type, or the parent of a module. */
  readonly module: string;
  /** The items that it names: `function/f1`, `type/t1`. */
  readonly uses: readonly string[];
}

export const namePrefix = (programId: string, kind: ItemKind): string => `${programId}${gap}${kind}${gap}`;

/** The place of an item in lists: by program, kind, module and name. A template would keep each of its parts in memory. */
export const nameKey = (row: ItemRow): string => [row.programId, row.kind, row.module, row.name, row.id].join(gap);

export const itemTable: TableSpec<ItemRow, "subject" | "name"> = {
  name: "program-items",
  boundedBy: "quota",
  key: (row) => row.subject,
  sorts: {
    // By program, kind and id. It is the row's own text: a program may have 100,000 items.
    subject: (row) => row.subject,
    name: nameKey,
  },
  uniqueSorts: ["subject", "name"],
  bytes: (row) => 400 + 4 * row.subject.length + 12 * row.uses.length,
};

/** Functions that call an item, and functions and types that name it. An item without users has no row. */
interface UserCountRow {
  readonly subject: string;
  readonly users: number;
}

export const userCountTable: TableSpec<UserCountRow, never> = {
  name: "program-users",
  boundedBy: "quota",
  key: (row) => row.subject,
  sorts: {},
};

/** A deleted program whose items are being removed. */
interface RemovalRow {
  readonly programId: string;
  /** The entry that removed the last part. It distinguishes the commands of one removal. */
  readonly position: number;
}

export const removalTable: TableSpec<RemovalRow, "program"> = {
  name: "program-removals",
  boundedBy: "quota",
  key: (row) => row.programId,
  sorts: { program: (row) => row.programId },
};
