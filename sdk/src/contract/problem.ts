import type { TSchema } from "typebox";

/**
 * A reason to refuse a request. Programs compare the code. `title` and `next` are for people. `retry` says what a
 * client may do by itself:
 * - `never`: the same request fails the same way.
 * - `new-key-after-read`: read again, decide again, and send a new request with a new key.
 * - `same-key`: the outcome is unknown or nothing happened, so send the same request with the same key or command id.
 * - `later`: send the same request after `retry_after_ms`.
 */
export interface Problem {
  readonly status: number;
  readonly retry: "never" | "new-key-after-read" | "same-key" | "later";
  readonly title: string;
  readonly next: string;
  /** The data of a refusal, if there is any. Doors may add members, such as `retry_after_ms`. */
  readonly data?: TSchema;
  /** The refusal of a lock that another owner holds. Metrics count it as denied and contended. */
  readonly isContention?: true;
  /** The members of its data that name other entities. A caller gets those of entities that it may read. */
  readonly reveals?: readonly RevealedEntity[];
  /** The members that a caller gets who may write and not read, such as `conflicts.current_hash`. By default none. */
  readonly visibleToWriters?: readonly string[];
}

export interface RevealedEntity {
  /** The member that holds the entity or a list of them; the data itself by default. */
  readonly member?: string;
  /** The member with the id. */
  readonly id: string;
  /** The entity type. `own` is the type of the refused operation, and `.name` the member `name` next to the id. */
  readonly type?: string;
  /** The id is the path of a lock. A caller that may lock the path sees it too. */
  readonly isPath?: true;
  /** The path of the entity. `{}` is replaced by the id, and `{name}` by the member `name` of the data. */
  readonly path?: string;
  /** Members of a hidden item that stay. By default the whole item is hidden. */
  readonly keeps?: readonly string[];
  /** Members next to the id that are hidden with it. Items of a list and objects are hidden whole. */
  readonly also?: readonly string[];
}

/** The problem of a code that only a kind of entity knows, such as `ticket.already_closed`. */
export function kindProblem(code: string): Problem {
  return { status: 409, retry: "never", title: code, next: "See the rules of this kind of entity." };
}

/** The same problems with the schemas of their data. */
export function withProblemData<Problems extends Readonly<Record<string, Problem>>>(
  problems: Problems,
  data: Readonly<Record<string, TSchema>>,
): Readonly<Record<keyof Problems & string, Problem>> {
  const described = Object.entries(problems).map(([code, problem]): [string, Problem] => {
    const schema = data[code];
    return [code, schema === undefined ? problem : { ...problem, data: schema }];
  });
  return Object.fromEntries(described) as Readonly<Record<keyof Problems & string, Problem>>;
}
