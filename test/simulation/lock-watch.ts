/** Invariants of agents and locks at every position, checked when entries become durable. */
import type { Entry, Event } from "../../server/src/machine/entry.ts";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { coversSet } from "../locks/lock-model.ts";
import type { ModelPath } from "../locks/lock-model.ts";
import { errandOwner } from "../locks/errand-feature.ts";
import { LockAnswers } from "./lock-answers.ts";
import { changes, dueOf, freeings, guardsOf, isFull, LockView, pathsOf, requestKey, requestText } from "./lock-view.ts";
import type { SeenGrant } from "./lock-view.ts";
import { isOfBlockedJob, RequestWatch } from "./request-watch.ts";
import type { Witness } from "./witness.ts";

interface LockWitness extends Witness {
  readonly faults: { count(name: string): void };
}

export class LockWatch {
  view = new LockView();
  /** All fences and tickets so far, for late callers. */
  readonly fences: string[] = [];
  readonly tickets: string[] = [];
  readonly answers = new LockAnswers();
  readonly requests = new RequestWatch();
  /** Fences that were granted in a lost history. */
  readonly #lost = new Set<string>();

  append(entries: readonly Entry[], witness: LockWitness): void {
    for (const entry of entries) {
      if (entry.operation === "free-ended") witness.faults.count("locks of an ended agent are freed in parts");
      for (const event of entry.events) {
        new EventCheck(this.view, { event, entry }, witness).check();
        this.view.apply(event, entry);
        this.#note(event, witness);
      }
      if (entry.events.some(({ type }) => isAboutLocks(type))) this.#checkEntry(entry, witness);
      this.requests.append(entry, this.view, witness);
      this.answers.note(this.view, entry, witness);
    }
  }

  /** The journal was rolled back to these entries. Clients may still have fences that were granted since. */
  goBack(entries: readonly Entry[]): void {
    const { length } = entries;
    for (const fence of this.fences) if (placesOf(fence)[1] > length) this.#lost.add(fence);
    this.view = new LockView();
    this.requests.goBack();
    const unchecked = { demand: () => undefined, log: () => undefined };
    for (const entry of entries) {
      for (const event of entry.events) this.view.apply(event, entry);
      this.requests.append(entry, this.view, unchecked);
    }
  }

  #note({ type, data }: Event, witness: LockWitness): void {
    if (type === "lock.queued") this.tickets.push(data["ticket"] as string);
    else if (givesFence(type) && data["of"] === undefined) this.#noteFence(data["fence"] as string, witness);
  }

  /** A client may still have one of these fences. A store that lost history reports the fork before any append. */
  #noteFence(fence: string, witness: LockWitness): void {
    witness.demand(!this.#lost.has(fence), "no fence of a lost history is granted again", () => fence);
    this.fences.push(fence);
  }

  #checkEntry(entry: Entry, witness: LockWitness): void {
    const { view } = this;
    const model = view.model();
    const detail = (): string => `at position ${entry.position}: ${JSON.stringify(entry.events)}`;
    witness.demand(model.isSound(), "no two owners hold conflicting locks", detail);
    for (const item of [...view.grants.values(), ...view.tickets.values()]) {
      const isGone = view.isOrphaned(item) && !view.leaving.has(item.owner);
      witness.demand(!isGone, "nothing that an agent has outlives it", detail);
    }
    for (const { parent } of view.agents.values()) {
      witness.demand(parent === undefined || !view.ended.has(parent), "a child ends with its parent", detail);
    }
    const waiting = model.queue.filter(({ owner }) => !view.ended.has(owner));
    const isServed = view.handoversLeft.size > 0 || waiting.every((ticket) => model.isBlocked(ticket));
    witness.demand(isServed, "no request waits for a free lock", detail);
    witness.demand(!model.hasCycle(), "owners do not wait for each other", detail);
    for (const event of entry.events) {
      if (event.type === "agents.renewed") this.#checkBeats(event, entry, witness);
      if (!givesFence(event.type) || event.data["of"] !== undefined) continue;
      witness.demand(isWhole(event, entry), "a set is granted whole", detail);
    }
  }

  /** A lease that a heartbeat did not renew in time has ended in its entry. */
  #checkBeats({ data }: Event, entry: Entry, witness: LockWitness): void {
    const { time, grace, position } = entry;
    if (isFull(entry)) return;
    const owners = data["ids"] as readonly string[];
    const isKept = (owner: string, due: number): boolean => grace || due > time || !owners.includes(owner);
    const detail = (): string => `at position ${position}: ${JSON.stringify(data)}`;
    for (const grant of this.view.grants.values()) {
      const isLive = isKept(grant.owner, dueOf(grant)) && isKept(grant.keeper ?? "", dueOf(grant));
      witness.demand(isLive, "a late renewal revives nothing", detail);
    }
    for (const ticket of this.view.tickets.values()) {
      witness.demand(isKept(ticket.owner, ticket.leaseUntil), "a late renewal revives nothing", detail);
    }
  }
}

