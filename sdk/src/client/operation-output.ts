/** The inputs and outputs of operations, as the client shows them. */
import type { Static } from "typebox";
import type { allOperations, OperationName } from "../contract/all-operations.ts";
import type { holder } from "../contract/grant.ts";
import type { Notice } from "../contract/notices.ts";
import type { Operation } from "../contract/operation.ts";
import type { ClientForm } from "./data/client-form.ts";

type DeepReadonly<Value> = unknown extends Value
  ? Value
  : Value extends readonly (infer Item)[]
    ? readonly DeepReadonly<Item>[]
    : Value extends object
      ? { readonly [Name in keyof Value]: DeepReadonly<Value[Name]> }
      : Value;

type OperationNamed<Name extends OperationName> = (typeof allOperations)[Name];

/** The input of an operation as the wire has it, without the members that only the server sets. */
export type WireInput<Name extends OperationName> = DeepReadonly<Static<OperationNamed<Name>["input"]>>;
/** The result of an operation as the wire has it. */
export type WireOutput<Name extends OperationName> = Static<OperationNamed<Name>["output"]>;

/** The input of an operation as the client takes it. */
export type OperationInput<Name extends OperationName> = ClientForm<WireInput<Name>>;
/** The result of an operation as the client shows it. */
export type OperationOutput<Name extends OperationName> = ClientForm<WireOutput<Name>>;

/** Input and result of an operation that is known by its definition, as the client shows them. */
export type InputOfOperation<O extends Operation> = ClientForm<Static<O["input"]>>;
export type OutputOfOperation<O extends Operation> = ClientForm<Static<O["output"]>>;

type ItemOf<List> = List extends { readonly items: readonly (infer Item)[] } ? Item : never;

export type Entity<Value = unknown> = Omit<OperationOutput<"get-entity">, "value"> & { readonly value: Value };
export type Written<Value = unknown> = Omit<OperationOutput<"create-entity">, "value"> & { readonly value: Value };
export type Deleted = OperationOutput<"delete-entity">;
export type HistoryItem = ItemOf<OperationOutput<"list-history">>;

export type Agent = ItemOf<OperationOutput<"list-agents">>;
export type Registered = OperationOutput<"register-agent">;
export type WhoAmI = OperationOutput<"who-am-i">;

export type Grant = OperationOutput<"renew-lock">;
export type Granted = Extract<OperationOutput<"acquire-lock">, { readonly granted: true }>;
export type Queued = Extract<OperationOutput<"acquire-lock">, { readonly granted: false }>;
export type LeftBefore = Granted["leftBefore"][number];
/** The holder of a lock. */
export type LockHolder = ClientForm<Static<typeof holder>>;

export type LockRow = Extract<ItemOf<OperationOutput<"list-locks">>, { readonly holders: unknown }>;
export type DalLock = Exclude<ItemOf<OperationOutput<"list-locks">>, LockRow>;
export type LockStatus = Extract<OperationOutput<"get-lock">, { readonly queue: unknown }>;
export type PastLockStatus = Exclude<OperationOutput<"get-lock">, LockStatus>;
export type TicketStatus = OperationOutput<"get-ticket">;
export type Wait = ItemOf<OperationOutput<"list-waits">>;

export type Token = ItemOf<OperationOutput<"list-tokens">>;
export type CreatedToken = OperationOutput<"create-token">;
export type RotatedToken = OperationOutput<"rotate-token">;

export type AuditQuery = OperationInput<"list-audit">;
export type AuditItem = ItemOf<OperationOutput<"list-audit">>;
export type JournalQuery = OperationInput<"list-journal">;
export type JournalItem = ItemOf<OperationOutput<"list-journal">>;

/** A push message to an owner: its place in a queue, an expiring lease, or a notice of a pack. */
export type OwnerNotice = ClientForm<Notice>;
