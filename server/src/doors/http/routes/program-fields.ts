/** Translates between paths and the terms of programs and functions. */
import { defined } from "@holdfast/sdk/base/defined";
import type { ProgramAcquire, ProgramBatch, ProgramRelease, ProgramRenew } from "@holdfast/sdk/contract";
import { HttpProblem } from "../response/http-problem.ts";

export type ProgramFields = Readonly<Record<string, unknown>>;

export function programAcquireInput(program: string, body: ProgramAcquire | ProgramBatch): ProgramFields {
  const { mode, description, wait, ttl_seconds } = body;
  const paths =
    "locks" in body
      ? body.locks.map((lock) => defined({ path: pathOf(program, lock.function_id), mode: lock.mode }))
      : namedFunctions(body).map((id) => pathOf(program, id));
  return defined({ paths, mode, wait, ttl_seconds, purpose: description });
}

export function releaseInput(program: string, body: ProgramRelease): ProgramFields {
  const { fence, function_id, function_ids } = body;
  const isNamed = function_id !== undefined || function_ids !== undefined;
  return defined({ fence, paths: isNamed ? namedFunctions(body).map((id) => pathOf(program, id)) : undefined });
}

export function renewInput(
  program: string,
  { function_id, fence, ttl_seconds, description }: ProgramRenew,
): ProgramFields {
  const path = function_id === undefined ? undefined : pathOf(program, function_id);
  return defined({ fence, path, ttl_seconds, note: description });
}

/** A grant, a queue position, or released paths. */
export function replyFields(data: ProgramFields): ProgramFields {
  const { paths, owner_id, place, waits_for, released, ...rest } = data;
  return defined({
    ...rest,
    agent_id: owner_id,
    queue_position: place,
    waits_for: isList(waits_for) ? waits_for.map(holderFields) : undefined,
    locks: isList(paths)
      ? paths.map(({ path, mode }) => ({ function_id: functionOf(path), mode, expires_at: data["expires_at"] }))
      : undefined,
    released: Array.isArray(released) ? released.map(functionOf) : undefined,
  });
}

/** The blocking holders of each function. */
export function denialFields(data: ProgramFields): ProgramFields {
  const { holders, place } = data;
  const denials = isList(holders)
    ? holders.map((holder) => ({
        function_id: functionOf(holder["path"]),
        holder: holderFields(holder),
        queue_position: place,
      }))
    : [];
  return { ...data, denials };
}

export function rowFields(row: ProgramFields): ProgramFields {
  const { path, holders, queue } = row;
  return {
    function_id: functionOf(path),
    path,
    holders: isList(holders) ? holders.map(holderFields) : [],
    queue: isList(queue) ? queue.map(waiterFields) : [],
  };
}

function holderFields(holder: ProgramFields): ProgramFields {
  const { owner_id, name, purpose, path, mode, fence, since, until, state } = holder;
  return defined({
    agent_id: owner_id,
    agent_name: name,
    description: purpose,
    function_id: functionOf(path),
    mode,
    fence,
    acquired_at: since,
    expires_at: until,
    state,
  });
}

function waiterFields(waiter: ProgramFields): ProgramFields {
  const { acquired_at: requested_at, ...fields } = holderFields(waiter);
  return { ...fields, ticket: waiter["ticket"], requested_at };
}

function namedFunctions({ function_id, function_ids }: ProgramAcquire | ProgramRelease): readonly string[] {
  if ((function_id === undefined) === (function_ids === undefined)) {
    const message = "send either function_id or function_ids";
    throw new HttpProblem("input_invalid", { issues: [{ pointer: "", message }] });
  }
  return function_ids ?? [function_id as string];
}

function pathOf(program: string, id: string): string {
  return `program/${program}/function/${id}`;
}

/** The function of a path; null if the path is the whole program or above it. */
function functionOf(path: unknown): string | null {
  return typeof path === "string" ? (/^program\/[^/]+\/function\/([^/]+)/u.exec(path)?.[1] ?? null) : null;
}

function isList(value: unknown): value is readonly ProgramFields[] {
  return Array.isArray(value);
}
