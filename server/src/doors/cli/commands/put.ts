import { defined } from "@holdfast/sdk/base/defined";
import { HoldfastError } from "@holdfast/sdk";
import type { WriteOptions, Written } from "@holdfast/sdk";
import type { CliCommand } from "../command.ts";
import { readJsonArgument } from "../args/read-json-argument.ts";
import type { JsonArgument } from "../args/read-json-argument.ts";
import { entityArgument } from "../args/option-values.ts";
import { serverCommand } from "../discovery/server-command.ts";
import type { CommandContext } from "../discovery/server-command.ts";
import { writeOptions, writeOptionsOf, writtenLine } from "../args/write-options.ts";

const valueArgument: JsonArgument = { name: "VALUE", operation: "replace-entity", pointerOf: () => "/value" };

export const putCommand: CliCommand = serverCommand({
  name: "put",
  usage: "TYPE/ID [VALUE]",
  positionalsMin: 1,
  positionalsMax: 2,
  summary: "create an entity, or replace its value",
  details: [
    "Replaces the value of an entity, or creates it. VALUE is JSON, @FILE, or - for standard input, which is also the",
    "default. Without --expect it overwrites any version. With --expect it is refused if another caller changed the entity,",
    "and the refusal contains the changes and their author.",
    "",
    `  holdfast put note/first '{"text": "hello"}'`,
    "  holdfast put note/first @note.json --expect 3",
    "  jq .plan big.json | holdfast put plan/42 --expect 0",
  ],
  options: writeOptions,
  operations: ["create-entity", "replace-entity"],
  async execute(context) {
    const { type, id } = entityArgument(context.positionals[0] ?? "");
    const value = await readJsonArgument(context.positionals[1], valueArgument, context.terminal);
    const { written, change } = await put(context, { type, id, value });
    return context.show(written, () => writtenLine(written, change));
  },
});

interface PutTarget {
  readonly type: string;
  readonly id: string;
  readonly value: unknown;
}

/** Maximum attempts if another caller creates or deletes the entity concurrently. */
const attemptsMax = 3;

async function put(
  { client, ...given }: CommandContext,
  { type, id, value }: PutTarget,
): Promise<{ written: Written; change: string }> {
  const { entities } = client;
  const options = writeOptionsOf(given);
  const create = async (): Promise<{ written: Written; change: string }> => {
    const { expectedVersion, fence, key } = options;
    const createOptions: WriteOptions = defined({ expectedVersion: 0, fence, key });
    return {
      written: await entities.create(type, id, value, expectedVersion === undefined ? createOptions : options),
      change: "created",
    };
  };
  if (options.expectedVersion === 0) return create();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { written: await entities.replace(type, id, value, options), change: "replaced" };
    } catch (error) {
      const isExpected = options.expectedVersion !== undefined || options.expectedRevision !== undefined;
      if (isExpected || !hasCode(error, ["entity_not_found", "entity_deleted"])) throw error;
    }
    try {
      return await create();
    } catch (error) {
      if (attempt === attemptsMax || !hasCode(error, ["entity_exists", "concurrency_mismatch"])) throw error;
    }
  }
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  return error instanceof HoldfastError && codes.includes(error.code);
}
