import Type from "typebox";
import { limit } from "./conditions.ts";
import { internalOperation, operation } from "./operation.ts";
import { ofCaller, ofWholeSpace } from "./rights.ts";
import { get, post, remove } from "./routes.ts";

const closed = { additionalProperties: false } as const;

/** Text for people: one line, bounded, without control characters. */
export const line = Type.String({
  maxLength: 500,
  pattern: "^[^\\u0000-\\u001f\\u007f]*$",
  description: "A line of text: up to 500 characters, no control characters.",
});

export const ownerId = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: "^[^\\u0000-\\u001f\\u007f]+$",
  description: "The holder or waiter: the id of a registered agent, or another name of up to 128 characters.",
});

export const isoTime = Type.String({ description: "ISO 8601, in UTC." });

const [date, clock] = ["[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])", "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"];

/** A time that a caller sends. */
export const sentTime = Type.String({ pattern: `^${date}T${clock}(\\.[0-9]{1,3})?Z$` });

export const missed = Type.Array(Type.Object({ path: Type.String(), granted_at: isoTime, ended_at: isoTime }, closed), {
  description:
    "Grants of the agent's tickets that it did not accept in time, the newest last, at most ten. A set has its first " +
    "path. The agent's next granted or queued `acquire-lock` removes them. Absent if there are none.",
});

const agentId = Type.String({ minLength: 1, maxLength: 128, description: "The id that the registration returned." });

export const host = Type.String({ ...line, maxLength: 253, description: "The host on which the agent runs." });

export const processId = Type.Integer({
  minimum: 1,
  maximum: 2 ** 31 - 1,
  description: "The process of the agent on its host.",
});

export const agent = Type.Object(
  {
    agent_id: agentId,
    name: Type.Union([line, Type.Null()]),
    purpose: Type.Union([line, Type.Null()]),
    parent: Type.Union([agentId, Type.Null()]),
    parent_waits: Type.Boolean({ description: "A ticket of this agent counts as a wait of its parent." }),
    principal: Type.String(),
    registered_at: isoTime,
    seen_at: isoTime,
    expires_at: Type.String({ description: "Time at which the registration ends unless the agent is active before." }),
    inactivity_seconds: Type.Number({ description: "The inactivity limit in force." }),
    host: Type.Optional(host),
    process_id: Type.Optional(processId),
  },
  closed,
);

const registerAgent = operation({
  name: "register-agent",
  kind: "write",
  summary:
    "Registers an agent. With `own_key`, registering again resumes the same agent: same id, same locks, same tickets. " +
    "Where agents must send their secrets, only the agent itself can resume, called with its id and secret. " +
    "An agent has at most 1,000 descendants, all of its principal.",
  input: Type.Object(
    {
      own_key: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          pattern: "^[\\x21-\\x7e]+$",
          description: "A key that the caller chooses. It is not published.",
        }),
      ),
      name: Type.Optional(line),
      purpose: Type.Optional(line),
      parent: Type.Optional(agentId),
      parent_waits: Type.Optional(
        Type.Boolean({
          description:
            "The parent waits while this agent runs, so a ticket of this agent counts as a wait of its parent in the " +
            "search for deadlocks. The default is false: the agent then never closes a cycle for its parent.",
        }),
      ),
      host: Type.Optional(host),
      process_id: Type.Optional(processId),
      inactivity_seconds: Type.Optional(
        Type.Integer({
          minimum: 10,
          maximum: 604_800,
          description: "Inactivity limit: the registration ends after this time without activity.",
        }),
      ),
      secret_hash: Type.Optional(
        Type.String({ pattern: "^[0-9a-f]{64}$", description: "Set by the server, which makes the secret." }),
      ),
      secret_required: Type.Optional(
        Type.Literal(true, {
          description:
            "Set by a server with `agent_secrets: required`: only the agent itself resumes its registration.",
        }),
      ),
    },
    closed,
  ),
  output: Type.Object(
    {
      ...agent.properties,
      resumed: Type.Boolean(),
      secret: Type.String({ description: "Returned only once. Send it together with the agent id." }),
    },
    closed,
  ),
  problems: ["agent_unknown", "agent_limit", "agent_secret_required", "space_full"],
  rights: [{ verbs: ["register"], touches: ofCaller }],
  routes: [post("/v1/agents/register", { status: 201 })],
  example: { name: "ann", purpose: "renames a module", own_key: "ann-on-host-7" },
  sets: ["secret_hash", "secret_required"],
  isRepeatable: "with-own-key",
  countsAs: "agent",
});

