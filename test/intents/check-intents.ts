/** The invariants of intents: of a version, of its audit events, and of the state after an entry. */
import { intentTransitions } from "@holdfast/sdk/contract";
import type { IntentStatus } from "@holdfast/sdk/contract";
import type { Entry, Event } from "../../server/src/machine/entry.ts";
import { newestRun, openRun } from "../../server/src/packs/intents/intent-value.ts";
import type { IntentValue, StoredRun } from "../../server/src/packs/intents/intent-value.ts";
import { canonicalText } from "../json/canonical-text.ts";
import type { LockView, SeenGrant } from "../simulation/lock-view.ts";
import type { IntentVersion, IntentWitness, WatchedIntent } from "./watched-intent.ts";

interface WatchedLocks {
  readonly view: LockView;
  readonly strategies: Readonly<Record<string, string>>;
}

interface ChangedIntent {
  readonly entry: Entry;
  readonly version: IntentVersion;
}

type EntryInput = Readonly<Record<string, unknown>>;

/** The strategy that the write of an operation follows. */
const strategyNames: Readonly<Record<string, (input: EntryInput) => string>> = {
  "intents.create": () => "update_payload",
  "intents.update": () => "update_payload",
  "intents.update-many": ({ to }) => (to === undefined ? "update_payload" : "update_status"),
  "intents.transition": () => "update_status",
  "intents.delete": () => "update_status",
  "intents.reevaluate": () => "re_evaluate",
};

/** Checks a version before the locks of its event are applied: its owner, and the status that follows. */
export function checkChange(locks: WatchedLocks, { entry, version }: ChangedIntent, witness: IntentWitness): void {
  const { before, after, name } = version;
  const demand = demandAt(entry, version, witness);
  const { operation } = entry;
  checkStatus(version, { operation, demand });
  if (name === "interrupted") checkInterruption(version, demand);
  else if (isOfRun(operation)) {
    const input = entry.input as EntryInput;
    const grant = locks.view.grants.get(input["fence"] as string);
    demand(holdsPath(grant, after?.id ?? ""), "a step of a run is written under a live fence");
    if (operation === "intents.advance" && before !== undefined) checkStep(before.value, input, demand);
  } else {
    const strategy = strategyNames[operation]?.(entry.input as EntryInput);
    if (strategy !== undefined) checkLocks(locks, { entry, version }, strategy, demand);
  }
}

function isOfRun(operation: string): boolean {
  return operation === "intents.run" || operation === "intents.advance";
}

function checkStatus(
  { before, after }: IntentVersion,
  { operation, demand }: { readonly operation: string; readonly demand: Demand },
): void {
  const [old, next] = [before?.value, after?.value];
  if (old === undefined) return;
  // A bridge may correct its intent, as the owner of the lock.
  const isByRunner = isOfRun(operation) || operation === "intents.reevaluate";
  const isRunning = openRun(old)?.state === "running" && !isByRunner;
  demand(!isRunning || old.status === next?.status, "only its steps change the status of a running intent");
}

type Demand = (isKept: boolean, promise: string) => void;

function demandAt(entry: Entry, { before, after }: IntentVersion, witness: IntentWitness): Demand {
  const detail = (): string =>
    `entry ${entry.position} ${entry.operation} ${JSON.stringify(entry.input)}: ${JSON.stringify(before?.value)} became ${JSON.stringify(after?.value)}`;
  return (isKept, promise) => witness.demand(isKept, promise, detail);
}

function checkInterruption({ before, after }: IntentVersion, demand: Demand): void {
  const [old, next] = [before?.value, after?.value];
  if (old === undefined || next === undefined) return;
  demand(openRun(old)?.state === "running", "only a running run is interrupted");
  demand(["interrupted", "stopped"].includes(newestRun(next)?.state ?? ""), "a run without its lock does not run");
  const rest = ({ payload, status, correction_count }: IntentValue): string =>
    canonicalText({ payload, status, correction_count });
  demand(rest(old) === rest(next), "the end of a lock changes the run alone");
}

function checkStep(old: IntentValue, input: EntryInput, demand: Demand): void {
  const run = openRun(old);
  demand(run?.fence === input["fence"], "a step ends under the fence of its run");
  demand(run?.current === input["step"] && old.run_count === input["run"], "only the current step of a run ends");
}

/** A write passes no lock of another owner, and a pessimistic one no ticket. */
function checkLocks(locks: WatchedLocks, { entry, version }: ChangedIntent, name: string, demand: Demand): void {
  const strategy = locks.strategies[name];
  if (strategy === "none") return;
  const { fence } = entry.input as { readonly fence?: string };
  const path = `intent/${(version.after ?? version.before)?.id ?? ""}`;
  const isAt = ({ paths }: Pick<SeenGrant, "paths">): boolean => paths.some((item) => item.path === path);
  const grants = [...locks.view.grants.values()].filter(isAt);
  // A fence means its owner, which may hold further locks on the path.
  const presented = grants.find((grant) => grant.fence === fence)?.owner;
  const own = grants.filter(({ owner }) => owner === presented || owner === entry.agent);
  demand(own.length === grants.length, `a write of strategy ${strategy ?? ""} passes no lock of another owner`);
  if (strategy !== "pessimistic" || own.length > 0) return;
  const tickets = [...locks.view.tickets.values()].filter((ticket) => isAt(ticket) && ticket.owner !== entry.agent);
  demand(tickets.length === 0, "a pessimistic write overtakes no ticket");
}

