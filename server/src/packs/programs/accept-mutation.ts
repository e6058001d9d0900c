/** Writes what a check has verified: one event for each item, the new version of the program, and the released locks. */
import { defined } from "@holdfast/sdk/base/defined";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { sameJson } from "@holdfast/sdk/json/same-json";
import { currentVersion, findEntity } from "../../features/entities/entity-table.ts";
import { writeByKind } from "../../features/entities/write-by-kind.ts";
import type { KindWrite } from "../../features/entities/write-by-kind.ts";
import { releaseLock } from "../../features/locks/rules/release-lock.ts";
import { grantAt, ownGrant } from "../../features/locks/tables/find-held.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done, refusal } from "../../machine/refusal.ts";
import { compactValue } from "./compact-value.ts";
import { functionChange, patchOf } from "./function-change.ts";
import { languageLimits } from "./language/language-limits.ts";
import { replacedItems, setOf } from "./mutation-request.ts";
import type { MutationRequest } from "./mutation-request.ts";
import type { ItemWrite, MutationFindings } from "./mutation-findings.ts";
import { programKind } from "./program-kind.ts";
import { findItem, hashOfItem, itemPath, programPath, programType } from "./program-value.ts";
import type { FoundProgram, ItemValue, ProgramCounts, ProgramValue } from "./program-value.ts";

interface VerifiedMutation {
  readonly request: MutationRequest;
  readonly program: FoundProgram;
  readonly findings: MutationFindings;
  readonly owner: string;
}

/** An item before and after its write, and its version after it. */
interface ChangedItem {
  readonly item: string;
  readonly before: ItemValue | undefined;
  readonly after: ItemValue | undefined;
  readonly version: number;
}

export function acceptMutation(verified: VerifiedMutation, context: DecideContext): Decision {
  const { request, program, findings } = verified;
  const counts = countsAfter(context, verified);
  const excess = limitRefusal(counts, program.value.counts);
  if (excess !== undefined) return excess;
  if (findings.writes.length === 0) return outcomeOf(verified, [], context);
  const items = findings.writes.map((write) => changedItem(context, request, write));
  return context.attempt<Decision>(
    () => {
      // Its fold reads the items before the writes. The fold of the program reads them after the writes.
      context.emit(mutatedEvent(request, items));
      for (const item of items) {
        const refused = writeItem(context, request, item);
        if (refused !== undefined) return refused;
      }
      const merge = programChange(program.value, findings, counts);
      const target = targetOf(context, request.programId);
      const root = writeByKind(programKind, { target, change: { merge } }, context);
      if ("outcome" in root) return root;
      return outcomeOf(verified, items, context);
    },
    ({ outcome }) => outcome.kind === "done",
  );
}

/** The id of an item as one text in memory. A template would keep its parts as well. */
const entityId = (programId: string, item: string): string => [programId, item].join("/");

/** The version is part of the target, because a door may demand one. The decision has compared the hash. */
function targetOf({ state }: DecideContext, id: string): KindWrite["target"] {
  return { id, expected_version: currentVersion(findEntity(state, { type: programType, id })) };
}

function changedItem(
  { state }: DecideContext,
  { programId }: MutationRequest,
  { item, value }: ItemWrite,
): ChangedItem {
  const row = findEntity(state, { type: programType, id: `${programId}/${item}` });
  const before = findItem(state, programId, item);
  return { item, before, after: value ?? undefined, version: (row?.version ?? 0) + 1 };
}

/** Writes an item. The result is the refusal, if there is one. */
function writeItem(
  context: DecideContext,
  { programId, what }: MutationRequest,
  { item, before, after, version }: ChangedItem,
): Decision | undefined {
  // Undo and redo bring a removed item back. Everything else would be another item with the same id.
  const isReused = before === undefined && version > 1 && what !== "undo" && what !== "redo";
  if (isReused) return { outcome: refusal("programs.name_taken", { item }), events: [] };
  const target = targetOf(context, entityId(programId, item));
  const written = writeByKind(programKind, { target, change: changeOf(before, after) }, context);
  return "outcome" in written ? written : undefined;
}

function changeOf(before: ItemValue | undefined, after: ItemValue | undefined): KindWrite["change"] {
  if (after === undefined) return { delete: true };
  if (before === undefined) return { create: compactValue(after) as unknown as Json };
  if (before.kind !== "function" || after.kind !== "function") return { value: after as unknown as Json };
  return { patch: patchOf(before, functionChange(before, after)) as unknown as Json };
}

