import { defined } from "@holdfast/sdk/base/defined";
import { HoldfastError } from "@holdfast/sdk/holdfast-error";
import type { WireOutput } from "@holdfast/sdk";
import type { Json } from "@holdfast/sdk/json/json";
import { jsonLine } from "../../../base/json-line.ts";
import type { CliCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { UsageError } from "../args/usage-error.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { valueChanges } from "../terminal/value-changes.ts";
import { readJsonArgument } from "../args/read-json-argument.ts";
import type { JsonArgument } from "../args/read-json-argument.ts";
import { entityArgument } from "../args/option-values.ts";
import { serverCommand } from "../discovery/server-command.ts";
import type { CommandContext } from "../discovery/server-command.ts";
import { conditionsOf, keyOf, writeOptions, writtenLine } from "../args/write-options.ts";

const valueArgument: JsonArgument = { name: "VALUE", operation: "replace-entity", pointerOf: () => "/value" };

export const putCommand: CliCommand = serverCommand({
  name: "put",
  usage: "TYPE/ID [VALUE]",
  positionalsMin: 1,
  positionalsMax: 2,
  summary: "create an entity, or replace its value",
  details: [
    "Creates an entity, or replaces its value. VALUE is JSON, @FILE, or - for standard input, which is also the default.",
    "To replace a value, name the version that you have seen with --expect. It is refused if another caller changed the",
    "entity since then, and the refusal contains the changes and their author. --blind overwrites any version.",
    "",
    `  holdfast put note/first '{"text": "hello"}'`,
    "  holdfast put note/first @note.json --expect 3",
    "  jq .plan big.json | holdfast put plan/42 --expect 0",
  ],
  options: { ...writeOptions, blind: { summary: "overwrite any version without reading it" } },
  operations: ["create-entity", "replace-entity", "get-entity"],
  async execute(context) {
    const { type, id } = entityArgument(context.positionals[0] ?? "");
    const value = await readJsonArgument(context.positionals[1], valueArgument, context.terminal);
    const result = await put(context, { type, id, value });
    if (result.kind === "exists") return refuse(context, result.entity, value);
    return context.show(result.written, () => writtenLine(result.written, result.change));
  },
});

interface PutTarget {
  readonly type: string;
  readonly id: string;
  readonly value: Json;
}

type PutResult =
  | { readonly kind: "written"; readonly written: WireOutput<"create-entity">; readonly change: "created" | "replaced" }
  | { readonly kind: "exists"; readonly entity: WireOutput<"get-entity"> };

async function put(context: CommandContext, target: PutTarget): Promise<PutResult> {
  const { expected_version: version, expected_revision: revision } = conditionsOf(context);
  const isBlind = context.values["blind"] === true;
  const isExpected = version !== undefined || revision !== undefined;
  if (isBlind && isExpected) throw new UsageError("use --blind, or --expect or --revision, not both");
  if (isBlind) return putBlindly(context, target);
  if (isExpected && version !== 0) return replace(context, target);
  // A refused write would be recorded as a conflict, so an entity that exists is not written. A key may be a repeat.
  const isRepeat = keyOf(context).key !== undefined;
  const entity = isExpected || isRepeat ? undefined : await find(context, target);
  if (entity !== undefined) return { kind: "exists", entity };
  try {
    return await create(context, target);
  } catch (error) {
    const found = isExpected || !hasCode(error, existsCodes) ? undefined : await find(context, target);
    if (found === undefined) throw error;
    return { kind: "exists", entity: found };
  }
}

/** The entity. Undefined if it does not exist, or if this caller may only write it. */
async function find({ call }: CommandContext, { type, id }: PutTarget): Promise<WireOutput<"get-entity"> | undefined> {
  try {
    return await call("get-entity", { type, id });
  } catch (error) {
    if (hasCode(error, ["entity_not_found", "entity_deleted", "not_allowed"])) return undefined;
    throw error;
  }
}

const existsCodes = ["entity_exists", "concurrency_mismatch"];

async function create(context: CommandContext, target: PutTarget): Promise<PutResult> {
  const { fence } = conditionsOf(context);
  const input = { ...target, ...defined({ expected_version: 0, fence }) };
  return { kind: "written", written: await context.call("create-entity", input, keyOf(context)), change: "created" };
}

async function replace(context: CommandContext, target: PutTarget): Promise<PutResult> {
  const input = { ...target, ...conditionsOf(context) };
  return { kind: "written", written: await context.call("replace-entity", input, keyOf(context)), change: "replaced" };
}

/** Maximum attempts if another caller creates or deletes the entity concurrently. */
const attemptsMax = 3;

async function putBlindly(context: CommandContext, target: PutTarget): Promise<PutResult> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await replace(context, target);
    } catch (error) {
      if (!hasCode(error, ["entity_not_found", "entity_deleted"])) throw error;
    }
    try {
      return await create(context, target);
    } catch (error) {
      if (attempt === attemptsMax || !hasCode(error, existsCodes)) throw error;
    }
  }
}

/** The entity exists, and the caller has not said which version it has seen. */
function refuse({ terminal, isJson }: CommandContext, entity: WireOutput<"get-entity">, value: Json): ExitCode {
  const { type, id, version } = entity;
  const name = `${escapeControlChars(type)}/${escapeControlChars(id)}`;
  const changes = valueChanges(entity.value as Json, value);
  const message = `${name} exists, at version ${version}. Replace this version with --expect ${version}, or any version with --blind.`;
  if (isJson) {
    const failed = {
      event: "failed",
      code: "entity_exists",
      message,
      exit: exitCodes.refused,
      data: { current: entity, changes },
    };
    terminal.print(jsonLine(failed));
  } else if (changes.length === 0)
    terminal.warn(`holdfast: ${name} has this value already, at version ${version}. Nothing was written.`);
  else
    terminal.warn(
      [`holdfast: ${message} Your value would change it:`, ...changes.map((line) => `  ${line}`)].join("\n"),
    );
  return exitCodes.refused;
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  return error instanceof HoldfastError && codes.includes(error.code);
}
