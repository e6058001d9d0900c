import { defined } from "@holdfast/sdk/base/defined";
import type { CallOptions, CallReply } from "@holdfast/sdk";
import { withdrawal, withdrawalKey } from "@holdfast/sdk/contract";
import type { KeyedRequest } from "@holdfast/sdk/contract";
import { mayRetry } from "./attempt.ts";
import type { Attempt, Intent } from "./attempt.ts";
import { checkRead } from "./check-read.ts";
import { checkRefusedForCertain, checkReply } from "./check-reply.ts";
import { LockRequests } from "./lock-requests.ts";
import type { SimulatedNode } from "./node.ts";
import type { EntityMemory, SimulatedRequest } from "./entity-requests.ts";
import { EntityRequests, poisonousRequest } from "./entity-requests.ts";
import { ProgramRequests } from "./program-requests.ts";
import { intentIds, IntentRequests } from "./intent-requests.ts";
import { JobRequests } from "./job-requests.ts";
import { FileRequests } from "./file-requests.ts";
import { WorkspaceRequests } from "./workspace-requests.ts";
import { SimulatedRunner } from "./runner.ts";
import { SimulatedWorker } from "./simulated-worker.ts";
import type { World } from "./world.ts";

const ownersPrincipal = "ada";
const principals = [ownersPrincipal, "ben", "eve"];
/** Most seeds have some locks, and a few have mainly locks. */
const lockShares = [0, 0.3, 0.6, 0.9] as const;
/** Share of the requests of a seed with programs that are about them. */
const programShare = 0.75;
/** Share of the requests that are about intents, and of runners among them, in a seed with intents. */
const intentShare = 0.6;
const runnerShare = 0.75;
/** Share of the requests that workers send, and of other requests about jobs, in a seed with jobs. */
const workerShare = 0.55;
const jobShare = 0.6;
/** Share of the requests about files, and about the workspace, in a seed that has them. */
const fileShare = 0.85;
const workspaceShare = 0.85;
/** Maximum number of intents that are retried, so that the list of old intents does not grow. */
const retryableMax = 30;

/** All callers that send commands and reads, and the knowledge of each of them. */
export class Callers {
  readonly #world: World;
  readonly #attempts: Attempt[] = [];
  readonly #open = new Set<Attempt>();
  readonly #memories = new Map<string, EntityMemory>();
  /** The positions that a life of a node showed or acknowledged, by subject. */
  readonly #floors = new Map<string, Map<string, number>>();
  /** Keyed intents whose outcome their caller does not know. */
  readonly #unknown: Intent[] = [];
  /** True if the state of this life of a node is part of the current journal. */
  readonly #isInHistory: (owner: string) => boolean;
  readonly #lockRequests: LockRequests;
  readonly #entityRequests: EntityRequests;
  readonly #programRequests: ProgramRequests | undefined;
  readonly #intentRequests: IntentRequests | undefined;
  readonly #runners: readonly SimulatedRunner[];
  readonly #jobRequests: JobRequests | undefined;
  readonly #workers: readonly SimulatedWorker[];
  readonly #fileRequests: FileRequests | undefined;
  readonly #workspaceRequests: WorkspaceRequests | undefined;
  /** Share of the requests that are about agents and locks. */
  readonly #lockShare: number;
  #keyCount = 0;

  constructor(world: World, isInHistory: (owner: string) => boolean) {
    this.#world = world;
    this.#isInHistory = isInHistory;
    const intentPaths = world.hasIntents ? intentIds.map((id) => `intent/${id}`) : [];
    this.#lockRequests = new LockRequests(world.random, world.locks, intentPaths);
    this.#entityRequests = new EntityRequests(world.random, (subject) => this.#memories.get(subject));
    this.#lockShare = world.random.pick(lockShares);
    const known = {
      state: () => world.history.machine.durable,
      agents: () => [...world.locks.view.agents.keys()],
      holders: () => [...world.locks.view.grants.values()],
    };
    this.#programRequests = world.hasPrograms ? new ProgramRequests(world.random, known) : undefined;
    this.#intentRequests = world.hasIntents ? new IntentRequests(world) : undefined;
    this.#runners = world.hasIntents ? ["r1", "r2", "r3"].map((name) => new SimulatedRunner(name, world)) : [];
    this.#jobRequests = world.hasJobs ? new JobRequests(world) : undefined;
    this.#fileRequests = world.hasFiles ? new FileRequests(world) : undefined;
    this.#workspaceRequests = world.hasWorkspace ? new WorkspaceRequests(world) : undefined;
    this.#workers = world.hasJobs ? [1, 2, 3].map(() => new SimulatedWorker(world)) : [];
  }

