import type { WriteOptions } from "@holdfast/sdk";
import type { Written } from "@holdfast/sdk";
import type { CommandOption, CommandArguments } from "../command.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { numberOption, textOption } from "./option-values.ts";

/** What may be asked of every write. */
export const writeOptions: Readonly<Record<string, CommandOption>> = {
  expect: { value: "V", summary: "refuse if the entity has another version; 0: if it exists" },
  revision: { value: "R", summary: "refuse if the entity has another revision" },
  fence: { value: "FENCE", summary: 'refuse if this lock is lost; under `holdfast lock`: "$HOLDFAST_FENCE"' },
  key: { value: "KEY", summary: "send it once: the same key again returns the first answer and runs nothing" },
};

export function writeOptionsOf({ values }: CommandArguments): WriteOptions {
  const expectedVersion = numberOption(values, "expect", 0);
  const expectedRevision = textOption(values, "revision");
  const fence = textOption(values, "fence");
  const key = textOption(values, "key");
  return {
    ...(expectedVersion === undefined ? {} : { expectedVersion }),
    ...(expectedRevision === undefined ? {} : { expectedRevision }),
    ...(fence === undefined ? {} : { fence }),
    ...(key === undefined ? {} : { key }),
  };
}

export function writtenLine(
  written: Pick<Written, "type" | "id" | "version" | "revision" | "changed">,
  what: string,
): string {
  const { type, id, version, revision, changed } = written;
  const name = `${escapeControlChars(type)}/${escapeControlChars(id)}`;
  return changed
    ? `${name} ${what}: version ${version} (${revision}).`
    : `${name} is already so: version ${version} (${revision}).`;
}
