import type { Entity, Written } from "../contract/entities.ts";
import type { ClientClock } from "./client-clock.ts";
import { pause } from "../base/pause.ts";
import { HoldfastError } from "./holdfast-error.ts";
import { backoffMs } from "../base/backoff-ms.ts";
import type { CallOptions, RetryCause } from "./transport.ts";

export interface UpdateOptions<Value = unknown> extends Omit<CallOptions, "key" | "retry"> {
  /** Maximum attempts, the first one included; 5 by default. */
  readonly tries?: number;
  /** The value to start from if the entity does not exist. It is then created. Without it, that is an error. */
  readonly initial?: Value;
  /** The fence of the lock that protects the write. */
  readonly fence?: string;
}

interface WriteOf extends CallOptions {
  readonly expectedRevision?: string;
  readonly fence?: string;
}

/** The part of the entities client that an update uses. */
interface EntityAccess {
  readonly client: {
    get(type: string, id: string): Promise<Entity>;
    create(type: string, id: string, value: unknown, options: WriteOf): Promise<Written>;
    replace(type: string, id: string, value: unknown, options: WriteOf): Promise<Written>;
  };
  readonly clock: ClientClock;
}

interface Subject {
  readonly type: string;
  readonly id: string;
}

const delays = { baseMs: 20, capMs: 500 };
const changedByOthers = new Set(["concurrency_mismatch", "entity_exists", "entity_deleted", "entity_not_found"]);

/** Each round reads again, decides again and uses a new key: it is a new request on another version. */
export async function updateEntity(
  { client, clock }: EntityAccess,
  subject: Subject,
  change: (value: unknown, entity: Entity | undefined) => unknown,
  options: UpdateOptions = {},
): Promise<Written> {
  const { tries = 5, initial, ...call } = options;
  const { type, id } = subject;
  let retry: { retry?: RetryCause } = {};
  for (let tried = 1; ; tried += 1) {
    const entity = await read(client, subject, "initial" in options);
    const value = await change(entity === undefined ? initial : entity.value, entity);
    if (value === undefined)
      throw new TypeError(`the update of ${type}/${id} must return the new value, not undefined`);
    const write = { ...call, ...retry, key: clock.unique() };
    try {
      if (entity === undefined) return await client.create(type, id, value, write);
      return await client.replace(type, id, value, { ...write, expectedRevision: entity.revision });
    } catch (error) {
      if (!isOvertaken(error)) throw error;
      if (tried >= tries) throw explained(error, subject, tried);
    }
    retry = { retry: "conflict" };
    await pause(clock, backoffMs(delays, tried, clock.random()));
  }
}

async function read(
  client: EntityAccess["client"],
  { type, id }: Subject,
  mayBeAbsent: boolean,
): Promise<Entity | undefined> {
  try {
    return await client.get(type, id);
  } catch (error) {
    const isAbsent =
      error instanceof HoldfastError && (error.code === "entity_not_found" || error.code === "entity_deleted");
    if (isAbsent && mayBeAbsent) return undefined;
    throw error;
  }
}

function isOvertaken(error: unknown): error is HoldfastError {
  return error instanceof HoldfastError && changedByOthers.has(error.code);
}

/** The last conflict, with the number of attempts and the conflicting changes in words. */
function explained(last: HoldfastError, { type, id }: Subject, tries: number): HoldfastError {
  const { code, data, position, replayed } = last;
  const changes = (data["changes"] ?? []) as readonly { readonly pointer: string; readonly by?: unknown }[];
  const where = changes.map(({ pointer }) => (pointer === "" ? "the whole value" : pointer)).join(", ");
  const reason = `other writers changed ${type}/${id} in each of ${tries} attempts${where === "" ? "" : `, last at ${where}`}`;
  return new HoldfastError("update", code, { data: { ...data, tries, reason }, position, replayed });
}
