import { agentOperations, isOfLock, lockViews, publishedName } from "@holdfast/sdk/contract";
import type { InputOf, Operation } from "@holdfast/sdk/contract";
import type { Engine } from "../../engine/engine.ts";
import { agentSubject, agentTable, agentView, findAgent, registeredKey } from "../../features/agents/agent-table.ts";
import { agentRowOf } from "../../features/agents/register-agent.ts";
import { findGrantOfTicket, grantTimes, placeView } from "../../features/locks/rules/accept-lock.ts";
import { grantView } from "../../features/locks/queue/free-grant.ts";
import { fenceFault } from "../../features/locks/for-features/holds-lock.ts";
import { findGrant } from "../../features/locks/guard-write.ts";
import { lockSubject } from "../../features/locks/tables/lock-events.ts";
import { missedView } from "../../features/locks/tables/missed-grants.ts";
import { pathFault } from "../../features/locks/tables/path-fault.ts";
import { ticketTable } from "../../features/locks/tables/lock-tables.ts";
import { dalLockPages, lockPages, lockView, ownView, waitPages } from "../../features/locks/views/lock-views.ts";
import type { Entry, Outcome } from "../../machine/entry.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { kindAt } from "../../features/locks/tables/settings.ts";
import { done, refusal } from "../../machine/refusal.ts";
import { priorLocks } from "../calls/prior-locks.ts";
import type { CallRights } from "../../operations/call.ts";
import type { DescribedGrant } from "../calls/prior-locks.ts";
import { pastLock } from "../calls/past-lock.ts";
import { subjectHistory, selectedEvents } from "./subject-history.ts";
import type { HistoryQuery } from "./subject-history.ts";
import { iso } from "../../features/locks/tables/lock-events.ts";

const operations = { ...lockViews, "list-agents": agentOperations["list-agents"] };
type Views = typeof operations;
type Reads = {
  readonly [Name in keyof Views]: (
    engine: Engine,
    input: InputOf<Views[Name]>,
    agent: string | undefined,
    rights: CallRights,
  ) => Promise<Outcome>;
};

/** One read per view of the contract. A missing one does not compile. */
const reads: Reads = {
  "list-locks": listLocks,
  "get-lock": getLock,
  "get-ticket": getTicket,
  "who-am-i": whoAmI,
  "list-waits": async (engine, input) =>
    done({ ...(await engine.scan((state) => waitPages(state, { ...input, limit: input.limit ?? pageSize }))) }),
  "list-lock-history": listLockHistory,
  "check-fence": checkFence,
  "list-agents": listAgents,
};

export const lockReads: readonly { readonly operation: Operation; readonly read: Reads[keyof Reads] }[] = Object.keys(
  reads,
).map((name) => ({ operation: operations[name as keyof Views], read: reads[name as keyof Reads] }));

const pageSize = 100;

function pathRefusal(path: string | undefined): Outcome | undefined {
  const reason = path === undefined ? undefined : pathFault(path);
  return reason === undefined ? undefined : refusal("path_invalid", { path: path ?? "", reason });
}

async function listLocks(engine: Engine, input: InputOf<Views["list-locks"]>): Promise<Outcome> {
  const invalid = pathRefusal(input.under);
  if (invalid !== undefined) return invalid;
  const { view, owner_id: owner, under, after } = input;
  const page = { limit: input.limit ?? pageSize, time: engine.now(), after };
  if (view === "dal_locks" || owner !== undefined) {
    return done({ ...(await engine.scan((state) => dalLockPages(state, { ...page, owner }))) });
  }
  return done({ ...(await engine.scan((state) => lockPages(state, { ...page, under }))) });
}

async function getLock(engine: Engine, input: InputOf<Views["get-lock"]>): Promise<Outcome> {
  const invalid = pathRefusal(input.path);
  if (invalid !== undefined) return invalid;
  const { path, position, limit = pageSize } = input;
  if (position === undefined) return done(await engine.scan((state) => lockView(state, path, engine.now(), limit)));
  const kind = await engine.read((state) => kindAt(state, path).name);
  return done({ ...(await pastLock(engine, path, { position, limit })), kind });
}

