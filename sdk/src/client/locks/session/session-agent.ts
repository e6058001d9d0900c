import { agentName } from "#host";
import type { Agent, Registered } from "../../../contract/agents.ts";
import type { WhoAmI } from "../../../contract/lock-views.ts";
import type { Caller } from "../../caller.ts";

/** How a client introduces itself, if it is nobody's yet when it first takes a lock. */
export interface Introduction {
  readonly name?: string;
  readonly purpose?: string;
  readonly parent?: string;
}

/** The agent in whose name a session takes locks. */
export interface Speaker {
  readonly agent: string;
  /** How long it may be silent. */
  readonly limitMs: number;
  /** Registered by this client, and ended by it. */
  readonly isOwn: boolean;
}

/** Finds out about the agent that the client was given, or registers one of its own. */
export async function speakerOf(caller: Caller, introduction: Introduction, ownKey: string): Promise<Speaker> {
  if (caller.identity !== undefined) {
    const { agent } = (await caller.run("who-am-i", { limit: 1 })) as WhoAmI;
    if (agent === null) throw new Error("the server knows no agent where there must be one");
    return { agent: agent.agent_id, limitMs: limitOf(agent), isOwn: caller.identity.isOwn === true };
  }
  const { name = agentName(), purpose, parent } = introduction;
  const input = { own_key: ownKey, name, ...(purpose && { purpose }), ...(parent && { parent }) };
  const registered = (await caller.run("register-agent", input)) as Registered;
  const { agent_id: agent, secret } = registered;
  caller.identity = { agent, agentSecret: secret, isOwn: true };
  return { agent, limitMs: limitOf(registered), isOwn: true };
}

/** Both times are the server's, so that only their distance counts. */
function limitOf({ seen_at, expires_at }: Agent): number {
  return Date.parse(expires_at) - Date.parse(seen_at);
}
