/**
 * The decision of everything that changes the content of a program. Locks, hashes, evidence and change meet in one
 * entry. Without evidence that fits, the decision asks for a check, after everything else was compared.
 */
import { defined } from "@holdfast/sdk/base/defined";
import { closestWord } from "@holdfast/sdk/base/closest-word";
import type { Json } from "@holdfast/sdk/json/json";
import { findAgent } from "../../features/agents/agent-table.ts";
import { grantTable } from "../../features/locks/tables/lock-tables.ts";
import type { Event } from "../../machine/entry.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { refusal } from "../../machine/refusal.ts";
import { acceptMutation } from "./accept-mutation.ts";
import { triesKey, triesMs, triesTable } from "./stack-table.ts";
import { fits } from "./fits.ts";
import { itemTable } from "./item-tables.ts";
import { checkName } from "./language/check/verdict.ts";
import { expectedHash, findingsOf, hasCurrentNumbers, wholeFindings } from "./recorded-findings.ts";
import type { RecordedFindings } from "./recorded-findings.ts";
import { setOf } from "./mutation-request.ts";
import type { MutationRequest } from "./mutation-request.ts";
import { missingLocks, missingProgramLock, structureLocked } from "./missing-locks.ts";
import { currentHash, findItem, findProgram, itemPath } from "./program-value.ts";
import type { FoundProgram } from "./program-value.ts";

const refused = (code: string, data: Parameters<typeof refusal>[1]): Decision => ({
  outcome: refusal(code, data),
  events: [],
});

/** The program, or the refusal of a command about a program that does not exist. */
export function existingProgram(context: Pick<DecideContext, "state">, programId: string): FoundProgram | Decision {
  return (
    findProgram(context.state, programId) ??
    refused("programs.not_found", { kind: "program", id: programId, nearest: [] })
  );
}

/** The owner of the locks of a mutation: its agent, or the owner of the grant whose fence it presents. */
export function actorOf(
  { state, command }: DecideContext,
  fence: string | undefined,
): { readonly owner: string } | Decision {
  const { agent } = command;
  if (agent !== undefined && findAgent(state, agent) === undefined)
    return refused("agent_unknown", { agent_id: agent });
  if (agent !== undefined) return { owner: agent };
  if (fence === undefined) return refused("agent_required", {});
  const grant = state.rows(grantTable).get(fence);
  return grant === undefined ? refused("fence_stale", { fence }) : { owner: grant.owner };
}

export function decideMutation(request: MutationRequest, context: DecideContext): Decision {
  const { programId, fence } = request;
  const actor = actorOf(context, fence);
  if ("outcome" in actor) return actor;
  const program = existingProgram(context, programId);
  if ("outcome" in program) return program;
  const { owner } = actor;
  const early =
    missingItem(context, request) ??
    missingHashes(request) ??
    tooManyConflicts(context, request, program) ??
    lockRefusal(context, { request, owner, types: [] }) ??
    hashConflict(context, request, program);
  if (early !== undefined) return early;
  const found = findingsOf(context.command.evidence, request);
  if (found === undefined || !fits(context.state, program, found)) return wantedCheck(request);
  if (!hasCurrentNumbers(found, context.state, programId)) return wantedCheck(request);
  const late =
    lockRefusal(context, { request, owner, types: found.types }) ??
    missingLocks(context, { programId, functions: found.new_calls, mode: "read", fence }) ??
    verdictRefusal(request, found);
  if (late !== undefined) return late;
  const findings = wholeFindings(found, context.state, programId);
  return acceptMutation({ request, program, findings, owner }, context);
}

function wantedCheck({ programId, wanted }: MutationRequest): Decision {
  const again = { check: checkName, unit: programId, input: wanted as unknown as Json };
  return { outcome: refusal("check_stale"), events: [], again };
}

/** Maximum ids among which a similar one is searched. */
const nearestOf = 500;

function missingItem({ state }: DecideContext, { programId, touched }: MutationRequest): Decision | undefined {
  const item = touched.find((each) => findItem(state, programId, each) === undefined);
  if (item === undefined) return undefined;
  const [kind = "", id = ""] = item.split("/");
  const rows = state.rows(itemTable).scan("subject", { prefix: itemPath(programId, `${kind}/`), limit: nearestOf });
  const near = closestWord(
    id,
    rows.map((row) => row.id),
  );
  return refused("programs.not_found", { kind, id, nearest: near === undefined ? [] : [near] });
}

