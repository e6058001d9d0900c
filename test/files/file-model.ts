/** A plain model of published files: lists that every command examines as a whole, without indexes and counters. */

interface ModelPublish {
  readonly id: string;
  readonly target: string;
  readonly root: string;
  readonly session: string;
  readonly principal: string;
  readonly fence: string;
  readonly bytesMax: number;
  readonly expected: number | undefined;
  readonly until: number;
}

interface ModelVersion {
  readonly target: string;
  readonly version: number;
  readonly root: string;
  readonly bytes: number;
  readonly id: string;
  collectAt: number | undefined;
  pins: { readonly owner: string; readonly until: number }[];
}

interface ModelRoot {
  readonly root: string;
  session: string;
  isDegraded: boolean;
  bytesMax: number | undefined;
}

/** The write lock that the model gives each target; undefined while it is free. */
export type HeldFence = (target: string) => string | undefined;

export interface OpenRequest {
  readonly target: string;
  readonly root?: string;
  readonly fence: string;
  readonly bytes_max: number;
  readonly expected_version?: number;
  readonly timeout_seconds: number;
}

/** The steps on the disk: bytes of the version, or the code of a failure. */
export type DiskSteps = { readonly bytes: number } | { readonly code: string; readonly degrades: boolean };

export class FileModel {
  publishes: ModelPublish[] = [];
  versions: ModelVersion[] = [];
  garbage: { readonly id: string; readonly root: string; readonly target: string; readonly bytes: number }[] = [];
  readonly roots: ModelRoot[] = [];
  readonly quotas = new Map<string, number>();
  /** The highest number that each target ever had. */
  readonly numbers = new Map<string, number>();
  retentionMs = 3_600_000;
  readonly #held: HeldFence;

  constructor(held: HeldFence) {
    this.#held = held;
  }

  current(target: string): number {
    return Math.max(0, ...this.of(target).map(({ version }) => version));
  }

  of(target: string): ModelVersion[] {
    return this.versions.filter((each) => each.target === target);
  }

