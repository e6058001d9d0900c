import { defined } from "@holdfast/sdk/base/defined";
import type { InputOf, agentOperations } from "@holdfast/sdk/contract";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { done, refusal } from "../../machine/refusal.ts";
import type { Decide } from "../rule-of.ts";
import { spaceFull } from "../space/space-full.ts";
import {
  agentLimits,
  agentSubject,
  agentTable,
  agentView,
  rootOf,
  familyTable,
  findAgent,
  inactivityMs,
  ownKeyOf,
} from "./agent-table.ts";
import type { AgentRow } from "./agent-table.ts";

type RegisterInput = InputOf<(typeof agentOperations)["register-agent"]>;

/**
 * The agent's id is that of the command: unique, and known before the decision. The server makes the secret, returns it
 * once and passes only its hash to this rule.
 */
export const registerAgent: Decide<(typeof agentOperations)["register-agent"]> = (input, context) => {
  const { state, command, position, time } = context;
  const { own_key: ownKey, parent } = input;
  // An agent of another principal is answered as unknown. A child of it would count in a family that is not the caller's.
  if (parent !== undefined && findAgent(state, parent)?.principal !== command.principal) {
    return { outcome: refusal("agent_unknown", { agent_id: parent }), events: [] };
  }
  if (parent === undefined && input.parent_waits === true) {
    const issues = [{ pointer: "/parent_waits", message: "must be sent together with parent" }];
    return { outcome: refusal("input_invalid", { issues }), events: [] };
  }
  const known = ownKey === undefined ? undefined : findByOwnKey(context, ownKey);
  if (known !== undefined) return resume(known, input, context);
  const refused = (parent === undefined ? undefined : tooLargeFamily(context, parent)) ?? spaceFull(context);
  if (refused !== undefined) return refused;
  const limitMs = input.inactivity_seconds === undefined ? inactivityMs : input.inactivity_seconds * 1000;
  const data = defined({
    own_key: ownKey,
    name: input.name,
    purpose: input.purpose,
    parent,
    parent_waits: input.parent_waits === true ? true : undefined,
    host: input.host,
    process_id: input.process_id,
    secret_hash: input.secret_hash,
    limit_ms: limitMs,
  });
  const id = uuidOf(command.id);
  const row = agentRowOf(id, data, { position, time, principal: command.principal });
  return {
    outcome: done({ ...agentView(row), resumed: false }),
    events: [{ type: "agent.registered", subject: agentSubject(id), data }],
    attachment: {},
  };
};

function tooLargeFamily({ state }: DecideContext, parent: string): Decision | undefined {
  const row = findAgent(state, parent);
  const count = row === undefined ? 0 : (state.rows(familyTable).get(rootOf(row))?.count ?? 0);
  if (count < agentLimits.descendantsMax) return undefined;
  return { outcome: refusal("agent_limit", { parent, limit: agentLimits.descendantsMax }), events: [] };
}

/** A command id has 128 random bits, shown as a UUID. */
function uuidOf(id: string): string {
  const digits = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/u.exec(id);
  return digits === null ? id : digits.slice(1).join("-");
}

/**
 * The own key is not a secret. Where agents must send their secrets, only the agent itself resumes its registration. It
 * keeps its secret, because a lost reply must not lock it out. Elsewhere the caller is trusted and gets a new secret.
 */
function resume(known: AgentRow, input: RegisterInput, { command, time }: DecideContext): Decision {
  const isProven = input.secret_required === true;
  if (isProven && command.agent !== known.id)
    return { outcome: refusal("agent_secret_required", { agent_id: known.id }), events: [] };
  const data = isProven ? {} : defined({ secret_hash: input.secret_hash });
  return {
    outcome: done({ ...agentView({ ...known, seenAt: time }), resumed: true }),
    events: [{ type: "agent.resumed", subject: agentSubject(known.id), data }],
    attachment: {},
  };
}

function findByOwnKey({ state, command }: DecideContext, ownKey: string): AgentRow | undefined {
  const sortKey = ownKeyOf(command.principal, ownKey);
  return state
    .rows(agentTable)
    .scan("ownKey", { prefix: sortKey, limit: 1 })
    .find((row) => row.ownKey === ownKey);
}

/** The row of the event. Decision and fold build the same row. */
export function agentRowOf(
  id: string,
  data: JsonObject,
  by: { readonly position: number; readonly time: number; readonly principal: string },
): AgentRow {
  const text = (name: string) => (typeof data[name] === "string" ? data[name] : undefined);
  return defined({
    id,
    position: by.position,
    principal: by.principal,
    ownKey: text("own_key"),
    name: text("name"),
    purpose: text("purpose"),
    parent: text("parent"),
    parentWaits: data["parent_waits"] === true ? true : undefined,
    host: text("host"),
    processId: typeof data["process_id"] === "number" ? data["process_id"] : undefined,
    secretHash: text("secret_hash"),
    registeredAt: by.time,
    seenAt: by.time,
    limitMs: data["limit_ms"] as number,
  });
}
