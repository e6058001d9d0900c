import { guardOf } from "@holdfast/sdk/contract";
import type { SimulatedRequest } from "./entity-requests.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

export const fileRoots = ["left", "right"];
/** One is in a map that other owners lock too. */
const targets = ["site/docs", "model", "project/p/map/m/tiles"];

/** Weights of the kinds of requests. */
const usual = {
  announce: 4,
  open: 30,
  commit: 34,
  abort: 4,
  pin: 14,
  unpin: 8,
  delete: 8,
  configure: 4,
  clear: 5,
  fail: 1,
  removed: 5,
} as const;

/** Generates the requests of publishers, readers and nodes. The files themselves are proven on the simulated disk. */
export class FileRequests {
  readonly #random: Random;
  readonly #world: World;
  readonly #weights: Record<keyof typeof usual, number>;
  #sessions = 0;

  constructor(world: World) {
    this.#random = world.random;
    this.#world = world;
    this.#weights = world.random.unevenly(usual);
    this.#weights.open += 15;
    this.#weights.commit += 20;
  }

  make(): SimulatedRequest {
    const random = this.#random;
    const { files, locks } = this.#world;
    const agents = [...locks.view.agents.keys()];
    if (agents.length < 2) return { ...by("register-agent", { inactivity_seconds: 60 }), isKeyless: true };
    if (files.roots.size < 2) return this.#announce(fileRoots[files.roots.size] ?? "left");
    const agent = random.pick(agents);
    const kind = random.weighed(this.#weights);
    return kind === "open" || kind === "pin" || kind === "unpin" || kind === "delete"
      ? this.#aboutTarget(kind, agent)
      : this.#aboutPublish(kind, agent);
  }

  #aboutTarget(kind: "open" | "pin" | "unpin" | "delete", agent: string): SimulatedRequest {
    const random = this.#random;
    const locked = targets.filter((each) => this.#fencesOf(each).length > 0);
    const target = random.pick(locked.length > 0 && random.chance(0.8) ? locked : targets);
    const known = this.#world.files.versions.get(target)?.slice(-3) ?? [];
    const version = known.length === 0 ? 1 : random.pick(known).version;
    if (kind === "open") return this.#open(target, agent);
    if (kind === "pin") return by("files.pin", { target, version, ttl_seconds: random.pick([1, 5, 40]) }, agent);
    if (kind === "unpin") return by("files.unpin", { target, version }, agent);
    return by("files.delete", { target, fence: this.#fence(target) }, agent);
  }

  #aboutPublish(
    kind: "announce" | "commit" | "abort" | "configure" | "clear" | "fail" | "removed",
    agent: string,
  ): SimulatedRequest {
    const random = this.#random;
    const { publishes } = this.#world.files;
    const id = publishes.size === 0 ? "p1-1" : random.pick([...publishes.keys()]);
    const root = random.pick(fileRoots);
    switch (kind) {
      case "announce":
        return this.#announce(root);
      case "commit":
        return by("files.commit", { id, ...(random.chance(0.3) && { release: true }) }, agent);
      case "abort":
        return by("files.abort", { id }, agent);
      case "configure":
        return by("files.configure", this.#settings());
      case "clear":
        return by("files.clear-root", { root });
      case "fail":
        return keyless("files.fail", { id, code: "files.storage_full", reason: "EIO", degrades: random.chance(0.5) });
      case "removed":
        return keyless("files.removed", { ids: [id] });
    }
  }

  /** A node has started again with the root. */
  #announce(root: string): SimulatedRequest {
    this.#sessions += 1;
    const session = `s${String(this.#sessions)}`;
    return keyless("files.announce", { root, root_id: root, session, node: "n" });
  }

  /** Mostly under a lock of the target, which is acquired first. */
  #open(target: string, agent: string): SimulatedRequest {
    const random = this.#random;
    const fence = this.#fence(target);
    if (fence === "9.9" && random.chance(0.85)) {
      const paths = [{ path: guardOf(target), mode: "write", scope: random.chance(0.5) ? "tree" : "self" }];
      return by("acquire-lock", { paths, ttl_seconds: random.pick([30, 40, 60]) }, agent);
    }
    const current = this.#world.files.versions.get(target)?.at(-1)?.version ?? 0;
    return by(
      "files.open",
      {
        target,
        fence,
        bytes_max: random.pick([10, 100, 1_000]),
        ...(random.chance(0.95) && { root: random.pick(fileRoots) }),
        ...(random.chance(0.3) && { expected_version: random.chance(0.8) ? current : current + 1 }),
        timeout_seconds: random.pick([2, 30]),
      },
      agent,
    );
  }

  /** The fence of a lock on the guard, if some owner has it. */
  #fence(target: string): string {
    const found = this.#fencesOf(target);
    return found.length === 0 || this.#random.chance(0.05) ? "9.9" : this.#random.pick(found);
  }

  #fencesOf(target: string): readonly string[] {
    const guard = guardOf(target);
    const grants = [...this.#world.locks.view.grants.values()];
    return grants.filter(({ paths }) => paths.some(({ path }) => path === guard)).map(({ fence }) => fence);
  }

  #settings(): SimulatedRequest["input"] {
    const random = this.#random;
    return {
      retention_seconds: random.pick([0, 0, 2, 20]),
      root_quotas: { [random.pick(fileRoots)]: random.pick([null, 1_500, 4_000]) },
      quotas: { site: random.pick([null, 1_200, 3_000]) },
    };
  }
}

function by(operation: string, input: SimulatedRequest["input"], agent?: string): SimulatedRequest {
  return { operation, input, isRead: false, speaker: { agent } };
}

const keyless = (operation: string, input: SimulatedRequest["input"]): SimulatedRequest => ({
  ...by(operation, input),
  isKeyless: true,
});
