import { defined } from "../../base/defined.ts";
import type { CoreClient } from "../core-client.ts";
import { HoldfastError } from "../holdfast-error.ts";
import type { Lock } from "../locks/handle/lock.ts";
import type { ProgramEdit } from "./program-edit.ts";

/** The locks of an edit: always one set, so that two edits cannot deadlock. */
export class EditLocks implements AsyncDisposable {
  readonly #client: Pick<CoreClient, "acquire" | "tryAcquire">;
  readonly #edit: Omit<ProgramEdit, "tries" | "repairs"> & { readonly programId: string };
  readonly #write: ReadonlySet<string>;
  readonly #read: Set<string>;
  #lock: Lock | undefined;

  constructor(
    client: Pick<CoreClient, "acquire" | "tryAcquire">,
    edit: Omit<ProgramEdit, "tries" | "repairs"> & { readonly programId: string },
  ) {
    this.#client = client;
    this.#edit = edit;
    this.#write = new Set(edit.write);
    this.#read = new Set(edit.read);
  }

  /** The functions that the edit reads. */
  get functions(): readonly string[] {
    return [...new Set([...this.#write, ...this.#read])];
  }

  /** The lock of all of them. It is acquired again if it was lost or does not suffice. */
  async hold(): Promise<Lock> {
    if (this.#lock !== undefined && this.#lock.lost === undefined) return this.#lock;
    await this.#release();
    const { purpose, waitMs, signal } = this.#edit;
    const options = { ...defined({ purpose, signal }) };
    const lock = await (waitMs === undefined
      ? this.#client.acquire(this.#paths(), options)
      : this.#client.tryAcquire(this.#paths(), { ...options, waitMs }));
    if (!lock.granted)
      throw new HoldfastError("programs.edit", "lock_denied", { data: { ...lock.data, reason: lock.message } });
    this.#lock = lock;
    return lock;
  }

  /** Adds read locks that a refused mutation named. All locks are released first: the set is acquired as one. */
  async add(missing: readonly { readonly functionId?: string }[]): Promise<void> {
    for (const { functionId } of missing)
      if (functionId !== undefined && !this.#write.has(functionId)) this.#read.add(functionId);
    await this.#release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#release();
  }

  #paths() {
    const isEmpty = this.#write.size + this.#read.size === 0;
    const { programId, structure = isEmpty } = this.#edit;
    const root = `program/${programId}`;
    const reads = [...this.#read].filter((id) => !this.#write.has(id));
    return [
      ...(structure ? [{ path: root, mode: "write", scope: "self" } as const] : []),
      ...[...this.#write].map((id) => ({ path: `${root}/function/${id}`, mode: "write" }) as const),
      ...reads.map((id) => ({ path: `${root}/function/${id}`, mode: "read" }) as const),
    ];
  }

  async #release(): Promise<void> {
    const lock = this.#lock;
    this.#lock = undefined;
    await lock?.release();
  }
}
