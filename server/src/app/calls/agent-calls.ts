import type { CallReply } from "@holdfast/sdk";
import type { DoorCallOptions } from "@holdfast/sdk/door-transport";
import type { Canonical } from "@holdfast/sdk/json/canonical";
import type { AgentRow } from "../../features/agents/agent-table.ts";
import type { Outcome } from "../../machine/entry.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { refusal } from "../../machine/refusal.ts";
import type { AgentAuthenticator, AuthenticationRules } from "./agent-authenticator.ts";
import { callOperation } from "./call-operation.ts";
import type { CallContext } from "./call-operation.ts";
import { explainEndedAgent } from "./explain-ended-agent.ts";
import { journalRefusal } from "./journal-refusal.ts";
import { makeTokenSecret } from "./hooks/make-token-secret.ts";
import { rotateOperatorToken } from "./hooks/rotate-operator-token.ts";
import type { OperatorTokenRotation } from "./hooks/rotate-operator-token.ts";
import { unrecordedReply } from "./unrecorded-reply.ts";

/** The context of agents' calls. */
interface AgentCallContext extends CallContext {
  /** Whether an agent must send its secret. */
  readonly requiresAgentSecret?: boolean;
  /** Absent where the operator's token is configured, or where there is none. */
  readonly operatorRotation?: OperatorTokenRotation;
}

/** Maximum agents whose context is cached. Beyond it the cache is cleared. */
const contextsMax = 4_096;

/** Authenticates the agent before anything else. Every call of an agent counts as activity. */
export class AgentCalls {
  readonly #context: AgentCallContext;
  readonly #contexts = new Map<string, AgentCallContext>();
  readonly #rules: AuthenticationRules;

  constructor(context: AgentCallContext) {
    this.#context = context;
    this.#rules = { principal: context.speaker.principal, requiresSecret: context.requiresAgentSecret ?? false };
  }

  call(operation: string, input: Canonical, call: DoorCallOptions): Promise<CallReply> {
    const context = this.#context;
    const { engine, agents } = context.services;
    const agent = call.agent ?? context.speaker.agent;
    if (agent === undefined) {
      if (operation === "register-agent") return register(context, agents, input, call);
      if (operation === "heartbeat") return Promise.resolve(unrecordedReply(engine, refusal("agent_required")));
      return callWithSecrets(context, operation, input, call);
    }
    const row = agents.authenticate(agent, call.agentSecret, this.#rules);
    if (!("kind" in row)) return this.#callAs(row, operation, input, call);
    const refuse = (outcome: Outcome): Promise<CallReply> =>
      explainEndedAgent(engine, outcome).then((explained) => unrecordedReply(engine, explained));
    if (!engine.isShared || row.kind !== "refusal" || row.code !== "agent_unknown") return refuse(row);
    // The agent may have registered, or got a new secret, on another node a moment ago.
    return engine.catchUp().then(
      () => {
        const found = agents.authenticate(agent, call.agentSecret, this.#rules);
        return "kind" in found ? refuse(found) : this.#callAs(found, operation, input, call);
      },
      (error: unknown) => unrecordedReply(engine, journalRefusal(error)),
    );
  }

  #callAs(row: AgentRow, operation: string, input: Canonical, call: DoorCallOptions): Promise<CallReply> {
    const { engine, agents } = this.#context.services;
    if (operation === "heartbeat") {
      return agents.activity
        .heartbeat(row)
        .then(async (outcome) => unrecordedReply(engine, await explainEndedAgent(engine, outcome)));
    }
    agents.activity.noteActivity(row);
    const context = this.#contextOf(row.id);
    return operation === "register-agent"
      ? register(context, agents, input, call)
      : callWithSecrets(context, operation, input, call);
  }

  /** The context of one agent. It is cached, since every call needs it. */
  #contextOf(agent: string): AgentCallContext {
    const known = this.#contexts.get(agent);
    if (known !== undefined) return known;
    if (this.#contexts.size >= contextsMax) this.#contexts.clear();
    const context = { ...this.#context, speaker: { ...this.#context.speaker, agent, caller: agent } };
    this.#contexts.set(agent, context);
    return context;
  }
}

/** Makes the secret of a new token. Every other call is passed on unchanged. */
function callWithSecrets(
  context: AgentCallContext,
  operation: string,
  input: Canonical,
  call: DoorCallOptions,
): Promise<CallReply> {
  switch (operation) {
    case "create-token":
    case "rotate-token": {
      const { ids } = context.services;
      return makeTokenSecret(operation, ids, (...request) => callOperation(context, ...request), {
        input,
        options: call,
      });
    }
    case "rotate-operator-token": {
      const { operatorRotation: rotation, services } = context;
      if (rotation === undefined)
        return Promise.resolve(unrecordedReply(services.engine, refusal("operator_token_configured")));
      return rotateOperatorToken(rotation, () => callOperation(context, operation, input, call));
    }
    default:
      return callOperation(context, operation, input, call);
  }
}

async function register(
  context: AgentCallContext,
  agents: AgentAuthenticator,
  input: Canonical,
  call: DoorCallOptions,
): Promise<CallReply> {
  const { input: registration, secret } = agents.registration(input, call);
  const { key: _key, ...rest } = call;
  const reply = await callOperation(context, "register-agent", registration, rest);
  if (reply.outcome.kind === "refusal") return reply;
  return { ...reply, outcome: { ...reply.outcome, data: { ...(reply.outcome.data as JsonObject), secret } } };
}
