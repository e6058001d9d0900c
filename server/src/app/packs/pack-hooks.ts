import type { Operation } from "@holdfast/sdk/contract";
import type { OperationHooks } from "../calls/app-operation.ts";
import { runOfRead } from "../reads/run-of-read.ts";
import type { ServerPack } from "./server-pack.ts";

/** The hooks of a pack, by operation. A table with a name that the contract lacks stops the start: it would do nothing. */
export function packHooks(pack: ServerPack): ReadonlyMap<string, OperationHooks> {
  const { contract, reads, uploads = {}, prepare = {}, evidence = {}, finish = {}, views = {}, explain = {} } = pack;
  const { operations, resources } = contract;
  const names = operations.map(({ name }) => name);
  refuseUnknown(contract.name, { reads, uploads, prepare, evidence, finish }, names, "operation");
  refuseUnknown(
    contract.name,
    { views },
    resources.map(({ type }) => type),
    "entity type",
  );
  refuseUnknown(contract.name, { explain }, Object.keys(contract.problems), "problem");
  requireNotices(pack);
  return new Map(operations.map((operation) => [operation.name, hooksOf(pack, operation)] as const));
}

function hooksOf(pack: ServerPack, { name, resource }: Operation): OperationHooks {
  const { contract, reads, uploads, prepare, evidence, finish, views } = pack;
  const [read, step, source] = [reads[name], prepare?.[name], evidence?.[name]];
  return {
    run: read === undefined ? uploads?.[name] : runOfRead(contract, read),
    prepare: step === undefined ? [] : [step],
    evidence: source === undefined ? undefined : () => source,
    finish: finish?.[name],
    view: resource === undefined ? undefined : views?.[resource.type],
  };
}

/** A word without a source would never be sent, and two sources of a word would replace each other's notices. */
function requireNotices({ contract, notices = [] }: ServerPack): void {
  const words = notices.map(({ word }) => word);
  const declared = Object.keys(contract.notices ?? {});
  refuseUnknown(
    contract.name,
    { notices: Object.fromEntries(notices.map((source) => [source.word, source])) },
    declared,
    "notice",
  );
  const other = declared.find((word) => words.filter((each) => each === word).length !== 1);
  if (other === undefined) return;
  throw new Error(`the pack ${contract.name} declares the notice ${other}, which needs exactly one source`);
}

function refuseUnknown(
  pack: string,
  tables: Readonly<Record<string, object>>,
  known: readonly string[],
  what: string,
): void {
  for (const [table, rows] of Object.entries(tables)) {
    const unknown = Object.keys(rows).find((name) => !known.includes(name));
    if (unknown === undefined) continue;
    throw new Error(`${table} of the pack ${pack} names ${unknown}, and its contract has no such ${what}`);
  }
}
