import { loadedTexts, loadTexts } from "#texts";
import { plainCode } from "../../contract/packs/code-of-pack.ts";
import { nextForOwner } from "../../contract/packs/own-operations.ts";
import type { OwnOperations } from "../../contract/packs/own-operations.ts";
import { kindProblem } from "../../contract/problem.ts";
import type { ContractData, OperationData, ProblemData, ProblemText } from "./contract-data.ts";
import { coreData } from "./core-data.ts";
import { MemberMapper } from "./member-mapper.ts";
import { packLoaders } from "./pack-loaders.ts";

interface KnownPart extends ContractData {
  readonly mapper: MemberMapper;
}

const knownPart = (data: ContractData): KnownPart => ({ ...data, mapper: new MemberMapper(data.shapes) });

const core = knownPart(coreData);
/** The data of the core, and of each pack that was used. */
const known = new Map<string, KnownPart>([["", core]]);
const loading = new Map<string, Promise<unknown>>();

/** The name of the pack of an operation or a problem code; empty for the core. */
const packOf = (name: string): string => name.slice(0, Math.max(0, name.indexOf(".")));

const partOf = (name: string): KnownPart | undefined => known.get(packOf(name));

/**
 * Loads the data of the pack that a name belongs to, if it is not loaded yet. Undefined if there is nothing to load:
 * the name belongs to the core, to a loaded pack, or to a kind of entity.
 */
export function loadPackData(name: string): Promise<unknown> | undefined {
  const pack = packOf(name);
  const load = Object.hasOwn(packLoaders, pack) ? packLoaders[pack] : undefined;
  if (load === undefined || known.has(pack)) return undefined;
  const started = loading.get(pack) ?? load().then((module) => known.set(pack, knownPart(module[`${pack}Data`] as ContractData)));
  loading.set(pack, started);
  // A failed download can be repeated.
  return started.finally(() => loading.delete(pack));
}

/** The data of an operation. Undefined for an operation of a kind, which the contract does not know. */
export function operationData(name: string): OperationData | undefined {
  const operations = partOf(name)?.operations;
  return operations !== undefined && Object.hasOwn(operations, name) ? operations[name] : undefined;
}

/** Loads what an error with this code needs. Undefined if there is nothing to load. */
export function loadProblem(code: string): Promise<unknown> | undefined {
  return loadPackData(code) ?? (problemData(code)?.title === undefined ? loadTexts() : undefined);
}

/** The text and the retry rule of a problem. Its words are known only after `loadProblem`. */
export function problemText(code: string, { type }: Readonly<Record<string, unknown>> = {}): ProblemText {
  const found = problemData(code);
  if (found === undefined) {
    const { status, retry, title, next } = kindProblem(code);
    return { status, retry, title, next };
  }
  const texts = loadedTexts();
  const words = texts?.problems[code] ?? texts?.problems[plainCode(code)];
  const { status, retry, title = words?.title ?? code, next = words?.next ?? "" } = found;
  return { status, retry, title, next: nextForOwner(next, ownOperationsFor(type)) };
}

/** The operations of the pack that owns entities of this type. */
function ownOperationsFor(type: unknown): OwnOperations | undefined {
  const own = loadedTexts()?.own ?? {};
  return typeof type === "string" && Object.hasOwn(own, type) ? own[type] : undefined;
}

function problemData(code: string): ProblemData | undefined {
  return dataIn(code) ?? dataIn(plainCode(code));
}

function dataIn(code: string): ProblemData | undefined {
  const problems = partOf(code)?.problems;
  return problems !== undefined && Object.hasOwn(problems, code) ? problems[code] : undefined;
}

/** The mapper of the members of an operation or a problem; undefined for those of kinds. */
export function mapperOf(name: string): MemberMapper | undefined {
  return partOf(name)?.mapper;
}

/** The problem's own part of the contract, and its shape. */
export function problemShape(code: string): { readonly mapper: MemberMapper; readonly shape: number | undefined } {
  const name = dataIn(code) === undefined ? plainCode(code) : code;
  return { mapper: partOf(name)?.mapper ?? core.mapper, shape: dataIn(name)?.data };
}

export function noticeToClient(notice: unknown): unknown {
  return core.mapper.toClient(notice, core.notices);
}
