/** Writes what a check has verified: one event for each item, the new version of the program, and the released locks. */
import { defined } from "@holdfast/sdk/base/defined";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { currentVersion, findEntity } from "../../features/entities/entity-table.ts";
import { writeByKind } from "../../features/entities/write-by-kind.ts";
import type { KindWrite } from "../../features/entities/write-by-kind.ts";
import { releaseLock } from "../../features/locks/rules/release-lock.ts";
import { grantAt, ownGrant } from "../../features/locks/tables/find-held.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done, refusal } from "../../machine/refusal.ts";
import { functionPatch } from "./function-patch.ts";
import { languageLimits } from "./language/language-limits.ts";
import { setOf } from "./mutation-request.ts";
import type { MutationRequest } from "./mutation-request.ts";
import type { ItemWrite, MutationEvidence } from "./mutation-evidence.ts";
import { programKind } from "./program-kind.ts";
import { findItem, hashOfItem, itemPath, programPath, programType } from "./program-value.ts";
import type { FoundProgram, ItemValue, ProgramCounts } from "./program-value.ts";

interface VerifiedMutation {
  readonly request: MutationRequest;
  readonly program: FoundProgram;
  readonly evidence: MutationEvidence;
  readonly owner: string;
}

/** An item before and after its write. */
interface WrittenItem {
  readonly item: string;
  readonly before: ItemValue | undefined;
  readonly after: ItemValue | undefined;
  readonly version: number;
}

export function acceptMutation(verified: VerifiedMutation, context: DecideContext): Decision {
  const { request, program, evidence } = verified;
  const counts = countsAfter(context, verified);
  const excess = limitRefusal(counts, program.value.counts);
  if (excess !== undefined) return excess;
  if (evidence.writes.length === 0) return outcomeOf(verified, [], context);
  return context.attempt<Decision>(
    () => {
      const items: WrittenItem[] = [];
      for (const write of evidence.writes) {
        const written = writeItem(context, request, write);
        if ("outcome" in written) return written;
        items.push(written);
      }
      const structure = evidence.next_structure ?? program.value.structure;
      const merge = { structure, chain: evidence.next_chain, counts, next: evidence.next } as unknown as JsonObject;
      const target = targetOf(context, request.programId);
      const root = writeByKind(programKind, { target, name: "mutated", change: { merge } }, context);
      if ("outcome" in root) return root;
      context.emit(mutatedEvent(request, items, root.data["version"] as number));
      return outcomeOf(verified, items, context);
    },
    ({ outcome }) => outcome.kind === "done",
  );
}

/** The version is part of the target, because a door may demand one. The decision has compared the hash. */
function targetOf({ state }: DecideContext, id: string): KindWrite["target"] {
  return { id, expected_version: currentVersion(findEntity(state, { type: programType, id })) };
}

function writeItem(
  context: DecideContext,
  { programId, what }: MutationRequest,
  { item, value }: ItemWrite,
): WrittenItem | Decision {
  const id = `${programId}/${item}`;
  const before = findItem(context.state, programId, item);
  const known = findEntity(context.state, { type: programType, id });
  // Undo and redo bring a removed item back. Everything else would be another item with the same id.
  const isReused = before === undefined && known !== undefined && what !== "undo" && what !== "redo";
  if (isReused) return { outcome: refusal("programs.name_taken", { item }), events: [] };
  const change = changeOf(before, value);
  const written = writeByKind(programKind, { target: targetOf(context, id), name: "mutated", change }, context);
  if ("outcome" in written) return written;
  return { item, before, after: value ?? undefined, version: written.data["version"] as number };
}

function changeOf(before: ItemValue | undefined, value: ItemValue | null): KindWrite["change"] {
  if (value === null) return { delete: true };
  if (before === undefined) return { create: value as unknown as Json };
  if (before.kind !== "function" || value.kind !== "function") return { value: value as unknown as Json };
  return { patch: functionPatch(before, value) as unknown as Json };
}

function countsAfter({ state }: DecideContext, { request, program, evidence }: VerifiedMutation): ProgramCounts {
  const counts = { ...program.value.counts };
  for (const { item, value } of evidence.writes) {
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
function changeName({ before, after }: WrittenItem): "added" | "changed" | "removed" | "renamed" | "moved" {
  if (before === undefined) return "added";
  if (after === undefined) return "removed";
  if (after.kind !== "module" && before.kind !== "module" && after.module !== before.module) return "moved";
  return after.name === before.name ? "changed" : "renamed";
}

const hashOrNull = (value: ItemValue | undefined): string | null => (value === undefined ? null : hashOfItem(value));

function mutatedEvent(request: MutationRequest, items: readonly WrittenItem[], version: number) {
  const { programId, what, of, description } = request;
  const changed = items.map((written): JsonObject => {
    const { item, before, after } = written;
    const hashes = { before: hashOrNull(before), after: hashOrNull(after) };
    return { item, change: changeName(written), ...hashes, version: written.version };
  });
  const data = defined({ what, of, version, items: changed, set: setOf(request), description });
  return { type: "program.mutated", subject: programPath(programId), data };
}

function outcomeOf(verified: VerifiedMutation, items: readonly WrittenItem[], context: DecideContext): Decision {
  const { request, program, evidence } = verified;
  const { too_large: _large, ok: _ok, ...verdict } = evidence.verdict;
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
    ...{ created: evidence.created as unknown as Json, verdict: verdict, released },
  });
  return { outcome: done(data), events: [] };
}

/** Releases the locks of touched and called functions, and the lock of the structure. A lock of the whole program stays. */
function releaseUsed({ request, evidence, owner }: VerifiedMutation, context: DecideContext): readonly string[] {
  const { programId, touched, isStructural, fence } = request;
  const functions = [
    ...touched.filter((item) => item.startsWith("function/")),
    ...evidence.new_calls.map((id) => `function/${id}`),
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
