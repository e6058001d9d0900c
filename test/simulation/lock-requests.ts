import { defined } from "@holdfast/sdk/base/defined";
import { errandOwner } from "../locks/errand-feature.ts";
import type { ModelPath } from "../locks/lock-model.ts";
import { dueOf } from "./lock-view.ts";
import type { SeenGrant } from "./lock-view.ts";
import type { LockWatch } from "./lock-watch.ts";
import type { Random } from "./random.ts";
import type { SimulatedRequest } from "./entity-requests.ts";

/** A small tree, so that most requests conflict. Locks on the names of entities guard them. */
const tree = ["document", "document/a", "document/a/n", "document/b", "ticket", "ticket/1"];
/** Locks on these paths become stale, are recovered, and are waited for in one order only. */
const orderedPaths = ["project/p", "project/p/map/m"];
/** The same, with leases and a grace period that end within a simulation, once an operator has set them. */
const shortPaths = ["bench/1", "bench/1/map/m", "bench/2"];
const modes = ["read", "upgradeable", "write", "write"] as const;
const scopes = ["tree", "tree", "self"] as const;
/** Owners that are not agents. */
const names = ["zoe", "yan"];
/** Number of agents from which a registration resumes an existing one. */
const agentsMax = 5;

/** Weights of the kinds of requests. */
const usual = {
  register: 6,
  beat: 16,
  end: 2,
  acquire: 30,
  wait: 40,
  release: 24,
  renew: 6,
  upgrade: 8,
  downgrade: 4,
  transfer: 2,
  accept: 10,
  cancel: 4,
  withdraw: 8,
  force: 2,
  ask: 6,
  errand: 14,
  write: 12,
  rules: 8,
} as const;

type LockAction = keyof typeof usual;

/** Generates the requests of agents: mostly about current locks and tickets, sometimes about ended ones. */
export class LockRequests {
  readonly #random: Random;
  readonly #locks: LockWatch;
  readonly #weights: Record<LockAction, number>;
  /** The paths of this seed. Fewer paths make longer queues. */
  readonly #paths: readonly string[];
  /** Remaining attempts to configure the kind of the short paths. There are several, because an entry may be lost. */
  #settingsLeft: number;
  #shortShare = 0;
  /** Maximum paths of a principal in this seed, once an operator has set it. */
  readonly #pathsMax: number | undefined;
  /** Prefixes under which a write needs a fence while another owner has a lock, once an operator has set them. */
  readonly #enforced: readonly string[];

  /** The intents that are locked as well, in a seed with intents. */
  readonly #intentPaths: readonly string[];

