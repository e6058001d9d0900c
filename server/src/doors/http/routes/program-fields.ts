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
      : lockedPaths(program, body);
  return defined({ paths, mode, wait, ttl_seconds, purpose: description });
}

export function releaseInput(program: string, body: ProgramRelease): ProgramFields {
  return defined({ fence: body.fence, paths: heldPaths(program, body) });
}

export function renewInput(program: string, body: ProgramRenew): ProgramFields {
  const { fence, ttl_seconds, description } = body;
  return defined({ fence, paths: heldPaths(program, body), ttl_seconds, note: description });
}

/** The paths of held locks; undefined if the fence alone names them. */
function heldPaths(program: string, body: NamedLocks & { readonly fence?: string }): readonly string[] | undefined {
  const { function_id, function_ids, scope, fence } = body;
  const isNamed = function_id !== undefined || function_ids !== undefined || scope !== undefined;
  return isNamed || fence === undefined ? lockedPaths(program, body).map(({ path }) => path) : undefined;
}

/** A grant, a queue position, or released paths. */
export function replyFields(data: ProgramFields): ProgramFields {
  const { paths, owner_id, place, waits_for, released, others, ...rest } = data;
  const grants = [data, ...(isList(others) ? others : [])];
  return defined({
    ...rest,
    agent_id: owner_id,
    queue_position: place,
    waits_for: isList(waits_for) ? waits_for.map(holderFields) : undefined,
    locks: isList(paths) ? grants.flatMap(grantFields) : undefined,
    released: Array.isArray(released) ? released.map(functionOf) : undefined,
  });
}

function grantFields({ paths, expires_at }: ProgramFields): readonly ProgramFields[] {
  return isList(paths) ? paths.map((locked) => ({ ...targetOf(locked), mode: locked["mode"], expires_at })) : [];
}

/** The blocking holders of each function. */
export function denialFields(data: ProgramFields): ProgramFields {
  const { holders, place } = data;
  const denials = isList(holders)
    ? holders.map((holder) => ({
        ...targetOf(holder),
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
  const { owner_id, name, purpose, mode, fence, since, until, state } = holder;
  return defined({
    agent_id: owner_id,
    agent_name: name,
    description: purpose,
    ...targetOf(holder),
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

type NamedLocks = Pick<ProgramAcquire, "function_id" | "function_ids" | "scope">;

interface ProgramLock {
  readonly path: string;
  readonly scope?: "self" | "tree";
}

function lockedPaths(program: string, { function_id, function_ids, scope }: NamedLocks): readonly ProgramLock[] {
  if ([function_id, function_ids, scope].filter((named) => named !== undefined).length !== 1) {
    const message = "send one of function_id, function_ids and scope";
    throw new HttpProblem("input_invalid", { issues: [{ pointer: "", message }] });
  }
  if (scope !== undefined) return [{ path: `program/${program}`, scope: scope === "structure" ? "self" : "tree" }];
  return (function_ids ?? [function_id as string]).map((id) => ({ path: pathOf(program, id) }));
}

function pathOf(program: string, id: string): string {
  return `program/${program}/function/${id}`;
}

/** The function of a lock. A lock of the program itself has no function and names its scope. */
function targetOf({ path, scope }: ProgramFields): ProgramFields {
  const id = functionOf(path);
  if (id !== null || scope === undefined) return { function_id: id };
  return { function_id: id, scope: scope === "self" ? "structure" : "program" };
}

/** The function of a path; null if the path is the whole program or above it. */
function functionOf(path: unknown): string | null {
  return typeof path === "string" ? (/^program\/[^/]+\/function\/([^/]+)/u.exec(path)?.[1] ?? null) : null;
}

function isList(value: unknown): value is readonly ProgramFields[] {
  return Array.isArray(value);
}
