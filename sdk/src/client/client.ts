import { abortable } from "./abortable.ts";
import { agentsClient } from "./agents-client.ts";
import type { AgentsClient } from "./agents-client.ts";
import { auditClient, journalClient } from "./audit-client.ts";
import type { AuditClient, JournalClient } from "./audit-client.ts";
import { entitiesClient } from "./entities-client.ts";
import type { EntitiesClient, Run } from "./entities-client.ts";
import { HoldfastError } from "./holdfast-error.ts";
import { locksClient } from "./locks-client.ts";
import type { LocksClient } from "./locks-client.ts";
import type { CallOptions, CallReply, Transport, WatchedEvent } from "./transport.ts";
import { tokensClient } from "./tokens-client.ts";
import type { TokensClient } from "./tokens-client.ts";
import { planningClient } from "./planning-client.ts";
import type { PlanningClient } from "./planning-client.ts";
import { watchEvents } from "./watch-events.ts";
import type { WatchOptions } from "./watch-events.ts";

/** Holdfast, as a program sees it: the same in process, over a socket and over HTTP. Its functions need no `this`. */
export interface Client extends AsyncDisposable {
  readonly entities: EntitiesClient;
  readonly agents: AgentsClient;
  readonly locks: LocksClient;
  /** The pack `planning`. */
  readonly planning: PlanningClient;
  readonly audit: AuditClient;
  readonly journal: JournalClient;
  readonly tokens: TokensClient;
  /** The same client, speaking as a registered agent. */
  readonly as: (agent: { readonly agent_id: string; readonly secret?: string }) => Client;
  /** Runs any operation by name and returns its outcome as a value, refusals included. */
  readonly execute: (operation: string, input: unknown, options?: CallOptions) => Promise<CallReply>;
  /** Runs any operation by name; a refusal is thrown as a HoldfastError. */
  readonly run: (operation: string, input: unknown, options?: CallOptions) => Promise<unknown>;
  /** Every event after a cursor, without gap or repeat, and then every one that comes. */
  readonly watch: (options?: WatchOptions) => AsyncIterableIterator<WatchedEvent>;
  /** Where the journal is now: watch from here to miss nothing after what you have read before asking. */
  readonly cursor: () => Promise<string>;
  readonly close: () => Promise<void>;
}

export function createClient(bare: Transport, agent: Pick<CallOptions, "agent" | "agentSecret"> = {}): Client {
  const transport = abortable(agent.agent === undefined ? bare : speakingAs(bare, agent));
  const run: Run = async (operation, input, options) => {
    const { outcome, position, replayed } = await transport.call(operation, input, options);
    if (outcome.kind === "done") return outcome.data;
    throw new HoldfastError(operation, outcome.code, { data: outcome.data, position, replayed });
  };
  const close = (): Promise<void> => transport.close();
  return {
    entities: entitiesClient(run),
    agents: agentsClient(run),
    locks: locksClient(run),
    planning: planningClient(run),
    audit: auditClient(run),
    journal: journalClient(run),
    tokens: tokensClient(run),
    as: ({ agent_id, secret }) =>
      createClient(bare, secret === undefined ? { agent: agent_id } : { agent: agent_id, agentSecret: secret }),
    execute: (operation, input, options = {}) => transport.call(operation, input, options),
    run: (operation, input, options = {}) => run(operation, input, options),
    watch: (options = {}) => watchEvents(transport, options),
    cursor: () => transport.cursor(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function speakingAs(bare: Transport, agent: Pick<CallOptions, "agent" | "agentSecret">): Transport {
  return {
    call: (operation, input, options) => bare.call(operation, input, { ...agent, ...options }),
    watch: (options) => bare.watch(options),
    cursor: () => bare.cursor(),
    close: () => bare.close(),
  };
}