const idOf = (item: string): string => item.slice(item.indexOf("/") + 1);

const isHashed = (item: string): boolean => !item.startsWith("module/");

function missingHashes(request: MutationRequest): Decision | undefined {
  const missing = request.touched.filter(
    (item) => isHashed(item) && expectedHash(request.expected, item) === undefined,
  );
  return missing.length === 0 ? undefined : refused("programs.hashes_required", { missing: missing.map(idOf) });
}

function tooManyConflicts(
  { state, command, time }: DecideContext,
  request: MutationRequest,
  { value }: FoundProgram,
): Decision | undefined {
  const { agent } = command;
  if (agent === undefined) return undefined;
  const { programId } = request;
  const row = state.rows(triesTable).get(triesKey({ agent, programId, set: setOf(request.touched) }));
  const left = (row?.time ?? 0) + triesMs - time;
  if (row === undefined || row.count <= value.settings.retries || left <= 0) return undefined;
  return refused("programs.too_many_conflicts", { tries: row.count, retry_after_ms: left });
}

interface LockQuestion {
  readonly request: MutationRequest;
  readonly owner: string;
  /** The changed types and those that contain them, as far as they are known. */
  readonly types: readonly string[];
}

function lockRefusal(context: DecideContext, { request, owner, types }: LockQuestion): Decision | undefined {
  const { programId, touched, isStructural, concerned, needsProgramLock, fence } = request;
  if (needsProgramLock) {
    const missing = missingProgramLock(context, { programId, fence });
    if (missing !== undefined) return missing;
  }
  if (isStructural) {
    const isSpread = concerned.modules.size > 0 || types.length > 0;
    const isConcerned = isSpread ? concernedBy(context, { programId, modules: concerned.modules, types }) : undefined;
    const locked = structureLocked(context, {
      ...{ programId, functions: concerned.functions, isConcerned, owner, fence },
    });
    if (locked !== undefined) return locked;
  }
  const functions = touched.filter((item) => item.startsWith("function/")).map(idOf);
  return missingLocks(context, { programId, functions, mode: "write", fence });
}

function concernedBy(
  { state }: DecideContext,
  change: { readonly programId: string; readonly modules: ReadonlySet<string>; readonly types: readonly string[] },
): (functionId: string) => boolean {
  const changed = new Set(change.types.map((id) => `type/${id}`));
  return (id) => {
    const row = state.rows(itemTable).get(itemPath(change.programId, `function/${id}`));
    return row !== undefined && (change.modules.has(row.module) || row.uses.some((item) => changed.has(item)));
  };
}

/** Refuses outdated hashes. Each conflict is an event, and the first one counts for the agent. */
function hashConflict(
  { state, command }: DecideContext,
  request: MutationRequest,
  { value }: FoundProgram,
): Decision | undefined {
  const { programId } = request;
  const conflicts = request.touched.filter(isHashed).flatMap((item) => {
    const current_hash = currentHash(state, programId, item);
    const expected_hash = expectedHash(request.expected, item) ?? null;
    return current_hash === expected_hash ? [] : [{ item, id: idOf(item), expected_hash, current_hash }];
  });
  if (conflicts.length === 0) return undefined;
  const set = setOf(request.touched);
  const events = conflicts.map(({ item, expected_hash, current_hash }, index): Event => ({
    type: "program.hash_conflict",
    subject: itemPath(programId, item),
    data: { expected_hash, current_hash, ...defined({ set: index === 0 ? set : undefined }) },
  }));
  const agent = command.agent ?? "";
  const tries = (state.rows(triesTable).get(triesKey({ agent, programId, set }))?.count ?? 0) + 1;
  const data = { program_id: programId, conflicts, tries, tries_max: value.settings.retries + 1 };
  return { outcome: refusal("programs.hash_conflict", data), events };
}

function verdictRefusal(request: MutationRequest, findings: RecordedFindings): Decision | undefined {
  const { verdict, errors, is_invalid } = findings;
  if (verdict.ok && !is_invalid) return undefined;
  const { programId, touched } = request;
  const locks_kept = touched.filter((item) => item.startsWith("function/")).map(idOf);
  const data = { program_id: programId, errors: errors as unknown as Json, locks_kept };
  if (is_invalid) return refused("programs.text_invalid", data);
  if (!verdict.too_large) return refused("programs.verification_failed", data);
  const { checked, tested, steps } = verdict;
  return refused("programs.check_too_large", { ...data, checked, tested, steps });
}
