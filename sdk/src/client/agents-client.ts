import type { Agent, OperationInput, OperationOutput, Registered, WhoAmI } from "./operation-output.ts";
import type { Page, Run } from "./entities-client.ts";
import type { CallOptions } from "./transport/transport.ts";

/**
 * The description of an agent. `ownKey` is a key that the caller chooses. Registering again with it resumes the same
 * agent, with its locks and tickets. Where the server requires secrets, only the agent itself can:
 * `client.as(registered).agents.register({ ownKey })`.
 */
export type Registration = Omit<OperationInput<"register-agent">, "secretHash" | "secretRequired">;

export interface AgentsClient {
  register(registration?: Registration, options?: CallOptions): Promise<Registered>;
  /** One heartbeat renews the registration, every lease and every ticket of the agent. */
  heartbeat(options?: CallOptions): Promise<OperationOutput<"heartbeat">>;
  /** Ends the calling agent, one of its children, or, for operators, any agent. */
  end(agentId?: string, options?: CallOptions & { readonly reason?: string }): Promise<OperationOutput<"end-agent">>;
  list(page?: OperationInput<"list-agents">): Promise<Page<Agent, string>>;
  /** The locks and tickets of the calling agent, or of the named owner. */
  whoAmI(query?: OperationInput<"who-am-i">): Promise<WhoAmI>;
}

export function agentsClient(run: Run): AgentsClient {
  return {
    register: (registration = {}, options = {}) => run("register-agent", registration, options) as Promise<Registered>,
    heartbeat: (options = {}) => run("heartbeat", {}, options) as Promise<OperationOutput<"heartbeat">>,
    end: (agentId, { reason, ...options } = {}) =>
      run("end-agent", { agentId, reason }, options) as Promise<OperationOutput<"end-agent">>,
    list: (page = {}) => run("list-agents", page, {}) as Promise<Page<Agent, string>>,
    whoAmI: (query = {}) => run("who-am-i", query, {}) as Promise<WhoAmI>,
  };
}
