import { defined } from "@holdfast/sdk/base/defined";
import { numberOption } from "../args/option-values.ts";
import type { CliCommand } from "../command.ts";
import { limitDefault, limitOption, moreItemsHint, readPages } from "../discovery/read-pages.ts";
import { serverCommand } from "../discovery/server-command.ts";
import type { CommandContext } from "../discovery/server-command.ts";
import type { ExitCode } from "../exit-codes.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { table } from "../terminal/table.ts";

export const filesListCommand: CliCommand = serverCommand({
  name: "files list",
  usage: "[TARGET]",
  positionalsMax: 1,
  summary: "show the published targets, or the files of one",
  details: [
    "Without a target it shows each target with its current version. With one it shows the files of a version.",
    "",
    "  holdfast files list",
    "  holdfast files list site/docs",
    "  holdfast files list site/docs --version 3",
  ],
  options: {
    version: { value: "NUMBER", summary: "a version that is still kept; the current one by default" },
    limit: limitOption,
  },
  operations: ["files.list-targets", "files.list"],
  execute: (context) => (context.positionals[0] === undefined ? showTargets(context) : showFiles(context)),
});

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

interface ListedTarget {
  readonly target: string;
  readonly version: number;
  readonly files: number;
  readonly bytes: number;
  readonly published_at: string;
}

async function showTargets({ run, values, terminal, show }: CommandContext): Promise<ExitCode> {
  const limit = numberOption(values, "limit", 1) ?? limitDefault;
  const page = await readPages(limit, async (part) => (await run("files.list-targets", part)) as Page<ListedTarget>);
  const rows = page.items.map(({ target, version, files, bytes, published_at: at }) => [
    escapeControlChars(target),
    ...[version, files, bytes].map(String),
    at,
  ]);
  return show(page, () =>
    rows.length === 0
      ? "Nothing is published."
      : table(["TARGET", "VERSION", "FILES", "BYTES", "PUBLISHED"], rows, terminal.paint) + moreItemsHint(page.next),
  );
}

interface ListedFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

async function showFiles({ run, positionals, values, terminal, show }: CommandContext): Promise<ExitCode> {
  const limit = numberOption(values, "limit", 1) ?? limitDefault;
  const version = numberOption(values, "version", 1);
  const query = { target: positionals[0], ...defined({ version }) };
  const page = await readPages(
    limit,
    async (part) => (await run("files.list", { ...query, ...part })) as Page<ListedFile>,
  );
  const rows = page.items.map(({ path, bytes, sha256 }) => [
    escapeControlChars(path),
    String(bytes),
    sha256.slice(0, 16),
  ]);
  return show(page, () =>
    rows.length === 0
      ? "The version has no files."
      : table(["FILE", "BYTES", "SHA-256"], rows, terminal.paint) + moreItemsHint(page.next),
  );
}
