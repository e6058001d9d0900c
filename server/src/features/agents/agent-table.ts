import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../machine/state.ts";
import type { TableSpec } from "../../machine/table.ts";
import { bytesOfTexts } from "../bytes-of-texts.ts";

/** A registration. Its end removes the row; its history stays in the journal. */
export interface AgentRow {
  readonly id: string;
  /** Position of the entry that registered it. It defines the order of the list. */
  readonly position: number;
  readonly principal: string;
  readonly ownKey?: string;
  readonly name?: string;
  readonly purpose?: string;
  readonly parent?: string;
  /** While this agent runs, its parent waits for it. So a ticket of this agent counts as a wait of its parent. */
  readonly parentWaits?: boolean;
  readonly host?: string;
  readonly processId?: number;
  /** The oldest ancestor; absent if the agent has no parent. */
  readonly root?: string;
  /** The hash of the secret. The secret itself is neither here nor in the journal. */
  readonly secretHash?: string;
  readonly registeredAt: number;
  readonly seenAt: number;
  /** The inactivity limit. */
  readonly limitMs: number;
}

export const inactivityMs = 60 * 60 * 1000;

/** Minimum interval between two recorded activities of an idle agent. */
export function noteEveryMs({ limitMs }: Pick<AgentRow, "limitMs">): number {
  return Math.floor(limitMs / 12);
}

/**
 * Time at which the registration ends. Not every activity is recorded, so it includes one recording interval and is
 * never early.
 */
export function endsAt(row: Pick<AgentRow, "seenAt" | "limitMs">): number {
  return row.seenAt + row.limitMs + noteEveryMs(row);
}

function sortable(number: number): string {
  return String(number).padStart(16, "0");
}

const gap = "\u0001";

export function ownKeyOf(principal: string, ownKey: string): string {
  return `${principal}${gap}${ownKey}`;
}

/** The sort key of an agent in the list, and the cursor of a page. */
export function registeredKey(row: AgentRow): string {
  return sortable(row.position);
}

export const agentTable: TableSpec<AgentRow, "ends" | "parent" | "waitingParent" | "ownKey" | "registered"> = {
  name: "agents",
  boundedBy: "quota",
  key: (row) => row.id,
  sorts: {
    ends: (row) => sortable(endsAt(row)),
    parent: (row) => row.parent,
    waitingParent: (row) => (row.parentWaits === true ? `${row.parent ?? ""}${gap}` : undefined),
    ownKey: (row) => (row.ownKey === undefined ? undefined : ownKeyOf(row.principal, row.ownKey)),
    registered: registeredKey,
  },
  // The own key is in the row and in the key of its index.
  bytes: (row) => rowOverhead + bytesOfTexts(row.principal, row.name, row.purpose, row.host, row.ownKey, row.ownKey),
};

/** Bytes of an agent in addition to its texts: the row, its ids, its secret's hash and four index entries. */
const rowOverhead = 1_200;

/** The number of descendants of an agent, kept so that no rule has to count them. */
interface FamilyRow {
  readonly root: string;
  readonly count: number;
}

export const familyTable: TableSpec<FamilyRow, never> = {
  name: "agent-families",
  boundedBy: "quota",
  key: (row) => row.root,
  sorts: {},
};

/** Maximum descendants of an agent. A family ends in one entry, so it is bounded. */
export const agentLimits = { descendantsMax: 1_000 } as const;

export function rootOf(row: Pick<AgentRow, "id" | "root">): string {
  return row.root ?? row.id;
}

export function findAgent(state: StateReader, id: string): AgentRow | undefined {
  return state.rows(agentTable).get(id);
}

/** The ancestors that wait for an agent, nearest first: each waits for the child before it. */
export function waitingAncestors(state: StateReader, id: string): readonly string[] {
  const ancestors: string[] = [];
  for (let row = findAgent(state, id); row?.parentWaits === true; row = findAgent(state, row.parent ?? ""))
    ancestors.push(row.parent ?? "");
  return ancestors;
}

/** The children that an agent waits for. */
export function waitedForChildren(state: StateReader, id: string): readonly string[] {
  if (state.rows(agentTable).size === 0) return [];
  const range = { prefix: `${id}${gap}`, limit: agentLimits.descendantsMax };
  return state
    .rows(agentTable)
    .scan("waitingParent", range)
    .map((row) => row.id);
}

export function agentSubject(id: string): string {
  return `agent/${id}`;
}

/** The agent as every door shows it. */
export function agentView(row: AgentRow): JsonObject {
  return {
    agent_id: row.id,
    name: row.name ?? null,
    purpose: row.purpose ?? null,
    parent: row.parent ?? null,
    parent_waits: row.parentWaits === true,
    principal: row.principal,
    registered_at: new Date(row.registeredAt).toISOString(),
    seen_at: new Date(row.seenAt).toISOString(),
    expires_at: new Date(endsAt(row)).toISOString(),
    inactivity_seconds: row.limitMs / 1000,
    ...hostView(row),
  };
}

/** The host and the process of the agent, if its registration names them. */
export function hostView({ host, processId }: Pick<AgentRow, "host" | "processId">): JsonObject {
  return defined({ host, process_id: processId });
}
