import { agentOperations } from "@holdfast/sdk/contract";
import type { Event } from "../../machine/entry.ts";
import type { FoldedEntry, Feature } from "../../machine/feature.ts";
import { refusal } from "../../machine/refusal.ts";
import type { StateWriter } from "../../machine/state.ts";
import { dueTimer } from "../due-timer.ts";
import { rulesOf } from "../rule-of.ts";
import { agentTable, rootOf, endsAt, familyTable } from "./agent-table.ts";
import { endAgent, expireAgent } from "./end-agent.ts";
import { registerAgent, agentRowOf } from "./register-agent.ts";
import { renewAgents } from "./renew-agents.ts";

/** The id contains the last activity, so several nodes produce one end. */
const expiryTimer = dueTimer(agentTable, "ends", {
  dueAt: endsAt,
  command: ({ id, seenAt }) => ({
    id: `end:${id}:${String(seenAt)}`,
    operation: "expire-agent",
    input: { agent_id: id },
  }),
});

/** Registered agents. A registration lives while its agent is active, and ends with its parent. */
export const agentsFeature: Feature = {
  name: "agents",
  needs: ["space"],
  tables: [agentTable, familyTable],
  rules: rulesOf(agentOperations, {
    "register-agent": registerAgent,
    // The application layer collects heartbeats and sends them as one command. A heartbeat that arrives here has no
    // agent.
    heartbeat: () => ({ outcome: refusal("agent_required"), events: [] }),
    "end-agent": endAgent,
    "renew-agents": renewAgents,
    "expire-agent": expireAgent,
  }),
  folds: {
    "agent.registered": foldRegistered,
    "agent.resumed": foldResumed,
    "agents.renewed": foldSeen,
    "agents.seen": foldSeen,
    "agent.ended": foldEnded,
  },
  reactions: {},
  timers: [expiryTimer],
};

function foldRegistered(state: StateWriter, event: Event, entry: FoldedEntry): void {
  const rows = state.rows(agentTable);
  const row = agentRowOf(idOf(event), event.data, entry);
  const parent = row.parent === undefined ? undefined : rows.get(row.parent);
  if (parent === undefined) {
    rows.put(row);
    return;
  }
  rows.put({ ...row, root: rootOf(parent) });
  countFamily(state, rootOf(parent), 1);
}

function foldEnded(state: StateWriter, event: Event): void {
  const rows = state.rows(agentTable);
  const row = rows.get(idOf(event));
  rows.delete(idOf(event));
  if (row?.root !== undefined) countFamily(state, row.root, -1);
}

function countFamily(state: StateWriter, root: string, by: 1 | -1): void {
  const rows = state.rows(familyTable);
  const count = (rows.get(root)?.count ?? 0) + by;
  if (count === 0) rows.delete(root);
  else rows.put({ root, count });
}

function foldResumed(state: StateWriter, event: Event, entry: FoldedEntry): void {
  const rows = state.rows(agentTable);
  const row = rows.get(idOf(event));
  if (row === undefined) throw new Error(`entry ${String(entry.position)} resumes ${event.subject}, which has ended`);
  const hash = event.data["secret_hash"];
  const resumed = { ...row, seenAt: entry.time };
  rows.put(typeof hash === "string" ? { ...resumed, secretHash: hash } : resumed);
}

function foldSeen(state: StateWriter, event: Event, entry: FoldedEntry): void {
  const rows = state.rows(agentTable);
  for (const id of event.data["ids"] as readonly string[]) {
    const row = rows.get(id);
    if (row !== undefined) rows.put({ ...row, seenAt: entry.time });
  }
}

function idOf(event: Event): string {
  return event.subject.slice("agent/".length);
}