/** Each path of a grant has its event, and no other path has. */
function isWhole({ type, data }: Event, { events }: Entry): boolean {
  const reported = events.filter((item) => item.type === type && item.data["fence"] === data["fence"]);
  const names = (paths: readonly { readonly path: unknown }[]): string =>
    JSON.stringify(paths.map(({ path }) => path).sort());
  return names(reported.map((item) => ({ path: item.data["resource_id"] }))) === names(pathsOf(data));
}

function isAboutLocks(type: string): boolean {
  return type.startsWith("lock.") || type.startsWith("agent");
}

function givesFence(type: string): boolean {
  return type === "lock.acquired" || changes.has(type);
}

/** The checks of one event, before it is applied. */
class EventCheck {
  readonly #view: LockView;
  readonly #event: Event;
  readonly #entry: Entry;
  readonly #witness: LockWitness;

  constructor(view: LockView, what: { readonly event: Event; readonly entry: Entry }, witness: LockWitness) {
    this.#view = view;
    this.#event = what.event;
    this.#entry = what.entry;
    this.#witness = witness;
  }

  check(): void {
    const { type, data } = this.#event;
    if (type.startsWith("entity.") && type !== "entity.conflict") this.#checkWrite();
    if (type.startsWith("agent.")) this.#checkAgent(type, data);
    const what = type === "program.mutated" ? ` ${data["what"] as string}` : "";
    if (!isAboutLocks(type)) this.#witness.faults.count(`event: ${type}${what}`);
    if (!isAboutLocks(type) || data["of"] !== undefined) return;
    this.#count();
    if (givesFence(type)) this.#checkFence(data["fence"] as string);
    if (type === "lock.acquired") this.#checkGrant(data);
    else if (changes.has(type)) this.#checkChange(data);
    else if (freeings.has(type)) this.#checkFreeing(data);
    else if (type === "lock.cancelled") this.#checkCancel(data);
    else if (type === "lock.release_requested") this.#checkReleaseRequest(data);
    else if (type === "lock.refreshed") this.#checkRefresh(data);
  }

