import type { Agent, Registered } from "../contract/agents.ts";
import type { WhoAmI } from "../contract/lock-views.ts";
import type { Page, Run } from "./entities-client.ts";
import type { CallOptions } from "./transport.ts";

export interface Registration {
  /**
   * A key that the caller chooses. Registering again with it resumes the same agent, with its locks and tickets. Where
   * the server requires secrets, only the agent itself can: `client.as(registered).agents.register({ ownKey })`.
   */
  readonly ownKey?: string;
  readonly name?: string;
  readonly purpose?: string;
  readonly parent?: string;
  /** The parent waits while this agent runs. Then a deadlock through both is found. The default is false. */
  readonly parentWaits?: boolean;
  readonly inactivitySeconds?: number;
  /** The host and the process of the agent, for people that look for a silent one. */
  readonly host?: string;
  readonly processId?: number;
}

export interface AgentsClient {
  register(registration?: Registration, options?: CallOptions): Promise<Registered>;
  /** One heartbeat renews the registration, every lease and every ticket of the agent. */
  heartbeat(options?: CallOptions): Promise<{ readonly agent_id: string; readonly expires_at: string }>;
  /** Ends the calling agent, one of its children, or, for operators, any agent. */
  end(agentId?: string, options?: CallOptions & { readonly reason?: string }): Promise<unknown>;
  list(page?: { readonly after?: string; readonly limit?: number }): Promise<Page<Agent, string>>;
  /** The locks and tickets of the calling agent, or of the named owner. */
  whoAmI(query?: { readonly ownerId?: string; readonly after?: string; readonly limit?: number }): Promise<WhoAmI>;
}

export function agentsClient(run: Run): AgentsClient {
  return {
    register: async (registration = {}, options = {}) => {
      const { ownKey, parentWaits, inactivitySeconds, processId, ...same } = registration;
      const more = { parent_waits: parentWaits, inactivity_seconds: inactivitySeconds, process_id: processId };
      const input = { own_key: ownKey, ...same, ...more };
      return (await run("register-agent", input, options)) as Registered;
    },
    heartbeat: async (options = {}) =>
      (await run("heartbeat", {}, options)) as { readonly agent_id: string; readonly expires_at: string },
    end: (agentId, { reason, ...options } = {}) => run("end-agent", { agent_id: agentId, reason }, options),
    list: async (page = {}) => (await run("list-agents", page, {})) as Page<Agent, string>,
    whoAmI: async ({ ownerId, ...page } = {}) => (await run("who-am-i", { owner_id: ownerId, ...page }, {})) as WhoAmI,
  };
}
