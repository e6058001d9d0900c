import type { CallOptions, CallReply } from "@holdfast/sdk";
import type { Engine } from "../../engine/engine.ts";
import { agentSubject } from "../../features/agents/agent-table.ts";
import type { Outcome } from "../../machine/entry.ts";
import type { Json, JsonObject } from "../../machine/json.ts";
import { refusal } from "../../machine/outcome.ts";
import type { AgentDoor } from "./agent-door.ts";
import type { InProcessOptions } from "./transport.ts";

/** Options with everything that a call of an agent needs. */
export interface AgentCallOptions extends InProcessOptions {
  readonly agents: AgentDoor;
  readonly call: Call;
}

type Call = (options: InProcessOptions, operation: string, input: unknown, call: CallOptions) => Promise<CallReply>;

/** Finds out who speaks before anything else is looked at. Every call of an agent is a sign of its life. */
export function callAs(
  options: AgentCallOptions,
  operation: string,
  input: unknown,
  call: CallOptions,
): Promise<CallReply> {
  const { engine, agents } = options;
  const agent = call.agent ?? options.speaker.agent;
  if (agent === undefined) {
    if (operation === "register-agent") return register(options, agents, input, call);
    if (operation === "heartbeat") return Promise.resolve(answered(engine, refusal("agent_required")));
    return options.call(options, operation, input, call);
  }
  const row = agents.speaker({ ...call, agent });
  if ("kind" in row) return explainGone(engine, row).then((outcome) => answered(engine, outcome));
  if (operation === "heartbeat") {
    return agents.beats.beat(row).then(async (outcome) => answered(engine, await explainGone(engine, outcome)));
  }
  agents.beats.sign(row);
  const as = { ...options, speaker: { ...options.speaker, agent, caller: agent } };
  return operation === "register-agent" ? register(as, agents, input, call) : options.call(as, operation, input, call);
}

async function register(
  options: AgentCallOptions,
  agents: AgentDoor,
  input: unknown,
  call: CallOptions,
): Promise<CallReply> {
  const { input: given, secret } = agents.registration(input as Json, call);
  const { key: _key, ...rest } = call;
  const reply = await options.call(options, "register-agent", given, rest);
  if (reply.outcome.kind === "refusal") return reply;
  return { ...reply, outcome: { ...reply.outcome, data: { ...(reply.outcome.data as JsonObject), secret } } };
}

/** An agent that is not there any more is told when and why it ended. That is in the journal, not in memory. */
export async function explainGone(engine: Engine, outcome: Outcome): Promise<Outcome> {
  const id = outcome.data["agent_id"];
  if (outcome.kind === "done" || outcome.code !== "agent_unknown" || typeof id !== "string") return outcome;
  if (!/^[\x21-\x7e]{1,128}$/u.test(id)) return outcome;
  const subject = agentSubject(id);
  const [entry] = await engine.entriesAbout({ subject, order: "newest-first", limit: 1 });
  const ended = entry?.events.find((event) => event.subject === subject && event.type === "agent.ended");
  if (entry === undefined || ended === undefined) return outcome;
  const facts = {
    ended_at: new Date(entry.time).toISOString(),
    why: ended.data["why"] ?? null,
    by: ended.data["by"] ?? null,
  };
  return { ...outcome, data: { ...outcome.data, ...facts } };
}

function answered(engine: Engine, outcome: Outcome): CallReply {
  return {
    outcome: { ...outcome, data: { ...outcome.data } },
    position: engine.head.position,
    replayed: false,
    events: [],
  };
}
