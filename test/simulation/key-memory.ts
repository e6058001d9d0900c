import type { AppendResult, FollowResult, Head } from "../../server/src/journal/journal.ts";
import type { SealedBatch } from "../../server/src/journal/seal.ts";
import { type Entry, keyScope } from "../../server/src/machine/entry.ts";

/** The recently used keys that one process remembers, as the journal of a real node does. */
export class KeyMemory {
  readonly #positions = new Map<string, number>();
  #end: Head | undefined;

  recall(scopes: readonly string[], at: Head): readonly (number | undefined)[] | undefined {
    if (this.#end?.hash !== at.hash) return undefined;
    return scopes.map((scope) => this.#positions.get(scope));
  }

  /** The keys are still in the store, and a node must query it. */
  clear(): void {
    this.#positions.clear();
  }

  noteAppended(appended: AppendResult, batch: SealedBatch): void {
    if (appended.kind === "appended") this.#add(batch.entries, batch.after, batch.head);
    else if (appended.kind === "diverged") this.#forget();
  }

  noteFollowed(followed: FollowResult, after: Head): void {
    if (followed.kind === "followed") this.#add(followed.entries, after, followed.head);
    else this.#forget();
  }

  #add(entries: readonly Entry[], after: Head, head: Head): void {
    if (this.#end !== undefined && this.#end.hash !== after.hash) return;
    for (const entry of entries) {
      const scope = keyScope(entry);
      if (scope !== undefined && !this.#positions.has(scope)) this.#positions.set(scope, entry.position);
    }
    this.#end = head;
  }

  #forget(): void {
    this.clear();
    this.#end = undefined;
  }
}