  constructor(random: Random, locks: LockWatch, intentPaths: readonly string[] = []) {
    this.#random = random;
    this.#locks = locks;
    this.#intentPaths = intentPaths;
    // Each seed prefers some kinds of requests and omits others, because an even mix hides defects.
    this.#weights = random.unevenly(usual);
    this.#weights.acquire += 1;
    this.#paths = tree.slice(0, random.between(2, tree.length));
    this.#settingsLeft = random.pick([0, 3]);
    this.#enforced = random.pick([[], ["document"]]);
    this.#pathsMax = random.pick([undefined, undefined, undefined, 5]);
    if (this.#settingsLeft > 0) this.#shortShare = random.pick([0.1, 0.5]);
  }

  make(): SimulatedRequest {
    const random = this.#random;
    const setting = this.#setting();
    if (setting !== undefined) return setting;
    const doing = random.weighed(this.#weights);
    switch (doing) {
      case "register":
        return this.#register();
      case "beat": {
        const all = [...this.#locks.view.agents.keys()];
        return { ...lockRequest("renew-agents", { beats: all.filter(() => random.chance(0.6)) }), isKeyless: true };
      }
      case "end":
        return this.#end();
      case "acquire":
      case "wait":
        return this.#acquire(doing === "wait");
      case "accept":
      case "cancel":
        return this.#aboutTicket(doing === "accept" ? "accept-lock" : "cancel-ticket");
      case "force":
        return lockRequest("force-release", { fence: this.#grant().fence, reason: "simulated" });
      case "ask":
        return this.#askForRelease();
      case "errand":
        return this.#errand();
      case "write":
        return this.#write();
      case "rules":
        return lockRequest("raise-rules", { to: random.pick([2, 3]) });
      default:
        return this.#change(doing);
    }
  }

  /** Sometimes a request of an operator. */
  #setting(): SimulatedRequest | undefined {
    const random = this.#random;
    if (this.#settingsLeft > 0 && random.chance(0.3)) return this.#configure();
    if (this.#pathsMax === undefined || !random.chance(0.02)) return undefined;
    return lockRequest("configure", { settings: { paths_per_principal_max: this.#pathsMax } });
  }

  #configure(): SimulatedRequest {
    this.#settingsLeft -= 1;
    const short = { policy: "recover", ttl_seconds: 2, grace_seconds: 4, order: 5 };
    const kinds = { bench: { ...short, shape: "bench" }, bench_map: { ...short, shape: "bench/map", order: 6 } };
    return lockRequest("configure-locks", { kinds, enforce: this.#enforced });
  }

  #register(): SimulatedRequest {
    const random = this.#random;
    const agents = [...this.#locks.view.agents.keys()];
    // With enough agents, an existing one is resumed.
    const own_key = `own${random.below(agents.length < agentsMax ? 9 : 3)}`;
    const parent = agents.length > 0 && random.chance(0.5) ? { parent: random.pick(agents) } : {};
    const parentWaits = "parent" in parent && random.chance(0.5) ? { parent_waits: true } : {};
    const input = { ...(random.chance(0.7) ? { own_key } : {}), ...parent, ...parentWaits };
    return {
      ...lockRequest("register-agent", { ...input, inactivity_seconds: random.between(10, 30) }),
      isKeyless: true,
    };
  }

  #end(): SimulatedRequest {
    const agents = [...this.#locks.view.agents.keys()];
    const agent = agents.length === 0 ? undefined : this.#random.pick(agents);
    if (this.#random.chance(0.5)) return lockRequest("end-agent", {}, agent);
    return lockRequest("end-agent", defined({ agent_id: agent }));
  }

  #acquire(wait: boolean): SimulatedRequest {
    const random = this.#random;
    const { known, isOrdered, next } = this.#pathsToAcquire();
    const count = random.pick([1, 1, 1, 2, 3]);
    const wanted = Array.from({ length: count }, () => ({
      path: next ?? random.pick(known),
      mode: random.pick(modes),
      scope: random.pick(scopes),
    }));
    const terms = {
      ...(isOrdered ? {} : { ttl_seconds: random.pick([1, 3, 8, 20]) }),
      ...(random.chance(0.1) ? { max_hold_seconds: random.between(1, 10) } : {}),
      ...(random.chance(0.1) ? { hold_off_seconds: random.between(1, 5) } : {}),
      ...(wait ? { wait, ticket_seconds: random.pick([1, 8, 15, 30]) } : {}),
      ...(wait && random.chance(0.5) ? { accept_seconds: random.pick([1, 1, 4, 20]) } : {}),
    };
    return this.#by(this.#anyOwner(), "acquire-lock", { paths: wanted, ...terms });
  }

  /** Some paths have kinds with leases of their own. Sometimes the path is the one whose lease ends next. */
  #pathsToAcquire(): {
    readonly known: readonly string[];
    readonly isOrdered: boolean;
    readonly next?: string | undefined;
  } {
    const random = this.#random;
    const isShort = random.chance(this.#shortShare);
    const isOfIntent = this.#intentPaths.length > 0 && random.chance(0.4);
    const usualPaths = isOfIntent ? this.#intentPaths : this.#paths;
    const known = !isOfIntent && isShort ? shortPaths : random.chance(0.06) && !isOfIntent ? orderedPaths : usualPaths;
    const next = random.chance(0.2) ? this.#nextToEnd()?.paths[0]?.path : undefined;
    return { known, isOrdered: known !== usualPaths && next === undefined, next };
  }

  /** The grant whose lease ends first. A request right after its end is the first command to find it overdue. */
  #nextToEnd(): SeenGrant | undefined {
    return [...this.#locks.view.grants.values()].sort((a, b) => dueOf(a) - dueOf(b))[0];
  }

  #aboutTicket(operation: string): SimulatedRequest {
    const random = this.#random;
    const { view, tickets } = this.#locks;
    const waiting = [...view.tickets.values()];
    if (waiting.length > 0 && random.chance(0.6)) {
      const { ticket, owner } = random.pick(waiting);
      return this.#by(owner, operation, { ticket });
    }
    const ticket = tickets.length === 0 ? "1.1" : random.pick(tickets.slice(-8));
    const grants = [...view.grants.values()];
    const owner = grants.length > 0 ? random.pick(grants).owner : this.#anyOwner();
    return this.#by(owner, operation, { ticket });
  }

  /** Withdraws a request that has arrived, or one that arrives later. */
  #withdraw(): SimulatedRequest {
    const random = this.#random;
    const { seen } = this.#locks.requests;
    const last = seen.at(-1) ?? { operation: "acquire-lock", key: "k1", owner: this.#anyOwner() };
    const isComing = seen.length === 0 || random.chance(0.3);
    const { operation, key, owner } = isComing
      ? { ...last, key: `k${Number(last.key.slice(1)) + random.between(1, 4)}` }
      : random.pick(seen.slice(-10));
    return this.#by(owner, "withdraw-request", { operation, key });
  }

  #askForRelease(): SimulatedRequest {
    const random = this.#random;
    const asked = { path: this.#grant().path, reason: random.pick(["soon", "now"]) };
    return this.#by(this.#anyOwner(), "request-release", asked);
  }

  /** Work of a feature under locks that an agent keeps: a new errand, or mostly the next step of one. */
  #errand(): SimulatedRequest {
    const random = this.#random;
    const kept = [...this.#locks.view.grants.values()].filter(({ keeper }) => keeper !== undefined);
    const step = random.pick(["start-errand", "start-errand", "finish-errand", "lose-errand", "retry-errand"]);
    const grant = kept.length === 0 || step === "start-errand" ? undefined : random.pick(kept);
    if (grant === undefined) return this.#startErrand();
    const id = grant.owner.slice(errandOwner("").length);
    const { fence, keeper } = grant;
    if (step === "lose-errand") return lockRequest(step, { id });
    if (step === "retry-errand") {
      const more = random.chance(0.5) ? { paths: this.#errandPaths() } : {};
      return lockRequest(step, { id, keeper: this.#anyOwner(), ...more });
    }
    const part = random.chance(0.3) ? { part: true } : {};
    return lockRequest(step, { id, fence, ...part }, random.chance(0.9) ? keeper : this.#anyOwner());
  }

  #startErrand(): SimulatedRequest {
    const random = this.#random;
    const id = `e${random.below(1_000)}`;
    const wait_ms = random.pick([1_000, 8_000, 20_000]);
    return lockRequest("start-errand", { id, keeper: this.#anyOwner(), paths: this.#errandPaths(), wait_ms });
  }

  #errandPaths(): readonly ModelPath[] {
    const random = this.#random;
    const paths = new Set([random.pick(this.#paths), random.pick(this.#paths)]);
    return [...paths].map((path) => ({ path, mode: random.pick(modes), scope: random.pick(scopes) }));
  }

  #write(): SimulatedRequest {
    const random = this.#random;
    const { fence, path } = this.#grant();
    const keeper = random.chance(0.7) ? this.#locks.view.grants.get(fence)?.keeper : undefined;
    const [type = "document", id = random.pick(["a", "b"])] = path.split("/");
    const proof = random.chance(0.6) ? { fence } : {};
    const target = { type: type === "ticket" ? "document" : type, id, ...proof };
    const value = { n: random.below(4), list: [], deep: { at: 0 } };
    const operation = random.pick(["create-entity", "replace-entity", "replace-entity", "delete-entity"]);
    return lockRequest(operation, operation === "delete-entity" ? target : { ...target, value }, keeper);
  }

  #change(doing: "release" | "renew" | "upgrade" | "downgrade" | "transfer" | "withdraw"): SimulatedRequest {
    if (doing === "withdraw") return this.#withdraw();
    const random = this.#random;
    const { fence, owner, path } = this.#grant();
    const by = random.chance(0.95) ? owner : this.#anyOwner();
    if (doing === "release" && random.chance(0.3)) return this.#by(by, "release-lock", { paths: [path] });
    const ways = {
      release: {},
      renew: random.chance(0.5) ? { ttl_seconds: random.between(1, 20) } : {},
      upgrade: { wait: random.chance(0.7) },
      downgrade: { mode: random.pick(["read", "upgradeable"]) },
      transfer: { to: random.chance(0.5) ? random.pick(names) : this.#anyOwner() },
    };
    return this.#by(by, `${doing}-lock`, { fence, ...ways[doing] });
  }

  /** A grant to act on: a live one, or an ended one. */
  #grant(): { readonly fence: string; readonly owner: string; readonly path: string } {
    const random = this.#random;
    const { view, fences } = this.#locks;
    const live = [...view.grants.values()];
    if (live.length > 0 && random.chance(0.9)) {
      const next = random.chance(0.3) ? this.#nextToEnd() : undefined;
      const { fence, owner, paths: held } = next ?? random.pick(live);
      return { fence, owner, path: random.pick(held).path };
    }
    const fence = fences.length === 0 ? "1.1" : random.pick(fences.slice(-10));
    return { fence, owner: this.#anyOwner(), path: random.pick(this.#paths) };
  }

  #anyOwner(): string {
    const agents = [...this.#locks.view.agents.keys()];
    return this.#random.pick(agents.length === 0 || this.#random.chance(0.2) ? names : agents);
  }

  #by(owner: string, operation: string, input: SimulatedRequest["input"]): SimulatedRequest {
    return names.includes(owner)
      ? lockRequest(operation, { ...input, owner_id: owner })
      : lockRequest(operation, input, owner);
  }
}

function lockRequest(operation: string, input: SimulatedRequest["input"], agent?: string): SimulatedRequest {
  return { operation, input, isRead: false, speaker: { agent } };
}