const heartbeat = operation({
  name: "heartbeat",
  kind: "write",
  summary: "Sends a heartbeat. It renews the registration, every lease and every ticket of the calling agent.",
  input: Type.Object({}, closed),
  output: Type.Object({ agent_id: agentId, expires_at: isoTime, missed: Type.Optional(missed) }, closed),
  problems: ["agent_unknown", "agent_required"],
  rights: [{ verbs: ["register"], touches: ofCaller }],
  routes: [post("/v1/agents/heartbeat"), post("/v1/agents/{agent_id}/heartbeat", { speaker: "agent_id" })],
  isAboutCaller: true,
  isRepeatable: "always",
  example: {},
});

const endAgent = operation({
  name: "end-agent",
  kind: "write",
  summary:
    "Ends a registration and its descendants. The agent itself, its parent or an operator may send it. The locks of " +
    "all ended agents are released at once. Recoverable locks are released only if their agent ends itself. Otherwise " +
    "they stay, shown as stale, until their recovery conditions hold. Beyond about 2,000 paths and tickets the rest " +
    "follows in the next entries.",
  input: Type.Object({ agent_id: Type.Optional(agentId), reason: Type.Optional(line) }, closed),
  output: Type.Object({ agent_id: agentId, ended_at: isoTime }, closed),
  problems: ["agent_unknown", "agent_required", "not_allowed"],
  rights: [{ verbs: ["register"], touches: ({ agent_id: agent }) => ({ agent }), restrictsAgents: true }],
  routes: [remove("/v1/agents/{agent_id}")],
  isAboutCaller: true,
  example: { agent_id: "9b2f6c1e-0d4a-7e53-8a61-5f0c2d3b4a59", reason: "the work is done" },
});

/** All heartbeats of a quarter second in one command. Commands and reads count as activity too. */
const renewAgents = internalOperation({
  name: "renew-agents",
  summary: "Records the heartbeats and other activity since the last such entry.",
  input: Type.Object(
    {
      beats: Type.Optional(Type.Array(agentId, { maxItems: 10_000 })),
      signs: Type.Optional(Type.Array(agentId, { maxItems: 10_000 })),
    },
    closed,
  ),
  output: Type.Object({ gone: Type.Array(agentId) }),
  problems: [],
  isUpkeep: true,
});

const expireAgent = internalOperation({
  name: "expire-agent",
  summary: "Ends a registration that reached its inactivity limit.",
  input: Type.Object({ agent_id: agentId }, closed),
  output: Type.Object({ agent_id: agentId }),
  problems: ["not_due"],
});

const listAgents = operation({
  name: "list-agents",
  kind: "read",
  summary: "Lists the registered agents, oldest registration first. `next` is the `after` of the next page.",
  input: Type.Object({ after: Type.Optional(Type.String({ maxLength: 64 })), limit: Type.Optional(limit) }, closed),
  output: Type.Object({ items: Type.Array(agent), next: Type.Union([Type.String(), Type.Null()]) }, closed),
  problems: [],
  rights: [{ verbs: ["read"], touches: ofWholeSpace }],
  routes: [get("/v1/agents")],
  example: { limit: 50 },
});

export const agentOperations = {
  "register-agent": registerAgent,
  heartbeat,
  "end-agent": endAgent,
  "renew-agents": renewAgents,
  "expire-agent": expireAgent,
  "list-agents": listAgents,
} as const;
