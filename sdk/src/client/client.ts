import { hostHeartbeatThread } from "#host";
import { abortable } from "./abortable.ts";
import { agentsClient } from "./agents-client.ts";
import type { AgentIdentity, CoreClient } from "./core-client.ts";
import { CallSender } from "./transport/call-sender.ts";
import type { Identity } from "./transport/call-sender.ts";
import { systemClientClock } from "./client-clock.ts";
import type { ClientClock } from "./client-clock.ts";
import { entitiesClient } from "./entities-client.ts";
import type { Run } from "./entities-client.ts";
import type { HeartbeatThread } from "./locks/heartbeats/heartbeats.ts";
import { LockSessions } from "./locks/session/lock-sessions.ts";
import type { AgentIntroduction } from "./locks/session/session-agent.ts";
import { locksClient } from "./locks-client.ts";
import { Retrier } from "./retry.ts";
import type { RetryOptions } from "./retry.ts";
import type { CallOptions, Reads, Transport } from "./transport/transport.ts";
import { operationsClient } from "./operations-client.ts";
import { lazyClient } from "./packs/lazy-client.ts";
import type { PlanningClient } from "./packs/planning-client.ts";
import type { IntentsClient } from "./intents/intents-client.ts";
import type { FilesClient } from "./files/files-client.ts";
import type { JobsClient } from "./jobs/jobs-client.ts";
import type { ProgramsClient } from "./programs/programs-client.ts";
import type { WorkspaceClient } from "./workspace/workspace-client.ts";
import { oneByOne } from "./one-by-one.ts";

/** The client of Holdfast: the same in process, over a socket and over HTTP. Its functions need no `this`. */
export interface Client extends CoreClient {
  /** The pack `planning`. */
  readonly planning: PlanningClient;
  /** The pack `intents`. */
  readonly intents: IntentsClient;
  /** The pack `jobs`. */
  readonly jobs: JobsClient;
  /** The pack `programs`. */
  readonly programs: ProgramsClient;
  /** The pack `files`. */
  readonly files: FilesClient;
  /** The pack `workspace`. */
  readonly workspace: WorkspaceClient;
  /** The same client with the identity of a registered agent. */
  readonly as: (agent: AgentIdentity) => Client;
  /**
   * A client with its own agent over the same connection. Locks of the two exclude each other. Closing it ends its
   * agent and leaves the connection open.
   */
  readonly agent: (introduction?: AgentIntroduction) => Client;
}

export interface ClientOptions extends AgentIntroduction {
  /** Retries of failed calls whose rule allows it; `false` turns them off. */
  readonly retry?: RetryOptions | false;
  /** The default freshness of reads: the latest state, or the state of the node that answers. */
  readonly reads?: Reads;
  /** The clock of tests. */
  readonly clock?: ClientClock;
  /** The server's addresses, if it is another process. Replies may be lost, so writes get keys. */
  readonly remote?: { readonly urls: readonly string[]; readonly token?: string | undefined };
  /**
   * Maximum time that the event loop may be blocked before the client's leases are given up; 600,000 by default. Over
   * the network, in Node, a thread renews leases, so that a busy loop does not lose them. A loop that is blocked for
   * longer counts as stuck.
   */
  readonly maxBlockedMs?: number;
}

export function createClient(unwrapped: Transport, options: ClientOptions = {}): Client {
  const { clock = systemClientClock, retry = {}, reads, remote, maxBlockedMs = 600_000 } = options;
  const transport = abortable(unwrapped);
  const retrier = new Retrier(clock, retry);
  const caller = new CallSender({ transport, clock, retrier, makesKeys: remote !== undefined, reads });
  const thread = remote === undefined ? undefined : hostHeartbeatThread({ maxBlockedMs, ...remote }, clock);
  return clientOf(caller, options, { closes: true, others: new Set(), thread });
}

/** The state that clients over one connection share. */
interface Family {
  /** Whether closing this client closes the connection, and with it all others. */
  readonly closes: boolean;
  /** The clients of this connection that have acquired locks. */
  readonly others: Set<LockSessions>;
  readonly thread: HeartbeatThread | undefined;
}

/** The parts of a client that the clients of its packs use. */
interface PackHost {
  readonly run: Run;
  readonly clock: ClientClock;
  readonly client: CoreClient;
  readonly thread: HeartbeatThread | undefined;
  readonly notices: CallSender["notices"];
}

function clientOf(caller: CallSender, options: ClientOptions, family: Family): Client {
  const run: Run = (operation, input, call) => caller.run(operation, input, call);
  const { transport } = caller;
  const notices: CallSender["notices"] = (query) => caller.notices(query);
  const { thread, others } = family;
  // Kept only while there is something to close: a program may use any number of agents.
  const onUse = (isUsed: boolean): void => {
    if (isUsed) others.add(sessions);
    else others.delete(sessions);
  };
  const sessions: LockSessions = new LockSessions(caller, options, { thread, onUse });
  const close = async (): Promise<void> => {
    const ended = (family.closes ? [...others] : [sessions]).filter((each) => !each.isUnused);
    // Without locks the client closes synchronously: later calls are refused.
    if (ended.length > 0) await Promise.all(ended.map((each) => each.close()));
    if (!family.closes) return;
    caller.stop();
    await transport.close();
  };
  const withIdentity = (identity: Identity | undefined, more: ClientOptions, closes: boolean): Client =>
    clientOf(caller.as(identity), { ...options, ...more }, { ...family, closes });
  const packClient = <Pack extends object>(load: () => Promise<(host: PackHost) => Pack>): Pack =>
    lazyClient(async () => (await load())({ run, clock: caller.clock, client, thread, notices }));
  const client: Client = {
    entities: entitiesClient(run, caller.clock),
    agents: agentsClient(run),
    locks: locksClient(run, sessions),
    planning: packClient(async () => (await import("./packs/planning-client.ts")).planningClient),
    intents: packClient(async () => (await import("./intents/intents-client.ts")).intentsClient),
    jobs: packClient(async () => (await import("./jobs/jobs-client.ts")).jobsClient),
    programs: packClient(async () => (await import("./programs/programs-client.ts")).programsClient),
    files: packClient(async () => (await import("./files/files-client.ts")).filesClient),
    workspace: packClient(async () => (await import("./workspace/workspace-client.ts")).workspaceClient),
    audit: packClient(async () => (await import("./audit-client.ts")).auditClient),
    journal: packClient(async () => (await import("./audit-client.ts")).journalClient),
    tokens: packClient(async () => (await import("./tokens-client.ts")).tokensClient),
    acquire: sessions.acquire,
    tryAcquire: sessions.tryAcquire,
    // Loaded on first use: most programs never need it.
    retryOnDeadlock: async (work, bounds) =>
      (await import("./locks/waiting/retry-on-deadlock.ts")).retryOnDeadlock(sessions, caller.clock, work, bounds),
    as: ({ agentId: agent, secret }) => withIdentity({ agent, agentSecret: secret }, {}, family.closes),
    agent: (introduction = {}) => withIdentity(undefined, introduction, false),
    operations: operationsClient(run),
    execute: (operation, input, call = {}) => caller.callWire(operation, input, call),
    run: (operation: string, input: unknown, call: CallOptions = {}) => caller.runWire(operation, input, call),
    watch: (filter = {}) => oneByOne(transport.watch(filter)),
    notices: (query) => oneByOne(notices(query)),
    cursor: () => transport.cursor(),
    close,
    [Symbol.asyncDispose]: close,
  };
  return client;
}