async function getTicket(engine: Engine, { ticket }: InputOf<Views["get-ticket"]>, agent?: string): Promise<Outcome> {
  const found = await engine.scan((state): JsonObject | undefined => {
    const row = state.rows(ticketTable).get(ticket);
    // Only the owner itself sees what it missed: the paths may be others than that of the ticket.
    const missed = (owner: string): JsonObject => (owner === agent ? missedView(state, owner) : {});
    if (row !== undefined) return { state: "waiting", ...placeView(state, row), ...missed(row.owner) };
    const grant = findGrantOfTicket(state, ticket);
    if (grant === undefined) return undefined;
    return { state: "granted", ...grantView({ state }, grant), ...grantTimes(grant), ...missed(grant.owner) };
  });
  // The grant of this ticket may be one of those that the caller missed.
  if (found === undefined) return refusal("ticket_unknown", { ticket, ...(await missedBy(engine, agent)) });
  if (found["state"] === "waiting") return done(found);
  return done({ ...found, left_before: await priorLocks(engine, found as unknown as DescribedGrant) });
}

async function missedBy(engine: Engine, agent: string | undefined): Promise<JsonObject> {
  return agent === undefined ? {} : engine.scan((state) => missedView(state, agent));
}

async function whoAmI(
  engine: Engine,
  input: InputOf<Views["who-am-i"]>,
  agent: string | undefined,
  rights: CallRights,
): Promise<Outcome> {
  const owner = input.owner_id ?? agent;
  const caller = callerView(rights);
  if (owner === undefined) return done({ ...caller, agent: null, holds: [], waits: [], next: null });
  const page = { limit: input.limit ?? pageSize, time: engine.now(), after: input.after };
  const { row, own } = await engine.scan((state) => {
    const missed = owner === agent ? missedView(state, owner) : {};
    return { row: findAgent(state, owner), own: { ...ownView(state, owner, page), ...missed } };
  });
  return done({ ...caller, agent: row === undefined ? await endedAgent(engine, owner) : agentView(row), ...own });
}

function callerView({ principal, allow, expiresAt }: CallRights): JsonObject {
  const expires = expiresAt === undefined ? null : new Date(expiresAt).toISOString();
  const shown = allow.map(({ verbs, under }) => ({ verbs: [...verbs], under }));
  return { principal, allow: shown, token_expires_at: expires };
}

/** Maximum entries of an ended agent that are read to find its registration. */
const registrationEntriesMax = 100;

/** An agent whose registration has ended, from its history. Null if there was none, or if it was resumed very often. */
async function endedAgent(engine: Engine, id: string): Promise<JsonObject | null> {
  const isSelected = (type: string): boolean => type.startsWith("agent.");
  const query = { subject: agentSubject(id), before: undefined, limit: registrationEntriesMax, isSelected };
  const { entries } = await subjectHistory(engine, query);
  const registered = entries.findLast((entry) => selectedEvents(entry, query).some(isRegistration));
  const ended = entries[0];
  if (registered === undefined || ended === undefined) return null;
  const [event] = selectedEvents(registered, query).filter(isRegistration);
  const row = agentRowOf(id, event?.data ?? {}, registered);
  return { ...agentView(row), ended_at: new Date(ended.time).toISOString() };
}

function isRegistration({ type }: { readonly type: string }): boolean {
  return type === "agent.registered";
}

async function listLockHistory(engine: Engine, input: InputOf<Views["list-lock-history"]>): Promise<Outcome> {
  const invalid = pathRefusal(input.path);
  if (invalid !== undefined) return invalid;
  const { path, before, limit = pageSize } = input;
  // An entity of the type `lock` may have this subject. A caller that may only lock must not see it.
  const query = { subject: lockSubject(path), before, limit, isSelected: isOfLock };
  const { entries, next } = await subjectHistory(engine, query);
  return done({ items: entries.flatMap((entry) => historyItems(entry, query)), next });
}

function historyItems(entry: Entry, query: HistoryQuery): readonly JsonObject[] {
  const { position, time, operation, principal, agent } = entry;
  const by = agent === undefined ? { principal } : { principal, agent };
  return selectedEvents(entry, query).map((event) => ({
    ...{ position, time: iso(time), by, operation },
    event: publishedName(event),
    data: event.data,
  }));
}

async function checkFence(engine: Engine, input: InputOf<Views["check-fence"]>): Promise<Outcome> {
  const invalid = pathRefusal(input.path);
  if (invalid !== undefined) return invalid;
  const row = await engine.read((state) => findGrant(state, input.fence));
  const reason = fenceFault(row, input.path, { mode: input.mode ?? "write", scope: "self" });
  return done({ valid: reason === undefined, reason: reason ?? null });
}

async function listAgents(engine: Engine, input: InputOf<Views["list-agents"]>): Promise<Outcome> {
  const limit = input.limit ?? pageSize;
  const { after } = input;
  const rows = await engine.scan((state) => state.rows(agentTable).scan("registered", { after, limit: limit + 1 }));
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return done({
    items: page.map(agentView),
    next: rows.length > limit && last !== undefined ? registeredKey(last) : null,
  });
}
