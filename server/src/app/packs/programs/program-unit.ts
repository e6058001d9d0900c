/**
 * One program in the thread: its rows, with the changes of earlier mutations that are checked and not yet decided. Each
 * check reads a snapshot, so rows that arrive while it runs do not change what it sees.
 */
import type { Json } from "@holdfast/sdk/json/json";
import { sameJson } from "@holdfast/sdk/json/same-json";
import type { CheckRow } from "../../../checks/check.ts";
import { ProgramDraft } from "../../../packs/programs/language/draft.ts";
import { ProgramRows } from "../../../packs/programs/language/program-scope.ts";
import type { ItemKind } from "../../../packs/programs/language/program-scope.ts";
import type { ItemWrite, MutationFindings } from "../../../packs/programs/mutation-findings.ts";
import { hashOfItem, parseSubject } from "../../../packs/programs/program-value.ts";
import type { ItemValue, ProgramValue } from "../../../packs/programs/program-value.ts";

/** A mutation that was checked. Its writes are visible to later checks until it is decided. */
interface PendingMutation {
  readonly id: string;
  readonly writes: readonly ItemWrite[];
  readonly program: Pick<ProgramValue, "structure" | "chain" | "next">;
  isDone: boolean;
}

export interface ProgramSnapshot {
  readonly scope: ProgramDraft;
  readonly program: ProgramValue;
  /** The version of the program, and the entry that made it. */
  readonly revision: string;
  readonly position: number;
}

export class ProgramUnit {
  readonly rows = new ProgramRows();
  /** The durable values of items that pending mutations change. */
  readonly #durable = new Map<string, ItemValue | undefined>();
  readonly #snapshots = new Set<WeakRef<ProgramDraft>>();
  #pending: PendingMutation[] = [];
  #program: ProgramValue | undefined;
  #revision = "";
  #position = 0;

  /** Sets durable rows. */
  set(rows: readonly CheckRow[]): void {
    for (const { subject, value, revision = "", position = 0 } of rows) {
      const parsed = parseSubject(subject);
      if (parsed === undefined) continue;
      if (parsed.item === undefined) {
        this.#program = value as unknown as ProgramValue | undefined;
        this.#revision = revision;
        this.#position = position;
      } else {
        const { name } = parsed.item;
        const durable = (value ?? undefined) as unknown as ItemValue | undefined;
        if (this.#overriding(name) === undefined) this.#show(name, durable);
        else this.#durable.set(name, durable);
      }
    }
  }

  /** Newer rows: they include every decided mutation. */
  apply(rows: readonly CheckRow[]): void {
    this.set(rows);
    this.#remove(({ isDone }) => isDone);
  }

  /** The program as the next check sees it; undefined if there is no such program. */
  snapshot(): ProgramSnapshot | undefined {
    const durable = this.#snapshot();
    if (durable === undefined) return undefined;
    return { ...durable, program: { ...durable.program, ...this.#pending.at(-1)?.program } };
  }

  /** The program at its position, without changes that are not decided; undefined if there is no such program. */
  durableSnapshot(): ProgramSnapshot | undefined {
    const snapshot = this.#snapshot();
    for (const [item, value] of this.#durable) {
      const { kind, id } = parts(item);
      snapshot?.scope.set(kind, id, value);
    }
    return snapshot;
  }

  /** All items as `rows` shows them, with the durable program. */
  #snapshot(): ProgramSnapshot | undefined {
    if (this.#program === undefined) return undefined;
    const scope = new ProgramDraft(this.rows);
    this.#snapshots.add(new WeakRef(scope));
    return { scope, program: this.#program, revision: this.#revision, position: this.#position };
  }

  /** Shows the writes of a checked mutation to later checks. `seen` is the program that its check saw. */
  add(id: string, seen: ProgramValue, { writes, next_structure, next_chain, next }: MutationFindings): void {
    for (const { item, value } of writes) {
      if (this.#overriding(item) === undefined) this.#durable.set(item, this.#shown(item));
      this.#show(item, value ?? undefined);
    }
    const program = {
      structure: next_structure ?? seen.structure,
      chain: next_chain ?? seen.chain,
      next: next ?? seen.next,
    };
    this.#pending.push({ id, writes, program, isDone: false });
  }

  /** A mutation was decided. An accepted one stays until its rows arrive, which may have happened before. */
  answered(id: string, isDone: boolean): void {
    const pending = this.#pending.find((each) => each.id === id);
    if (pending === undefined) return;
    pending.isDone = isDone;
    const hasArrived = pending.program.chain === this.#program?.chain;
    if (!isDone || hasArrived) this.#remove((each) => each === pending);
  }

  #remove(isOver: (pending: PendingMutation) => boolean): void {
    const over = this.#pending.filter(isOver);
    if (over.length === 0) return;
    this.#pending = this.#pending.filter((pending) => !over.includes(pending));
    const items = new Set(over.flatMap(({ writes }) => writes.map(({ item }) => item)));
    for (const item of items) {
      const write = this.#overriding(item);
      if (write === undefined) {
        this.#show(item, this.#durable.get(item));
        this.#durable.delete(item);
      } else this.#show(item, write.value ?? undefined);
    }
  }

  /** The write of the newest pending mutation that changes the item. */
  #overriding(item: string): ItemWrite | undefined {
    return this.#pending
      .findLast(({ writes }) => writes.some((write) => write.item === item))
      ?.writes.findLast((write) => write.item === item);
  }

  #shown(item: string): ItemValue | undefined {
    const { kind, id } = parts(item);
    return this.rows[kind](id);
  }

  /** Changes a row. Running checks keep the value that they saw. */
  #show(item: string, value: ItemValue | undefined): void {
    const { kind, id } = parts(item);
    const before = this.rows[kind](id);
    // The row of an accepted mutation has the value that its check showed.
    if (isSame(before, value)) return;
    for (const reference of this.#snapshots) {
      const snapshot = reference.deref();
      if (snapshot === undefined) this.#snapshots.delete(reference);
      else if (!snapshot.changed(kind).has(id)) snapshot.set(kind, id, before);
    }
    this.rows.set(kind, id, value);
  }

  /** Ends a snapshot. A cancelled check never does, and its snapshot is collected. */
  end(snapshot: ProgramSnapshot): void {
    for (const reference of this.#snapshots) {
      const scope = reference.deref();
      if (scope === undefined || scope === snapshot.scope) this.#snapshots.delete(reference);
    }
  }
}

function isSame(before: ItemValue | undefined, value: ItemValue | undefined): boolean {
  if (before === undefined || value === undefined) return before === value;
  return hashOfItem(before) === hashOfItem(value) && sameJson(before as unknown as Json, value as unknown as Json);
}

function parts(item: string): { readonly kind: ItemKind; readonly id: string } {
  const at = item.indexOf("/");
  return { kind: item.slice(0, at) as ItemKind, id: item.slice(at + 1) };
}
