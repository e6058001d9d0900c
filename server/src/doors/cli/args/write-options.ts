import { defined } from "@holdfast/sdk/base/defined";
import type { Written } from "@holdfast/sdk";
import type { CommandOption, CommandArguments } from "../command.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { numberOption, textOption } from "./option-values.ts";

/** The options of every write. */
export const writeOptions: Readonly<Record<string, CommandOption>> = {
  expect: { value: "V", summary: "the expected version; 0 if the entity must not exist. Another version is refused" },
  revision: { value: "R", summary: "the expected revision. Another revision is refused" },
  fence: { value: "FENCE", summary: 'refuse the write if this lock is lost; under `holdfast lock`: "$HOLDFAST_FENCE"' },
  key: { value: "KEY", summary: "the idempotency key: a repeated key returns the first reply and changes nothing" },
};

/** The conditions of a write, as members of its input. */
interface WriteConditions {
  readonly expected_version?: number;
  readonly expected_revision?: string;
  readonly fence?: string;
}

export function conditionsOf({ values }: CommandArguments): WriteConditions {
  const expected_version = numberOption(values, "expect", 0);
  const expected_revision = textOption(values, "revision");
  const fence = textOption(values, "fence");
  return defined({ expected_version, expected_revision, fence });
}

export function keyOf({ values }: CommandArguments): { readonly key: string | undefined } {
  return { key: textOption(values, "key") };
}

export function writtenLine(
  written: Pick<Written, "type" | "id" | "version" | "revision" | "changed">,
  change: string,
): string {
  const { type, id, version, revision, changed } = written;
  const name = `${escapeControlChars(type)}/${escapeControlChars(id)}`;
  return changed
    ? `${name} ${change}: version ${version} (${revision}).`
    : `${name} unchanged: version ${version} (${revision}).`;
}