/** The members of the program that change. */
function programChange(before: ProgramValue, findings: MutationFindings, counts: ProgramCounts): JsonObject {
  const { next_structure: structure, next_chain: chain, next } = findings;
  const isCounted = !sameJson(counts as unknown as Json, before.counts as unknown as Json);
  return defined({ structure, chain, next, counts: isCounted ? counts : undefined }) as unknown as JsonObject;
}

function countsAfter({ state }: DecideContext, { request, program, findings }: VerifiedMutation): ProgramCounts {
  const counts = { ...program.value.counts };
  for (const { item, value } of findings.writes) {
    const before = findItem(state, request.programId, item);
    for (const [each, by] of [[before, -1] as const, [value, 1] as const]) {
      if (each === undefined || each === null) continue;
      counts[`${each.kind}s`] += by;
      if (each.kind === "function") counts.nodes += by * each.nodes;
    }
  }
  return counts;
}

function limitRefusal(counts: ProgramCounts, before: ProgramCounts): Decision | undefined {
  const limits = { ...languageLimits, nodes: languageLimits.programNodes };
  const names = ["functions", "types", "modules", "nodes"] as const;
  const counted = names.find((name) => counts[name] > limits[name] && counts[name] > before[name]);
  if (counted === undefined) return undefined;
  return { outcome: refusal("programs.limit_reached", { counted, limit: limits[counted] }), events: [] };
}

/** The change of an item. A function that moves to another module may have another name as well. */
function changeName({ before, after }: ChangedItem): "added" | "changed" | "removed" | "renamed" | "moved" {
  if (before === undefined) return "added";
  if (after === undefined) return "removed";
  if (after.kind !== "module" && before.kind !== "module" && after.module !== before.module) return "moved";
  return after.name === before.name ? "changed" : "renamed";
}

const hashOrNull = (value: ItemValue | undefined): string | null => (value === undefined ? null : hashOfItem(value));

function mutatedEvent(request: MutationRequest, items: readonly ChangedItem[]) {
  const { programId, what, of, description } = request;
  const changed = items.map((each) => ({ item: each.item, change: changeName(each) }));
  const set = setOf(request.touched);
  const isUsual = set === setOf(replacedItems(changed));
  const data = defined({ what, of, items: changed, set: isUsual ? undefined : set, description });
  return { type: "program.mutated", subject: programPath(programId), data };
}

function outcomeOf(verified: VerifiedMutation, items: readonly ChangedItem[], context: DecideContext): Decision {
  const { request, program, findings } = verified;
  const { too_large: _large, ok: _ok, ...verdict } = findings.verdict;
  const shown = (kind: "function" | "type", id: string): readonly JsonObject[] =>
    items
      .filter(({ item }) => item.startsWith(`${kind}/`))
      .map((written) => ({
        [id]: written.item.slice(kind.length + 1),
        name: (written.after ?? written.before)?.name ?? "",
        change: changeName(written),
        version: written.version,
        hash: hashOrNull(written.after),
        previous_hash: hashOrNull(written.before),
      }));
  const released = request.release ? releaseUsed(verified, context) : undefined;
  const version = currentVersion(findEntity(context.state, { type: programType, id: program.row.id }));
  const data = defined({
    ...{ program_id: request.programId, version, position: context.position, changed: items.length > 0 },
    ...{ functions: shown("function", "function_id"), types: shown("type", "type_id") },
    ...{ created: findings.created as unknown as Json, verdict: verdict, released },
  });
  return { outcome: done(data), events: [] };
}

/** Releases the locks of touched and called functions, and the lock of the structure. A lock of the whole program stays. */
function releaseUsed({ request, findings, owner }: VerifiedMutation, context: DecideContext): readonly string[] {
  const { programId, touched, isStructural, fence } = request;
  const functions = [
    ...touched.filter((item) => item.startsWith("function/")),
    ...findings.new_calls.map((id) => `function/${id}`),
  ];
  const structure = isStructural ? [programPath(programId)] : [];
  const paths = [...structure, ...functions.map((item) => itemPath(programId, item))].filter((path) => {
    const grant = fence === undefined ? grantAt(context, owner, path) : ownGrant(context, owner, fence);
    const isProgram = path === programPath(programId);
    return grant?.paths.some((held) => held.path === path && (!isProgram || held.scope === "self")) === true;
  });
  if (paths.length === 0) return [];
  const input = defined({
    paths: [...new Set(paths)],
    fence,
    owner_id: context.command.agent === undefined ? owner : undefined,
  });
  const { outcome } = releaseLock(input, context);
  return outcome.kind === "done" ? (outcome.data["released"] as readonly string[]) : [];
}
