/**
 * The published files of a journal, derived from the events of its entries alone, and the promises that hold after each of
 * them. It has no table, index or counter of the pack.
 */
import { guardOf } from "@holdfast/sdk/contract";
import type { Entry, Event } from "../../server/src/machine/entry.ts";
import { LockView } from "../simulation/lock-view.ts";
import type { Witness } from "../simulation/witness.ts";
import { coversNeed } from "../workspace/covers-need.ts";

interface WatchedPublish {
  readonly id: string;
  readonly target: string;
  readonly root: string;
  readonly fence: string;
  readonly bytesMax: number;
}

interface WatchedVersion {
  readonly version: number;
  readonly root: string;
  readonly bytes: number;
  readonly id: string;
  readonly pins: Map<string, number>;
}

interface WatchedRoot {
  isDegraded: boolean;
  bytesMax: number;
}

interface WatchedQuotas {
  readonly root_quotas?: Readonly<Record<string, number | null>>;
  readonly quotas?: Readonly<Record<string, number | null>>;
}

type Check = (isKept: boolean, promise: string) => void;

export class FileWatch {
  readonly publishes = new Map<string, WatchedPublish>();
  /** The kept versions of each target, the oldest first. */
  readonly versions = new Map<string, WatchedVersion[]>();
  /** The highest number that each target ever had, also after its deletion. */
  readonly #numbers = new Map<string, number>();
  readonly #garbage = new Map<string, { readonly root: string; readonly target: string; readonly bytes: number }>();
  readonly roots = new Map<string, WatchedRoot>();
  readonly #quotas = new Map<string, number>();
  #locks = new LockView();

  append(entries: readonly Entry[], witness: Witness): void {
    for (const entry of entries) {
      for (const event of entry.events) {
        const check: Check = (isKept, promise) => {
          witness.demand(isKept, promise, () => `${JSON.stringify(event)} at position ${String(entry.position)}`);
        };
        if (event.subject.startsWith("file/")) this.#applyFile(event, entry, check);
        else this.#applyRoot(event);
        this.#locks.apply(event, entry);
      }
    }
  }

  /** The journal was rolled back to these entries. */
  goBack(entries: readonly Entry[]): void {
    for (const map of [this.publishes, this.versions, this.#numbers, this.#garbage, this.roots, this.#quotas])
      map.clear();
    this.#locks = new LockView();
    this.append(entries, { demand: () => undefined, log: () => undefined });
  }

  #applyFile({ type, subject, data }: Event, { time }: Entry, check: Check): void {
    const target = subject.slice("file/".length);
    const kept = this.versions.get(target) ?? [];
    const number = data["version"] as number;
    const version = kept.find((each) => each.version === number);
    if (type === "files.opened") this.#open(target, data, check);
    else if (type === "files.aborted") this.#abort(data["id"] as string, check);
    else if (type === "files.committed") this.#commit(target, data, check);
    else if (type === "files.pinned") version?.pins.set(data["owner"] as string, data["until"] as number);
    else if (type === "files.unpinned") version?.pins.delete(data["owner"] as string);
    else if (type === "files.collected") {
      check(version !== undefined, "a version that is kept is collected");
      check(
        kept.indexOf(version as WatchedVersion) < kept.length - 2,
        "the current version and the one before it stay",
      );
      if (version !== undefined) this.#drop(target, [version], time, check);
    } else if (type === "files.deleted") {
      this.#drop(target, kept, time, check);
    }
  }

  #open(target: string, data: Event["data"], check: Check): void {
    const {
      id,
      root,
      fence,
      bytes_max: bytesMax,
    } = data as { id: string; root: string; fence: string; bytes_max: number };
    check(!this.publishes.has(id), "the id of a publish is new");
    check(this.roots.get(root)?.isDegraded === false, "a degraded root takes no publish");
    this.#checkLock(fence, target, check);
    this.publishes.set(id, { id, target, root, fence, bytesMax });
    check(
      this.#used(({ root: of }) => of === root) <= (this.roots.get(root)?.bytesMax ?? 0),
      "the quota of a root holds",
    );
    for (const [under, max] of this.#quotas) {
      if (target !== under && !target.startsWith(`${under}/`)) continue;
      const isUnder = ({ target: of }: { readonly target: string }): boolean =>
        of === under || of.startsWith(`${under}/`);
      check(this.#used(isUnder) <= max, "the quota of a path holds");
    }
  }

  #abort(id: string, check: Check): void {
    const publish = this.publishes.get(id);
    check(publish !== undefined, "a publish that has not ended is aborted");
    this.publishes.delete(id);
    if (publish !== undefined) this.#garbage.set(id, { ...publish, bytes: 0 });
  }