  get openCount(): number {
    return this.#open.size;
  }

  get unknownCount(): number {
    return this.#unknown.length;
  }

  /** A caller sends a new request. */
  sendRequest(node: SimulatedNode, others: readonly SimulatedNode[]): void {
    const { random } = this.#world;
    const isPoisonous = this.#world.occurs("poisonous command");
    const isOfRunner = this.#runners.length > 0 && random.chance(intentShare * runnerShare);
    const isOfWorker = this.#workers.length > 0 && random.chance(workerShare);
    const ordinary = isOfRunner
      ? random.pick(this.#runners).next()
      : isOfWorker
        ? random.pick(this.#workers).next()
        : this.#newRequest();
    const request = isPoisonous ? poisonousRequest(random) : ordinary;
    if (request === undefined || (request.isRead && this.#world.time.isStill(node.owner))) return;
    const intent = this.#intentOf(request);
    this.#send(node, intent);
    if (intent.key === undefined) return;
    if (this.#world.occurs("command is sent twice to one node")) this.#send(node, intent);
    const other = random.pick(others);
    if (other.state === "up" && this.#world.occurs("command is sent to two nodes")) this.#send(other, intent);
    if (this.#world.occurs("key is used for another request")) this.#misuse(node, intent);
  }

  /** A caller that does not know the outcome of a command sends it again. */
  retry(node: SimulatedNode): void {
    const intent = this.#unknown.shift();
    if (intent === undefined || intent.isKnown) return;
    this.#world.faults.count("command is sent again");
    this.#send(node, intent);
  }

  /** After all faults, a runner resumes the runs that have not ended, and a worker runs the jobs that are left. */
  heal(node: SimulatedNode): void {
    const request = this.#runners[0]?.heal() ?? this.#workers[0]?.heal();
    if (request !== undefined) this.#send(node, this.#intentOf(request));
  }

  /** Calls of this life of a node are never answered. */
  crashed(owner: string): void {
    for (const attempt of this.#open) {
      if (attempt.owner !== owner) continue;
      this.#open.delete(attempt);
      this.#world.faults.count("caller gets no answer because of a crash");
      this.#forgetAnswer(attempt.intent);
    }
    this.#floors.delete(owner);
  }

  journalWentBack(): void {
    this.#floors.clear();
  }

  /** Answers that promised that nothing happened must still be true. */
  checkAll(): void {
    for (const attempt of this.#attempts) checkRefusedForCertain(this.#world, attempt);
  }

  #newRequest(): SimulatedRequest {
    const { random } = this.#world;
    const programs = this.#programRequests;
    if (programs !== undefined && random.chance(programShare)) return programs.make();
    if (this.#intentRequests !== undefined && random.chance(intentShare)) return this.#intentRequests.make();
    if (this.#jobRequests !== undefined && random.chance(jobShare)) return this.#jobRequests.make();
    if (this.#fileRequests !== undefined && random.chance(fileShare)) return this.#fileRequests.make();
    if (this.#workspaceRequests !== undefined && random.chance(workspaceShare)) return this.#workspaceRequests.make();
    if (random.chance(this.#lockShare)) return this.#lockRequests.make();
    return this.#entityRequests.make();
  }

  #intentOf(request: SimulatedRequest): Intent {
    const { random } = this.#world;
    const isKeyless = request.isRead || request.isKeyless === true || random.chance(0.5);
    const own = isKeyless ? undefined : `k${(this.#keyCount += 1)}`;
    const { operation, input } = request;
    // The server gives a withdrawal this key.
    const key = operation === withdrawal ? withdrawalKey(input as unknown as KeyedRequest) : own;
    return { principal: this.#principalOf(request), request, key, isHonest: true, isKnown: false };
  }

  /** Agents and holding owners belong to one principal. Mostly that principal calls, and sometimes another one. */
  #principalOf(request: SimulatedRequest): string {
    const { random } = this.#world;
    if (request.principal !== undefined) return request.principal;
    return request.speaker !== undefined && random.chance(0.95) ? ownersPrincipal : random.pick(principals);
  }

  #misuse(node: SimulatedNode, intent: Intent): void {
    const other = this.#newRequest();
    if (other.isRead || other.operation !== intent.request.operation || other.operation === withdrawal) return;
    intent.isHonest = false;
    this.#send(node, { ...intent, request: other });
  }

  #send(node: SimulatedNode, intent: Intent): void {
    const world = this.#world;
    const name = `t${this.#attempts.length + 1}`;
    const { principal, request, key } = intent;
    const { agent } = request.speaker ?? { agent: name };
    const speaker = { principal, ...defined({ agent }), caller: principal };
    const transport = node.transport(speaker, request.speaker === undefined ? undefined : name);
    if (transport === undefined) {
      this.#forgetAnswer(intent);
      return;
    }
    const floor = new Map(this.#floors.get(node.owner));
    const attempt: Attempt = {
      name,
      intent,
      owner: node.owner,
      losses: world.losses,
      floor,
      isAnswered: false,
      isRefusedForCertain: false,
    };
    this.#attempts.push(attempt);
    world.faults.count(`asked: ${request.operation}`);
    this.#open.add(attempt);
    world.log(
      () => `${name} ${principal} → ${node.owner}: ${request.operation} ${JSON.stringify(request.input)} ${key ?? ""}`,
    );
    const isShort = !request.isRead && world.occurs("deadline is short");
    const options: CallOptions = {
      ...defined({ key }),
      ...(isShort ? { deadlineMs: world.random.between(0, 50) } : {}),
    };
    transport.call(request.operation, request.input, options).then(
      (reply) => this.#answered(attempt, reply),
      (error: unknown) => this.#thrown(attempt, error),
    );
  }

  #answered(attempt: Attempt, reply: CallReply): void {
    if (!this.#open.delete(attempt)) return;
    attempt.isAnswered = true;
    const world = this.#world;
    const { intent, owner } = attempt;
    world.log(() => `${attempt.name} ← ${owner}: ${summary(reply)}`);
    if (intent.request.isRead) {
      for (const [subject, position] of checkRead(world, attempt, reply)) this.#raiseFloor(owner, subject, position);
    } else {
      checkReply(world, attempt, reply);
      const isCurrent = attempt.losses === world.losses;
      if (isCurrent) for (const { subject } of reply.events) this.#noteEvent(attempt, subject, reply);
    }
    if (!intent.request.isRead && world.occurs("reply is lost")) this.#forgetAnswer(intent);
    else if (mayRetry(reply.outcome)) this.#forgetAnswer(intent);
    else this.#learn(intent, reply);
  }

  #noteEvent(attempt: Attempt, subject: string, reply: CallReply): void {
    // A conflict makes no version, so no read has to show its position.
    if (reply.outcome.kind === "done") this.#raiseFloor(attempt.owner, subject, reply.position);
  }

  #raiseFloor(owner: string, subject: string, position: number): void {
    // An answer of a node that has not noticed a loss sets no minimum for later reads.
    if (this.#world.losses > 0 && !this.#isInHistory(owner)) return;
    const floors = this.#floors.get(owner) ?? new Map<string, number>();
    floors.set(subject, Math.max(position, floors.get(subject) ?? 0));
    this.#floors.set(owner, floors);
  }

  #thrown(attempt: Attempt, error: unknown): void {
    if (!this.#open.delete(attempt)) return;
    attempt.isAnswered = true;
    this.#world.log(() => `${attempt.name} ← ${attempt.owner}: threw ${String(error)}`);
    // A door could report only a bug, although the command may have happened.
    this.#world.demand(false, "a call is answered, also when the journal cannot be read", () => {
      return `${attempt.name}: ${error instanceof Error ? String(error.stack) : String(error)}`;
    });
  }

  #forgetAnswer(intent: Intent): void {
    if (intent.key === undefined || intent.isKnown || this.#unknown.length >= retryableMax) return;
    this.#unknown.push(intent);
  }

  #learn(intent: Intent, reply: CallReply): void {
    intent.isKnown = true;
    intent.request.answered?.(reply);
    const data = reply.outcome.data as Readonly<Record<string, unknown>>;
    const { type = "ticket", id, name } = { ...intent.request.input, ...data } as Record<string, string>;
    const version = data["version"] ?? data["current_version"];
    const revision = data["revision"] ?? data["current_revision"];
    if (typeof version === "number") {
      this.#memories.set(`${type}/${id ?? ""}`, {
        version,
        revision: typeof revision === "string" ? revision : undefined,
        fence: 0,
      });
    }
    if (typeof data["fence"] === "number") {
      this.#memories.set(`lease/${name ?? ""}`, { version: 0, revision: undefined, fence: data["fence"] });
    }
  }
}

function summary({ outcome, position, replayed }: CallReply): string {
  const what = outcome.kind === "done" ? `done ${JSON.stringify(outcome.data)}` : outcome.code;
  return `${what} at ${position}${replayed ? ", a replay" : ""}`;
}