  #checkAgent(type: string, data: JsonObject): void {
    if (type === "agent.ended") this.#checkAgentEnd();
    else if (type === "agent.registered") this.#checkParent(data);
  }

  #checkRefresh(data: JsonObject): void {
    const grant = this.#view.grants.get(data["fence"] as string);
    const isLive = grant !== undefined && (this.#entry.grace || dueOf(grant) > this.#entry.time);
    this.#demand(isLive, "a late renewal revives nothing");
  }

  #demand(isKept: boolean, promise: string): void {
    this.#witness.demand(isKept, promise, () => `${JSON.stringify(this.#event)} at position ${this.#entry.position}`);
  }

  #count(): void {
    const { type, data } = this.#event;
    const how = type === "lock.acquired" && data["ticket"] !== undefined ? "from the queue" : data["why"];
    const isPlain = typeof how === "string" && /^[a-z_]+( the queue)?$/u.test(how);
    this.#witness.faults.count(`event: ${type}${isPlain ? ` ${how}` : ""}`);
  }

  #checkFence(fence: string): void {
    const [epoch, position, number] = placesOf(fence);
    const [lastEpoch, lastPosition, last] = placesOf(this.#view.lastFence);
    this.#demand((epoch - lastEpoch || position - lastPosition || number - last) > 0, "fences always increase");
    const isHere = epoch === this.#view.epoch && position === this.#entry.position;
    this.#demand(isHere, "a fence is of its epoch and position");
  }

  #checkGrant(data: JsonObject): void {
    const owner = data["owner_id"] as string;
    const paths = pathsOf(data);
    const ticket = this.#view.tickets.get(data["ticket"] as string);
    if (data["ticket"] === undefined) {
      if (this.#entry.operation === "acquire-lock" && !owner.startsWith(ownPrefix)) this.#checkAsked(paths);
    } else {
      this.#demand(ticket?.notifyOnly !== true, "a notify-only ticket is not granted");
      const isOwn =
        ticket?.owner === owner && JSON.stringify(ticket.paths.map(text)) === JSON.stringify(paths.map(text));
      this.#demand(isOwn, "a ticket is granted as it was requested");
      const isLive = ticket !== undefined && (this.#entry.grace || ticket.leaseUntil > this.#entry.time);
      this.#demand(isLive, "nothing is granted to a dead waiter");
      this.#demand(!this.#hasAlready(owner, paths), "no owner is granted the same lock twice");
    }
    this.#checkOwner(owner);
    if (owner !== holdOffOwner) this.#checkWay({ owner, rank: ticket?.rank ?? this.#freedRank(owner), paths }, false);
    else this.#checkHoldOff(paths, guardsOf(data));
  }

  /** A feature grants the lock in the place of its notify-only ticket that became free in this entry. */
  #freedRank(owner: string): number {
    const freed = this.#view.freed.get(owner);
    return freed?.position === this.#entry.position ? freed.rank : Infinity;
  }

  /** Only an owner that left without a release may still have something there. */
  #checkHoldOff(paths: readonly ModelPath[], guards: string | undefined): void {
    const model = this.#view.model();
    model.grants = model.grants.filter(({ owner }) => owner !== guards);
    model.queue = [];
    const isFree = !model.isBlocked({ owner: holdOffOwner, rank: Infinity, paths });
    this.#demand(isFree, "no two owners hold conflicting locks");
    this.#witness.faults.count("a lock is held off after a crash");
  }

  /** Not even if it ends later in this entry. A transfer may be to an ended agent, which is a new owner then. */
  #checkOwner(owner: string): void {
    const endsHere = this.#entry.events.some(
      ({ type, subject }) => type === "agent.ended" && subject === `agent/${owner}`,
    );
    this.#demand(!endsHere, "nothing is granted to an agent that ends in the same entry");
    const isTransfer = this.#entry.operation === "transfer-lock";
    this.#demand(isTransfer || !this.#view.ended.has(owner), "nothing is granted to an agent that has ended");
  }

  /** No other owner holds a conflicting lock, and no waiter is passed. */
  #checkWay(request: { owner: string; rank: number; paths: readonly ModelPath[] }, mayPass: boolean): void {
    const model = this.#view.model();
    const { queue } = model;
    model.queue = [];
    this.#demand(!model.isBlocked(request), "no two owners hold conflicting locks");
    model.queue = queue;
    if (!mayPass) this.#demand(!model.isBlocked(request), "first come, first served");
  }

  #checkAsked(paths: readonly ModelPath[]): void {
    const { paths: asked } = this.#entry.input as unknown as { paths: readonly (string | { path: string })[] };
    const wanted = new Set(asked.map((item) => (typeof item === "string" ? item : item.path)));
    const isAll = paths.length === wanted.size && paths.every(({ path }) => wanted.has(path));
    this.#demand(isAll, "a set is granted whole");
  }

  #checkChange(data: JsonObject): void {
    const before = this.#view.grants.get(data["previous_fence"] as string);
    this.#demand(before !== undefined, "only a live grant changes");
    const owner = data["owner_id"] as string;
    this.#checkOwner(owner);
    if (before === undefined) return;
    this.#checkAccepted(before);
    const { type } = this.#event;
    if (type === "lock.downgraded") return;
    const ticket = this.#view.tickets.get(data["ticket"] as string);
    const isRaised = ({ path, mode }: ModelPath): boolean =>
      before.paths.some((item) => item.path === path && item.mode !== mode);
    const paths = type === "lock.upgraded" ? pathsOf(data).filter(isRaised) : pathsOf(data);
    if (type === "lock.transferred") {
      this.#checkConsent(owner, paths);
      this.#view.grants.delete(before.fence);
    }
    const rank = type === "lock.adopted" ? Infinity : (ticket?.rank ?? this.#entry.position);
    this.#checkWay({ owner, rank, paths }, type === "lock.transferred");
    this.#view.grants.set(before.fence, before);
  }

  /** An agent of another principal gets a lock only while it waits for all of it. */
  #checkConsent(to: string, paths: readonly ModelPath[]): void {
    const agent = this.#view.agents.get(to);
    if (agent === undefined || agent.principal === this.#entry.principal) return;
    const model = this.#view.model();
    model.grants = model.queue.filter(({ owner }) => owner === to);
    const isAsked = paths.every((item) => model.isCovered(to, item));
    this.#demand(isAsked, "a lock goes to another principal only with its consent");
  }

  #checkParent({ parent }: JsonObject): void {
    if (parent === undefined) return;
    const isOwn = this.#view.agents.get(parent as string)?.principal === this.#entry.principal;
    this.#demand(isOwn, "a child has the principal of its parent");
  }

  #checkReleaseRequest(data: JsonObject): void {
    const { agent, principal, operation, input } = this.#entry;
    const author =
      operation === "start-errand" ? errandOwner((input as { readonly id: string }).id) : (agent ?? principal);
    const isTrue = data["by"] === author || isOfBlockedJob(this.#entry, data["by"]);
    this.#demand(isTrue, "a release request has its true author");
    const isNew = this.#view.releaseRequests.get(requestKey(data)) !== requestText(data);
    this.#demand(isNew, "an equal release request writes no entry");
  }

  #checkAccepted({ acceptBy }: SeenGrant): void {
    this.#demand(acceptBy === Infinity, "an owner that uses what it waited for has accepted it");
  }

  #checkFreeing(data: JsonObject): void {
    const grant = this.#view.grants.get(data["fence"] as string);
    this.#demand(grant !== undefined && grant.owner === data["owner_id"], "only what is held is freed");
    if (grant === undefined) return;
    if (data["why"] === "agent_ended") {
      this.#demand(this.#view.isOrphaned(grant), "a recoverable lock outlives an agent that others end");
      return;
    }
    const { type } = this.#event;
    if (this.#entry.operation === "release-lock" && type === "lock.released") {
      const { owner_id: named } = this.#entry.input as { owner_id?: string };
      this.#demand((named ?? this.#entry.agent) === grant.owner, "only its holder releases a lock");
      const freedCount = (data["paths"] as readonly string[] | undefined)?.length ?? 1;
      if (freedCount < grant.paths.length) this.#checkPart(grant);
    }
    if (type !== "lock.expired" && type !== "lock.recovered") return;
    this.#checkTime(dueOf(grant));
  }

  #checkPart(grant: SeenGrant): void {
    this.#witness.faults.count("a part of a set is released");
    this.#checkAccepted(grant);
    const isUpgraded = [...this.#view.tickets.values()].some(({ upgradesFence }) => upgradesFence === grant.fence);
    this.#demand(!isUpgraded, "an upgrade ends with a part of its grant");
  }

  #checkCancel(data: JsonObject): void {
    const ticket = this.#view.tickets.get(data["ticket"] as string);
    this.#demand(ticket !== undefined, "only a queued ticket leaves the queue");
    if (ticket === undefined) return;
    if (data["why"] === "expired") this.#checkTime(ticket.leaseUntil);
    const isLeft = data["why"] !== "held" || this.#hasAlready(ticket.owner, ticket.paths);
    this.#demand(isLeft, "only a ticket whose owner holds the lock is cancelled as held");
    const isFree = data["why"] !== "free" || (ticket.notifyOnly && !this.#view.model().isBlocked(ticket));
    this.#demand(isFree, "only a notify-only ticket that nothing blocks leaves as free");
    const isTied = data["why"] !== "deadlock" || this.#view.model().isDeadlocked(ticket);
    this.#demand(isTied, "only a ticket in a deadlock is cancelled as a deadlock");
  }

  /** True if an owner has a live grant of exactly these paths in a sufficient mode. */
  #hasAlready(owner: string, paths: readonly ModelPath[]): boolean {
    const { time, grace } = this.#entry;
    return [...this.#view.grants.values()].some(
      (grant) => grant.owner === owner && (grace || dueOf(grant) > time) && coversSet(grant.paths, paths),
    );
  }

  #checkAgentEnd(): void {
    const agent = this.#view.agents.get(this.#event.subject.slice("agent/".length));
    this.#demand(agent !== undefined, "only a living agent ends");
    if (agent !== undefined && this.#event.data["why"] === "inactive") this.#checkTime(agent.seenAt + agent.limitMs);
  }

  #checkTime(due: number): void {
    this.#demand(!this.#entry.grace, "nothing expires within the grace");
    this.#demand(due <= this.#entry.time, "nothing expires before its time");
  }

  /** A fenced write has that live lock. An ended lock interrupts a run, and the workspace has a watch of its own. */
  #checkWrite(): void {
    const { fence } = this.#entry.input as { fence?: string };
    if (this.#event.data["name"] === "interrupted" || this.#event.subject.startsWith("workspace-")) return;
    if (fence === undefined) {
      this.#checkUnfenced();
      return;
    }
    this.#witness.faults.count("entity is written under a fence");
    const path = this.#event.subject;
    const covers = (item: ModelPath): boolean =>
      item.mode === "write" && (item.path === path || (item.scope === "tree" && path.startsWith(`${item.path}/`)));
    const grant = this.#view.grants.get(fence);
    this.#demand(grant?.paths.some(covers) === true, "a fenced write has a live write lock");
    const isKeeper = grant?.keeper === undefined || grant.keeper === this.#entry.agent;
    this.#demand(isKeeper, "only its keeper proves a kept lock");
  }

  #checkUnfenced(): void {
    const { subject } = this.#event;
    const isBelow = (prefix: string): boolean => subject === prefix || subject.startsWith(`${prefix}/`);
    if (!this.#view.enforced.some(isBelow)) return;
    this.#witness.faults.count("entity is written without a fence where locks are enforced");
    const model = this.#view.model();
    model.queue = [];
    const write = { path: subject, mode: "write", scope: "self" } as const;
    const isFree = !model.isBlocked({ owner: this.#entry.agent ?? "", rank: Infinity, paths: [write] });
    this.#demand(isFree, "no write passes a lock that is enforced");
  }
}

/** Owners with this prefix belong to Holdfast and its features. */
const ownPrefix = "holdfast:";

/** Holdfast itself, which excludes other owners for the hold-off time after a crash. */
const holdOffOwner = "holdfast:hold-off";

/** Epoch, position, and the number within the entry. */
function placesOf(fence: string): [number, number, number] {
  const [epoch = 0, position = 0, number = 0] = fence.split(".").map(Number);
  return [epoch, position, number];
}

function text({ path, mode, scope }: ModelPath): string {
  return `${path} ${mode} ${scope}`;
}