function holdsPath(grant: SeenGrant | undefined, id: string): boolean {
  return grant?.paths.some(({ path, mode }) => path === `intent/${id}` && mode === "write") === true;
}

/** The audit events of a version match its status, its steps and its run. Each end happens once. */
export function checkRecord(entry: Entry, version: IntentVersion, witness: IntentWitness): void {
  const { before, after, records } = version;
  const demand = demandAt(entry, version, witness);
  const [old, next] = [before?.value.status, after?.value.status];
  if (old !== undefined && next !== undefined) checkMoves(records, { old, next }, demand);
  if (after === undefined) return;
  // A step of an ended intent changes its run alone.
  const counted = old !== undefined && intentTransitions[old].length > 0 ? after : { ...after, completions: new Map() };
  for (const record of records) checkEnd(counted, record, demand, witness);
  const resumed = records.some(({ type }) => type === "intent.run_resumed");
  if (resumed && before !== undefined) checkTakeover(before.value, after.value, demand, witness);
}

/** A step may move its intent and correct it. Each move is along the table and has its audit event. */
function checkMoves(
  records: readonly Event[],
  { old, next }: Readonly<Record<"old" | "next", IntentStatus>>,
  demand: Demand,
): void {
  let status = old;
  for (const { type, data } of records) {
    if (type !== "intent.status_changed") continue;
    const to = data["new_status"] as IntentStatus;
    demand(data["old_status"] === status, "the audit events of a status follow each other");
    demand(intentTransitions[status].includes(to), "a status changes only along the table");
    status = to;
  }
  demand(status === next, "each change of a status has its audit event, and nothing else has");
}

function checkEnd(intent: WatchedIntent, { type, data }: Event, demand: Demand, witness: IntentWitness): void {
  const { run, bridge, state, left } = data as { run: number; bridge: string; state: string; left: string };
  const once = (end: string, promise: string): void => {
    demand(!intent.ends.has(end), promise);
    intent.ends.add(end);
  };
  if (type === "intent.bridge_completed") {
    once(`${run} ${bridge}`, "a step of a run is completed once");
    intent.completions.set(bridge, 1 + (intent.completions.get(bridge) ?? 0));
  } else if (type === "intent.run_started") once(`start ${run}`, "a run starts once");
  else if (type === "intent.run_interrupted") witness.faults.count(`a run is left: ${left}`);
  else if (type === "intent.run_ended") {
    witness.faults.count(`a run is ${state}`);
    if (state !== "paused") once(`end ${run}`, "a run ends once");
  }
}

/** Only an owner whose lease expired in a step counts as crashed. */
function checkTakeover(old: IntentValue, next: IntentValue, demand: Demand, witness: IntentWitness): void {
  const [run, taken] = [openRun(old), newestRun(next)];
  if (run === undefined || taken === undefined) return;
  const name = run.current ?? "";
  const [step, again] = [run.steps[name], taken.steps[name]];
  witness.faults.count("a run is taken over");
  if (again?.error?.code === "intents.step_crashed") witness.faults.count("a step fails by its crashes");
  demand(taken.takeovers === run.takeovers + 1, "each takeover is counted");
  const crashes = run.left === "expired" && step?.state === "started" ? 1 : 0;
  const earlier = step?.state === "failed" ? 0 : (step?.crashes ?? 0);
  demand(again?.crashes === earlier + crashes, "each crash of an owner is counted, and nothing else is");
}

/** The state of an intent after an entry. */
export function checkState(view: LockView, entry: Entry, intent: WatchedIntent, witness: IntentWitness): void {
  const { id, value, corrections, completions } = intent;
  const detail = (): string => `intent ${id} after entry ${entry.position} is ${JSON.stringify(value)}`;
  const demand: Demand = (isKept, promise) => witness.demand(isKept, promise, detail);
  demand(value.correction_count === corrections.size, "the count of corrections is the number of corrections");
  const counts = Object.entries((value.payload["done"] ?? {}) as Readonly<Record<string, number>>);
  const isOnce = counts.every(([bridge, count]) => count === completions.get(bridge));
  demand(isOnce, "what a step changes happens exactly once");
  const run = newestRun(value);
  if (run === undefined) return;
  const isRunning = value.open_run !== undefined && run.state === "running";
  demand(isRunning === (run.fence !== undefined), "only a running run has a fence");
  demand(!isRunning || holdsPath(view.grants.get(run.fence ?? ""), id), "a running run has a live lock");
  demand((value.open_run === undefined) === isEnded(run), "an open run has not ended");
  demand(isInOrder(run), "the steps of a run end in the order of its plan");
}

function isEnded({ state }: StoredRun): boolean {
  return ["completed", "failed", "stopped"].includes(state);
}

/** Every step before the current one has ended, and none after it has begun. */
function isInOrder({ bridges, steps, current, state }: StoredRun): boolean {
  const states = bridges.map(({ name }) => steps[name]?.state);
  if (state === "completed") return states.every((each) => each === "done" || each === "failed");
  const at = current === undefined ? states.findLastIndex((each) => each !== undefined) : -1;
  const index = current === undefined ? at : bridges.findIndex(({ name }) => name === current);
  return states.every((each, place) =>
    place < index ? each === "done" || each === "failed" : place === index || each === undefined,
  );
}
