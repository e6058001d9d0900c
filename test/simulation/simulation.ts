/**
 * One simulation: several nodes on one disk, with callers, subscribers and all faults. The seed decides everything, so
 * a failure can be reproduced step by step.
 */
import { currentEpoch } from "../../server/src/features/space/space-table.ts";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import type { MemoryStore } from "../../server/src/journal/memory/disk.ts";
import type { SealedBatch } from "../../server/src/journal/seal.ts";
import { Callers } from "./callers.ts";
import { checkEnd } from "./check-end.ts";
import { History } from "./history.ts";
import { unnotedLeaseTable, unreportedLeaseTable } from "./lease-feature.ts";
import { SimulatedNode } from "./node.ts";
import { NoticeListener } from "./notice-listener.ts";
import { Subscriber } from "./subscriber.ts";
import { tuneLimits } from "./tune-limits.ts";
import { BrokenPromise, World } from "./world.ts";

export interface SimulationOptions {
  readonly seed: number;
  readonly steps: number;
  readonly isTraced?: boolean;
}

export interface SimulationResult {
  readonly seed: number;
  readonly stepCount: number;
  readonly broken: { readonly promise: string; readonly detail: string } | undefined;
  readonly counts: ReadonlyMap<string, number>;
  readonly trace: readonly string[];
}

export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { seed, steps, isTraced = false } = options;
  const world = new World(seed, { history: new History(), isTraced });
  const restoreLimits = tuneLimits(world.random, world);
  const simulation = new Simulation(world);
  try {
    await simulation.run(steps);
  } catch (error) {
    if (!(error instanceof BrokenPromise)) world.fail("the simulation itself works", String((error as Error).stack));
  } finally {
    restoreLimits();
  }
  const { broken, counts, trace } = world;
  const promise = broken === undefined ? undefined : { promise: broken.promise, detail: broken.message };
  return { seed, stepCount: simulation.stepCount, broken: promise, counts, trace };
}

/** Maximum step of time when nothing is ready to happen. Each seed has its pace. */
const paces = [5, 50, 400, 1_500] as const;
/**
 * A queue of a dozen tickets whose leases must end one after the other takes some thousand steps at the slowest pace.
 */
const stepsToConvergeMax = 10_000;

export class Simulation {
  readonly world: World;
  readonly disk: MemoryStore = createMemoryDisk() as MemoryStore;
  readonly nodes: readonly SimulatedNode[];
  readonly callers: Callers;
  readonly subscribers: readonly Subscriber[];
  readonly #listener: NoticeListener | undefined;
  readonly #paceMs: number;
  /** How busy the callers are. Leases expire only in seeds with idle time. */
  readonly #askWeight: number;
  #isConverging = false;
  stepCount = 0;

  constructor(world: World) {
    this.world = world;
    this.callers = new Callers(world, (owner) => this.nodes.some((node) => node.owner === owner && node.isInHistory()));
    this.#paceMs = world.random.pick(paces);
    this.#askWeight = world.random.pick([6, 15, 30]);
    const setting = {
      world,
      disk: this.disk,
      written: (node: SimulatedNode, batch: SealedBatch) => {
        world.history.append(batch.entries, world);
        world.locks.append(batch.entries, world);
        if (world.hasIntents) world.intents.append(batch.entries, world);
        if (world.hasJobs) world.jobs.append(batch.entries, world);
        if (world.hasFiles) world.files.append(batch.entries, world);
        if (world.hasWorkspace) world.workspace.append(batch.entries, world);
        for (const other of this.nodes) if (other !== node) this.#wakeSoon(other);
      },
      crashed: (owner: string) => {
        this.callers.crashed(owner);
        for (const subscriber of this.subscribers) subscriber.crashed(owner);
        this.#listener?.crashed(owner);
      },
    };
    const count = world.random.between(1, 3);
    this.nodes = Array.from({ length: count }, (_, index) => new SimulatedNode(`n${index + 1}`, setting));
    this.#listener = world.hasNotices ? new NoticeListener(world) : undefined;
    this.subscribers = ["w1", "w2"].map((name) => new Subscriber(name, world));
  }

  async run(steps: number): Promise<void> {
    for (const node of this.nodes) node.start();
    await this.#settle();
    for (let step = 0; step < steps; step += 1) {
      this.#stepOnce();
      await this.#settle();
    }
    this.world.faults.cease();
    this.#isConverging = true;
    await this.#converge();
    await checkEnd(this);
    this.#raise();
  }

  #stepOnce(): void {
    const { random } = this.world;
    const kind = random.weighed({ happen: 60, ask: this.#askWeight, retry: 5, subscribe: 8, disturb: 10 });
    if (kind === "happen") {
      this.#happen();
      return;
    }
    const node = random.pick(this.nodes);
    if (kind === "disturb") this.#disturb(node);
    else if (kind === "subscribe") {
      random.pick(this.subscribers).step(node);
      this.#listener?.step(node);
    } else if (node.state === "down") node.start();
    else if (kind === "retry") this.callers.retry(node);
    else if (this.world.occurs("burst of commands")) {
      for (let count = random.between(10, 40); count > 0; count -= 1) this.callers.sendRequest(node, this.nodes);
    } else this.callers.sendRequest(node, this.nodes);
  }

  /** Runs one ready task, or advances time until a task is ready. */
  #happen(): void {
    const { time, random } = this.world;
    const task = time.takeReady();
    if (task === undefined) {
      const stepMs = this.#isConverging ? 1_000 : random.between(1, this.#paceMs);
      time.nowMs = Math.min(time.nextMs(), time.nowMs + stepMs);
      return;
    }
    this.world.log(() => `${task.owner}: ${task.label}`);
    task.run();
  }

