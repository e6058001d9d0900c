import type { CallReply } from "@holdfast/sdk";
import type { DoorCallOptions } from "@holdfast/sdk/door-transport";
import type { Canonical } from "@holdfast/sdk/json/canonical";
import type { AgentRow } from "../../features/agents/agent-table.ts";
import type { Outcome } from "../../machine/entry.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { refusal } from "../../machine/refusal.ts";
import type { AgentDoor, SpeakerRules } from "./agent-door.ts";
import { callOperation } from "./call-operation.ts";
import type { CallPlace } from "./call-operation.ts";
import { explainGone } from "./explain-gone.ts";
import { journalRefusal } from "./journal-refusal.ts";
import { createToken } from "./hooks/create-token.ts";
import { unrecordedReply } from "./unrecorded-reply.ts";

/** The context of agents' calls. */
interface AgentCallPlace extends CallPlace {
  /** Whether an agent must send its secret. */
  readonly requiresAgentSecret?: boolean;
}

/** Maximum agents whose context is cached. Beyond it the cache is cleared. */
const placesMax = 4_096;

/** Authenticates the agent before anything else. Every call of an agent counts as activity. */
export class AgentCalls {
  readonly #options: AgentCallPlace;
  readonly #places = new Map<string, AgentCallPlace>();
  readonly #rules: SpeakerRules;

  constructor(options: AgentCallPlace) {
    this.#options = options;
    this.#rules = { principal: options.speaker.principal, requiresSecret: options.requiresAgentSecret ?? false };
  }

  call(operation: string, input: Canonical, call: DoorCallOptions): Promise<CallReply> {
    const options = this.#options;
    const { engine, agents } = options.services;
    const agent = call.agent ?? options.speaker.agent;
    if (agent === undefined) {
      if (operation === "register-agent") return register(options, agents, input, call);
      if (operation === "heartbeat") return Promise.resolve(unrecordedReply(engine, refusal("agent_required")));
      return callWithSecrets(options, operation, input, call);
    }
    const row = agents.speaker(agent, call.agentSecret, this.#rules);
    if (!("kind" in row)) return this.#callAs(row, operation, input, call);
    const turnAway = (outcome: Outcome): Promise<CallReply> =>
      explainGone(engine, outcome).then((explained) => unrecordedReply(engine, explained));
    if (!engine.isShared || row.kind !== "refusal" || row.code !== "agent_unknown") return turnAway(row);
    // The agent may have registered, or got a new secret, on another node a moment ago.
    return engine.catchUp().then(
      () => {
        const found = agents.speaker(agent, call.agentSecret, this.#rules);
        return "kind" in found ? turnAway(found) : this.#callAs(found, operation, input, call);
      },
      (error: unknown) => unrecordedReply(engine, journalRefusal(error)),
    );
  }

  #callAs(row: AgentRow, operation: string, input: Canonical, call: DoorCallOptions): Promise<CallReply> {
    const { engine, agents } = this.#options.services;
    if (operation === "heartbeat") {
      return agents.beats
        .beat(row)
        .then(async (outcome) => unrecordedReply(engine, await explainGone(engine, outcome)));
    }
    agents.beats.sign(row);
    const as = this.#placeOf(row.id);
    return operation === "register-agent"
      ? register(as, agents, input, call)
      : callWithSecrets(as, operation, input, call);
  }

  /** Made once per agent, since every call needs it. */
  #placeOf(agent: string): AgentCallPlace {
    const known = this.#places.get(agent);
    if (known !== undefined) return known;
    if (this.#places.size >= placesMax) this.#places.clear();
    const place = { ...this.#options, speaker: { ...this.#options.speaker, agent, caller: agent } };
    this.#places.set(agent, place);
    return place;
  }
}

/** A token's secret is made here. Every other call continues unchanged. */
function callWithSecrets(
  options: AgentCallPlace,
  operation: string,
  input: Canonical,
  call: DoorCallOptions,
): Promise<CallReply> {
  if (operation !== "create-token") return callOperation(options, operation, input, call);
  return createToken(options.services.ids, (...wish) => callOperation(options, ...wish), input, call);
}

async function register(
  options: AgentCallPlace,
  agents: AgentDoor,
  input: Canonical,
  call: DoorCallOptions,
): Promise<CallReply> {
  const { input: given, secret } = agents.registration(input, call);
  const { key: _key, ...rest } = call;
  const reply = await callOperation(options, "register-agent", given, rest);
  if (reply.outcome.kind === "refusal") return reply;
  return { ...reply, outcome: { ...reply.outcome, data: { ...(reply.outcome.data as JsonObject), secret } } };
}
