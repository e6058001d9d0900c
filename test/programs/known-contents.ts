/** The contents of functions that callers have read, with the hashes that the machine shows for them. */
import assert from "node:assert/strict";
import type { Random } from "../simulation/random.ts";
import { isSame } from "./undo-model.ts";
import type { ModelContent, ModelFunction, ModelRow, UndoModel } from "./undo-model.ts";

const labelOf = (id: string, content: ModelFunction): string => JSON.stringify([id, content]);

export class KnownContents {
  readonly #hashes = new Map<string, string>();
  readonly #read: { readonly id: string; readonly content: ModelFunction }[] = [];

  /** Two contents have the same hash only if they are the same. */
  learn(id: string, content: ModelFunction, hash: string): void {
    const label = labelOf(id, content);
    assert.equal(this.#hashes.get(label) ?? hash, hash, "the same content has the same hash");
    if (!this.#hashes.has(label)) this.#read.push({ id, content });
    this.#hashes.set(label, hash);
  }

  /** Mostly the current contents, sometimes older ones or none. */
  expected(random: Random, model: UndoModel, ids: readonly string[]): Map<string, ModelFunction | undefined> {
    const entries = ids.map((id): readonly [string, ModelFunction | undefined] => {
      const current = model.functions.get(id);
      const older = this.#read.filter((each) => each.id === id && !isSame(each.content, current));
      if (random.chance(0.04)) return [id, undefined];
      return [id, older.length > 0 && random.chance(0.1) ? random.pick(older).content : current];
    });
    return new Map(entries);
  }

  hashesOf(expected: ReadonlyMap<string, ModelFunction | undefined>): Record<string, string> {
    const known = [...expected].flatMap(([id, content]) => {
      const hash = content === undefined ? undefined : this.#hashes.get(labelOf(id, content));
      return hash === undefined ? [] : [[id, hash] as const];
    });
    return Object.fromEntries(known);
  }

  /** The rows of a stack as the machine shows them, the newest first. */
  hashedRows(rows: readonly ModelRow[]) {
    const hashed = (id: string, content: ModelContent) =>
      content === null ? null : (this.#hashes.get(labelOf(id, content)) ?? "unknown");
    return rows.toReversed().map(({ position, changes }) => ({
      position,
      items: changes.map(({ id, before, after }) => [`function/${id}`, hashed(id, before), hashed(id, after)]).sort(),
    }));
  }
}