  #disturb(node: SimulatedNode): void {
    const { world } = this;
    const { random } = world;
    if (world.occurs("wall clock jumps forward")) node.setWall(random.pick([500, 20_000, 90_000]));
    if (world.occurs("wall clock jumps back")) node.setWall(-random.pick([500, 20_000, 90_000]));
    if (world.occurs("journal goes back")) this.#goBack();
    if (node.state !== "up") return;
    if (world.occurs("process is paused for over a second")) node.pauseProcess(random.between(1_300, 6_000));
    if (world.occurs("crash between two steps")) node.crash();
    else if (world.occurs("node stops gracefully")) this.#askToStop(node);
  }

  /** A paused process gets the signal when it continues. */
  #askToStop(node: SimulatedNode): void {
    const { owner } = node;
    const run = (): void => {
      if (node.owner === owner && node.state === "up") node.stop();
    };
    this.world.time.schedule({ delayMs: 0, owner, label: "it gets the signal to stop", run });
  }

  /** Like a failover to a store that lags behind. */
  #goBack(): void {
    const { world, disk } = this;
    const head = disk.head().position;
    if (head < 2) return;
    disk.truncate(Math.max(0, head - world.random.between(1, 10)));
    const { position } = disk.head();
    world.losses += 1;
    // Like the identity of a server: the next node that opens or uses the journal notices the fork.
    world.forkReason = `rollback ${world.losses} of the journal`;
    world.log(() => `the journal goes back from ${head} to ${position}`);
    world.history.goBack(position);
    const entries = world.history.entries.map(({ entry }) => entry);
    world.locks.goBack(entries);
    if (world.hasIntents) world.intents.goBack(entries);
    if (world.hasJobs) world.jobs.goBack(entries);
    if (world.hasFiles) world.files.goBack(entries);
    if (world.hasWorkspace) world.workspace.goBack(entries);
    for (const subscriber of this.subscribers) subscriber.journalWentBack(position);
    this.callers.journalWentBack();
    for (const node of this.nodes) this.#wakeSoon(node);
  }

  #wakeSoon(node: SimulatedNode): void {
    const { world } = this;
    if (world.occurs("wake is lost")) return;
    const delayMs = world.occurs("wake is late") ? world.random.between(5, 2_000) : 0;
    const run = (): void => node.wake();
    // The wake happens in that process, so a paused process is woken only when it continues.
    const { owner } = node;
    world.time.schedule({ delayMs, owner, label: "it is woken", run });
    if (world.occurs("wake comes twice")) world.time.schedule({ delayMs, owner, label: "it is woken again", run });
  }

  /** Runs everything that follows from the step without waiting, then checks the promises. */
  async #settle(): Promise<void> {
    this.stepCount += 1;
    await new Promise(setImmediate);
    for (const node of this.nodes) node.compareState();
    this.#raise();
  }

  #raise(): void {
    if (this.world.broken !== undefined) throw this.world.broken;
  }

  /** Without faults every call is answered and every node reaches the head. */
  async #converge(): Promise<void> {
    for (let step = 0; step < stepsToConvergeMax; step += 1) {
      for (const node of this.nodes) if (node.state === "down") node.start();
      const up = this.nodes.filter((node) => node.state === "up");
      if (up.length === this.nodes.length && step % 4 === 0) {
        for (const node of up) if (node.engine?.head.hash !== this.disk.head().hash) node.wake();
        for (const subscriber of this.subscribers) subscriber.step(this.nodes[0] as SimulatedNode);
        this.callers.retry(this.world.random.pick(up));
        this.callers.heal(this.world.random.pick(up));
        if (this.#isCalm()) return;
      }
      this.#happen();
      await this.#settle();
    }
    const { locks, intents, jobs } = this.world;
    const calls = `${this.callers.openCount} calls wait, ${this.callers.unknownCount} are to be sent again`;
    const waiting = `${calls}, ${locks.view.tickets.size} are queued, ${intents.open.length} runs are open, ${jobs.open.length} jobs`;
    const nodes = this.nodes.map((node) => `${node.owner} ${node.state} at ${node.engine?.head.position ?? 0}`);
    this.world.fail(
      "everything converges when faults stop",
      `${waiting}; ${nodes.join("; ")}; ${this.disk.head().position}`,
    );
    this.#raise();
  }

  #isCalm(): boolean {
    const { hash, position } = this.disk.head();
    const { durable } = this.world.history.machine;
    const epoch = currentEpoch(durable);
    return (
      this.callers.openCount === 0 &&
      this.callers.unknownCount === 0 &&
      this.world.intents.open.length === 0 &&
      this.world.jobs.open.length === 0 &&
      this.world.locks.view.tickets.size === 0 &&
      !this.world.locks.view.hasOrphans() &&
      durable.rows(unnotedLeaseTable).size + durable.rows(unreportedLeaseTable).size === 0 &&
      this.nodes.every(({ engine, lostEpoch = 0 }) => engine?.head.hash === hash && epoch > lostEpoch) &&
      this.subscribers.every(
        (subscriber) => subscriber.isConnected && (!subscriber.isSure || subscriber.hasSeenUpTo(position)),
      )
    );
  }
}