  open(request: OpenRequest, principal: string, at: { readonly id: string; readonly time: number }): string {
    const { target, fence, bytes_max: bytesMax, expected_version: expected } = request;
    if (request.root === undefined && this.roots.length > 1) return "files.root_ambiguous";
    const root = request.root === undefined ? this.roots[0] : this.roots.find((each) => each.root === request.root);
    if (root === undefined) return "files.root_unknown";
    if (root.isDegraded) return "files.root_degraded";
    if (fence !== this.#held(target)) return "fence_stale";
    if (expected !== undefined && expected !== this.current(target)) return "files.version_conflict";
    const { root: name, session } = root;
    if (this.#isFull(name, target, bytesMax)) return "files.quota_exceeded";
    const until = at.time + request.timeout_seconds * 1_000;
    this.publishes.push({ id: at.id, target, root: name, session, principal, fence, bytesMax, expected, until });
    return "done";
  }

  commit(id: string, principal: string, at: { readonly time: number; readonly steps: DiskSteps }): string {
    const publish = this.publishes.find((each) => each.id === id && each.principal === principal);
    if (publish === undefined) return "files.publish_unknown";
    const { target, root, fence, expected } = publish;
    if (fence !== this.#held(target)) return "fence_stale";
    if (expected !== undefined && expected !== this.current(target)) return "files.version_conflict";
    const { steps } = at;
    if ("code" in steps) {
      this.#end(publish);
      if (steps.degrades) this.degrade(root);
      return steps.code;
    }
    this.publishes = this.publishes.filter((each) => each !== publish);
    const version = (this.numbers.get(target) ?? 0) + 1;
    this.numbers.set(target, version);
    const old = this.of(target).find((each) => each.version === version - 2);
    if (old !== undefined) old.collectAt = at.time + this.retentionMs;
    this.versions.push({ target, version, root, bytes: steps.bytes, id, collectAt: undefined, pins: [] });
    return "done";
  }

  abort(id: string, principal: string): string {
    const publish = this.publishes.find((each) => each.id === id && each.principal === principal);
    if (publish === undefined) return "files.publish_unknown";
    this.#end(publish);
    return "done";
  }

  pin(
    target: string,
    number: number,
    pin: { readonly owner: string; readonly time: number; readonly until: number },
  ): string {
    const version = this.of(target).find((each) => each.version === number);
    if (version === undefined) return "files.version_unknown";
    const { owner, time, until } = pin;
    const own = version.pins.find((each) => each.owner === owner && each.until > time);
    if (until <= (own?.until ?? 0)) return "done";
    const others = version.pins.filter((each) => each.owner !== owner && each.until > time);
    version.pins = [...others, { owner, until }];
    return "done";
  }

  unpin(target: string, number: number, { owner, time }: { readonly owner: string; readonly time: number }): string {
    const version = this.of(target).find((each) => each.version === number);
    if (version === undefined) return "files.version_unknown";
    if (version.pins.some((each) => each.owner === owner))
      version.pins = version.pins.filter((each) => each.owner !== owner && each.until > time);
    return "done";
  }

  delete(target: string, fence: string, time: number): string {
    if (fence !== this.#held(target)) return "fence_stale";
    if (this.of(target).length === 0) return "files.version_unknown";
    if (this.of(target).some(({ pins }) => pins.some(({ until }) => until > time))) return "files.version_pinned";
    for (const version of this.of(target)) this.#discard(version);
    return "done";
  }

  announce(root: string, session: string): string {
    for (const publish of this.publishes.filter((each) => each.root === root)) this.#end(publish);
    const known = this.roots.find((each) => each.root === root);
    if (known === undefined) this.roots.push({ root, session, isDegraded: false, bytesMax: undefined });
    else known.session = session;
    return "done";
  }

  degrade(root: string): void {
    for (const each of this.roots) if (each.root === root) each.isDegraded = true;
  }

  /** Expired publishes end, and expired versions are removed. */
  pass(time: number): void {
    for (const publish of this.publishes.filter(({ until }) => until <= time)) this.#end(publish);
    for (const version of [...this.versions]) {
      const kept = Math.max(version.collectAt ?? Infinity, ...version.pins.map(({ until }) => until));
      if (kept <= time) this.#discard(version);
    }
  }

  bytesOf(isCounted: (stored: { readonly root: string; readonly target: string }) => boolean): number {
    return sum([...this.versions, ...this.garbage].filter(isCounted).map(({ bytes }) => bytes));
  }

  reservedOf(isCounted: (stored: { readonly root: string; readonly target: string }) => boolean): number {
    return sum(this.publishes.filter(isCounted).map(({ bytesMax }) => bytesMax));
  }

  #isFull(root: string, target: string, bytes: number): boolean {
    const ofRoot = ({ root: of }: { readonly root: string }): boolean => of === root;
    const max = this.roots.find(ofRoot)?.bytesMax;
    if (max !== undefined && this.bytesOf(ofRoot) + this.reservedOf(ofRoot) + bytes > max) return true;
    return [...this.quotas].some(([under, most]) => {
      const isUnder = (of: { readonly target: string }): boolean => `${of.target}/`.startsWith(`${under}/`);
      return isUnder({ target }) && this.bytesOf(isUnder) + this.reservedOf(isUnder) + bytes > most;
    });
  }

  #end(publish: ModelPublish): void {
    this.publishes = this.publishes.filter((each) => each !== publish);
    const { id, root, target } = publish;
    this.garbage.push({ id, root, target, bytes: 0 });
  }

  #discard(version: ModelVersion): void {
    this.versions = this.versions.filter((each) => each !== version);
    const { id, root, target, bytes } = version;
    this.garbage.push({ id, root, target, bytes });
  }
}

const sum = (counts: readonly number[]): number => counts.reduce((total, each) => total + each, 0);
