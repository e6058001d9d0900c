import { hostAgentName } from "#host";
import type { Agent, Registered } from "../../operation-output.ts";
import type { WhoAmI } from "../../operation-output.ts";
import { defined } from "../../../base/defined.ts";
import type { CallSender } from "../../transport/call-sender.ts";
import { HoldfastError } from "../../holdfast-error.ts";

/** The registration of a client that has no agent when it first acquires a lock. */
export interface AgentIntroduction {
  readonly name?: string;
  readonly purpose?: string;
  readonly parent?: string;
}

/** The agent of a session. */
export interface SessionAgent {
  readonly agent: string;
  /** Its inactivity limit. */
  readonly limitMs: number;
  /** This client registered it, and ends it. */
  readonly isOwn: boolean;
}

/** Reads the given agent, or registers one. */
export async function sessionAgentOf(
  caller: CallSender,
  introduction: AgentIntroduction,
  ownKey: string,
): Promise<SessionAgent> {
  if (caller.identity !== undefined) {
    const { agent } = (await caller.run("who-am-i", { limit: 1 })) as WhoAmI;
    if (agent === null) throw new Error("The server does not know the agent of this client. Register it again.");
    return { agent: agent.agentId, limitMs: limitOf(agent), isOwn: caller.identity.isOwn === true };
  }
  const { name = hostAgentName(), purpose, parent } = introduction;
  const input = defined({ name, purpose, parent });
  const register = async (ownKey: string): Promise<Registered> =>
    (await caller.run("register-agent", { ...input, ownKey })) as Registered;
  const registered = await register(ownKey).catch((error: unknown) => {
    // The reply to an earlier attempt was lost, and with it the secret. That agent holds nothing and ends by inactivity.
    const isSecretLost = error instanceof HoldfastError && error.code === "agent_secret_required";
    if (!isSecretLost) throw error;
    return register(caller.clock.unique());
  });
  const { agentId: agent, secret } = registered;
  caller.identity = { agent, agentSecret: secret, isOwn: true };
  return { agent, limitMs: limitOf(registered), isOwn: true };
}

/** Both times are the server's, so only their difference counts. */
function limitOf({ seenAt, expiresAt }: Agent): number {
  return Date.parse(expiresAt) - Date.parse(seenAt);
}