  #commit(target: string, data: Event["data"], check: Check): void {
    const { id, version, root, bytes } = data as { id: string; version: number; root: string; bytes: number };
    const publish = this.publishes.get(id);
    check(publish?.target === target && publish.root === root, "a publish is committed once, to its target");
    if (publish !== undefined) this.#checkLock(publish.fence, target, check);
    check(bytes <= (publish?.bytesMax ?? 0), "a version has no more bytes than its publish reserved");
    check(
      version === (this.#numbers.get(target) ?? 0) + 1,
      "the numbers of a target rise by one, also after a deletion",
    );
    this.#numbers.set(target, version);
    this.publishes.delete(id);
    this.versions.set(target, [...(this.versions.get(target) ?? []), { version, root, bytes, id, pins: new Map() }]);
  }

  #drop(target: string, dropped: readonly WatchedVersion[], time: number, check: Check): void {
    for (const { id, root, bytes, pins } of dropped) {
      check(Math.max(0, ...pins.values()) <= time, "a pinned version stays");
      this.#garbage.set(id, { root, target, bytes });
    }
    const left = (this.versions.get(target) ?? []).filter((version) => !dropped.includes(version));
    this.versions.set(target, left);
  }

  #checkLock(fence: string, target: string, check: Check): void {
    const paths = this.#locks.grants.get(fence)?.paths ?? [];
    const need = { path: guardOf(target), mode: "write", scope: "self" } as const;
    check(
      paths.some((held) => coversNeed(held, need)),
      "a publish begins and is committed under a live write lock on its guard",
    );
  }

  /** Bytes of versions, of garbage and of running publishes. */
  #used(isCounted: (stored: { readonly root: string; readonly target: string }) => boolean): number {
    const versions = [...this.versions].flatMap(([target, list]) => list.map((version) => ({ ...version, target })));
    const reserved = [...this.publishes.values()].map((publish) => ({ ...publish, bytes: publish.bytesMax }));
    const all = [...versions, ...this.#garbage.values(), ...reserved];
    return all.filter(isCounted).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #applyRoot({ type, data }: Event): void {
    const root = data["root"] as string;
    if (type === "files.root_announced")
      this.roots.set(root, this.roots.get(root) ?? { isDegraded: false, bytesMax: Infinity });
    const known = this.roots.get(root);
    if (type === "files.root_degraded" && known !== undefined) known.isDegraded = true;
    if (type === "files.root_cleared" && known !== undefined) known.isDegraded = false;
    if (type === "files.removed") for (const id of data["ids"] as readonly string[]) this.#garbage.delete(id);
    if (type === "files.configured") this.#configure(data);
  }

  #configure({ root_quotas: roots = {}, quotas = {} }: WatchedQuotas): void {
    for (const [root, max] of Object.entries(roots)) {
      const known = this.roots.get(root);
      if (known !== undefined) known.bytesMax = max ?? Infinity;
    }
    for (const [under, max] of Object.entries(quotas)) {
      if (max === null) this.#quotas.delete(under);
      else this.#quotas.set(under, max);
    }
  }
}
