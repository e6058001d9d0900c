import type { Static, TSchema } from "typebox";
import type { ProblemCode } from "./core-problems.ts";
import type { Resource } from "./packs/resource.ts";
import type { Right } from "./rights.ts";
import type { Route } from "./routes.ts";

/**
 * A named request, the same at every door: `verb-noun`, or `pack.verb-noun` for an operation of a pack.
 * - `write` becomes a command and may become an entry;
 * - `read` reads durable state;
 * - `internal` is a command that only Holdfast sends (timers, recovery).
 */
export interface Operation<
  Name extends string = string,
  Input extends TSchema = TSchema,
  Output extends TSchema = TSchema,
  Kind extends OperationKind = OperationKind,
> {
  readonly name: Name;
  readonly kind: Kind;
  readonly summary: string;
  readonly input: Input;
  readonly output: Output;
  /** The problem codes of this operation, in addition to those that every operation shares. */
  readonly problems: readonly ProblemCode[];
  /** A caller needs all of them. Only internal operations have none. */
  readonly rights: readonly Right[];
  /** Its HTTP routes. Without one it is reachable by name only. */
  readonly routes: readonly Route[];
  /** A plain input. Documents show it, and a test checks that it matches the schema. */
  readonly example: Readonly<Record<string, unknown>>;
  /** The resource of a pack that the operation is about. Its outcome is shown as that resource. */
  readonly resource?: Resource | undefined;
  /** Members of the input that only the server sets, such as the hash of a secret. */
  readonly sets: readonly string[];
  /** The operation takes bytes in addition to its input. It is sent over HTTP or in process. */
  readonly body?: "binary";
  /** Maximum bytes of the body; 8 MiB by default. The body is a stream, so a larger one costs no memory. */
  readonly bodyBytesMax?: number;
  /** The operation answers with bytes. It is sent over HTTP or in process. */
  readonly answer?: "stream";
  /** Every caller that may send it sees the whole reply. Otherwise a caller without the right to read sees a part. */
  readonly hasOpenReply?: true;
  /** The answer is about the grant of `fence`. A caller that may not see this grant gets no reason. */
  readonly isAboutGrant?: true;
  /** The operation acquires locks: in the modes that its input names, or in write mode. Metrics count them by mode. */
  readonly acquires?: "named-modes" | "write";
  /** The call is about the agent of its caller. A client does not send it without its agent after that agent ended. */
  readonly isAboutCaller?: true;
  /**
   * A second run has the same result, so a client may send the call again without a key. `with-own-key` needs the member
   * `own_key`, and `unless-it-waits` excludes `wait`.
   */
  readonly isRepeatable?: "always" | "with-own-key" | "unless-it-waits";
  /** The operation recurs by itself, and the audit trail leaves it out. */
  readonly isUpkeep?: true;
  /** The members of the input that the audit trail shows as the reason of the entry. */
  readonly auditReason?: readonly string[];
  /** The operation adds one more to what a principal may have of these. */
  readonly countsAs?: "agent";
  /** The members of an answer that a caller gets who may write and not read, besides those of every written entity. */
  readonly visibleToWriters?: readonly string[];
}

type OperationKind = "write" | "read" | "internal";

interface PublicOperation<
  Name extends string,
  Input extends TSchema,
  Output extends TSchema,
  Kind extends OperationKind,
> extends Omit<Operation<Name, Input, Output, Kind>, "rights" | "example" | "sets"> {
  readonly rights: readonly [Right<Static<Input>>, ...Right<Static<Input>>[]];
  readonly example: Static<Input>;
  readonly sets?: readonly (keyof Static<Input> & string)[];
}

/** An operation that callers may send. Without rights, routes or an example it does not compile. */
export function operation<
  const Name extends string,
  Input extends TSchema,
  Output extends TSchema,
  const Kind extends "write" | "read",
>(definition: PublicOperation<Name, Input, Output, Kind>): Operation<Name, Input, Output, Kind> {
  const { example, sets = [] } = definition;
  return { ...definition, example: example, sets };
}

/** An operation that only Holdfast sends. */
export function internalOperation<const Name extends string, Input extends TSchema, Output extends TSchema>(
  definition: Pick<
    Operation<Name, Input, Output>,
    "name" | "summary" | "input" | "output" | "problems" | "isUpkeep" | "auditReason"
  >,
): Operation<Name, Input, Output, "internal"> {
  return { ...definition, kind: "internal", rights: [], routes: [], example: {}, sets: [] };
}

export type InputOf<O extends Operation> = Static<O["input"]>;
export type OutputOf<O extends Operation> = Static<O["output"]>;
