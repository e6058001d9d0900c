import type { Entity, Written } from "./operation-output.ts";
import type { ClientClock } from "./client-clock.ts";
import { pause } from "../base/pause.ts";
import { HoldfastError } from "./holdfast-error.ts";
import { backoffMs } from "../base/backoff-ms.ts";
import type { CallOptions, RetryCause } from "./transport/transport.ts";

export interface UpdateOptions<Value = unknown> extends Omit<CallOptions, "key" | "retry"> {
  /** Maximum attempts, the first one included; 5 by default. */
  readonly tries?: number;
  /** The value to start from if the entity does not exist. It is then created. Without it, that is an error. */
  readonly initial?: Value;
  /** The fence of the lock that protects the write. */
  readonly fence?: string;
}

interface UpdateWriteOptions extends CallOptions {
  readonly expectedRevision?: string;
  readonly fence?: string;
}

/** The part of the entities client that an update uses. */
interface EntityAccess {
  readonly client: {
    get(type: string, id: string): Promise<Entity>;
    create(type: string, id: string, value: unknown, options: UpdateWriteOptions): Promise<Written>;
    replace(type: string, id: string, value: unknown, options: UpdateWriteOptions): Promise<Written>;
  };
  readonly clock: ClientClock;
}

interface Subject {
  readonly type: string;
  readonly id: string;
}

const backoff = { baseMs: 20, capMs: 500 };
const conflictCodes = new Set(["concurrency_mismatch", "entity_exists", "entity_deleted", "entity_not_found"]);

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
      throw new TypeError(`The function that updates ${type}/${id} returned undefined. Return the new value.`);
    const write = { ...call, ...retry, key: clock.unique() };
    try {
      if (entity === undefined) return await client.create(type, id, value, write);
      return await client.replace(type, id, value, { ...write, expectedRevision: entity.revision });
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (tried >= tries) throw withAttempts(error, subject, tried);
    }
    retry = { retry: "conflict" };
    await pause(clock, backoffMs(backoff, tried, clock.random()));
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

function isConflict(error: unknown): error is HoldfastError {
  return error instanceof HoldfastError && conflictCodes.has(error.code);
}

/** The last conflict, with the number of attempts and the conflicting changes in words. */
function withAttempts(last: HoldfastError, { type, id }: Subject, tries: number): HoldfastError {
  const { code, data, position, replayed } = last;
  const changes = (data["changes"] ?? []) as readonly { readonly pointer: string; readonly by?: unknown }[];
  const where = changes.map(({ pointer }) => (pointer === "" ? "the whole value" : pointer)).join(", ");
  const reason = `other writers changed ${type}/${id} in each of ${tries} attempts${where === "" ? "" : `, last at ${where}`}`;
  return new HoldfastError("update", code, { data: { ...data, tries, reason }, position, replayed });
}
