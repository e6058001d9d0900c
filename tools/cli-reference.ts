/** The pages about the command line and the settings, from the tables that the command line itself reads. */
import { allCommands } from "../server/src/doors/cli/commands/all-commands.ts";
import type { CliCommand } from "../server/src/doors/cli/command.ts";
import { defaultText } from "../server/src/doors/cli/args/config-options.ts";
import { exitCodeMeanings } from "../server/src/doors/cli/exit-codes.ts";
import { optionUsage, usageOf } from "../server/src/doors/cli/args/command-help.ts";
import { expectedOf } from "../server/src/config/read-value.ts";
import { clientVariables, optionOf, settingNames, settingOf, variableOf } from "../server/src/config/settings.ts";

const made = "This page is made from the commands themselves by `tools/make-reference.ts`; do not edit it.";

export async function commandsPage(): Promise<string> {
  const all = await allCommands.all();
  return [
    "# The command line",
    made,
    "Each command explains itself: `holdfast help COMMAND`. An error is printed on standard error with its code and the next " +
      "step. With `--json` it is a line of JSON on standard output, also if the command line is invalid (code `usage`). " +
      "`holdfast lock` prints its JSON to standard error, because standard output belongs to its command. Only terminals get colours, unless `NO_COLOR` or " +
      "`FORCE_COLOR` changes that.",
    "## Which server is asked",
    "The first of these that is given:",
    [
      "1. the server of `--url`",
      "2. the server that runs on the folder of `--data`",
      "3. the server of `HOLDFAST_URL`",
      "4. the server that runs on the folder of `HOLDFAST_DATA`, or on the nearest `.holdfast`, from here upwards",
      "5. port 4653 of this host",
    ].join("\n"),
    "`get` and `history` read the data folder itself with `--data`, and when no server runs. `--verbose` prints the choice.",
    "## Exit codes",
    "`holdfast lock` ends with the code of its command. Its own codes are high, so that they differ from those of most " +
      "commands. A command that was ended by a signal gives 128 plus the number of the signal. One " +
      "that could not be started gives 126 or 127.",
    rowsOf(
      ["code", "meaning"],
      exitCodeMeanings.map(([code, meaning]) => [String(code), meaning]),
    ),
    "## Environment",
    rowsOf(
      ["variable", "what it is"],
      Object.entries(clientVariables).map(([name, what]) => [`\`${name}\``, what]),
    ),
    ...all.map(commandSection),
  ].join("\n\n");
}

function commandSection(command: CliCommand): string {
  const { name, summary, details, options, operations = [] } = command;
  const operation = (each: string): string => `[${each}](${pageOf(each)}#${each.replace(".", "")})`;
  const asked =
    name === "run"
      ? "Any operation: see [operations](operations.md)."
      : `Asks for ${operations.map(operation).join(", ")}.`;
  return [
    `## holdfast ${name}`,
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    `\`\`\`text\nholdfast ${usageOf(command)}\n\n${details.join("\n")}\n\`\`\``,
    ...(operations.length === 0 ? [] : [asked]),
    ...(Object.keys(options).length === 0
      ? []
      : [
          rowsOf(
            ["option", "what it does"],
            Object.entries(options).map(([each, option]) => [`\`${optionUsage(each, option)}\``, option.summary]),
          ),
        ]),
  ].join("\n\n");
}

export function configurationPage(): string {
  const namedOnly = settingNames
    .filter((name) => settingOf(name).needsNamedFile === true)
    .map((name) => `\`${name}\``)
    .join(", ");
  const rows = settingNames.map((name) => {
    const setting = settingOf(name);
    const option = setting.isSecret === true ? "-" : `\`--${optionOf(name)}\``;
    const key = name === "data" ? "-" : `\`${name}\``;
    return [key, option, `\`${variableOf(name)}\``, expectedOf(setting), defaultText(setting), setting.summary];
  });
  return [
    "# Settings of a server",
    made,
    "A setting is an option of `holdfast up`, else an environment variable, else a key of the file, else its default. The file " +
      "is `.holdfast/holdfast.json`, or what `--config` or `HOLDFAST_CONFIG` names. A misspelling stops the start with " +
      "an error: an unknown key, a variable that is nearly a setting, or a value that does not fit. " +
      "`holdfast up --print-config` shows what it would start with, and where each value comes from.",
    "A `.holdfast` in the working directory may be part of a repository. If neither `--data`, `HOLDFAST_DATA`, `--config` nor " +
      `\`HOLDFAST_CONFIG\` names it, its file cannot set ${namedOnly}.`,
    rowsOf(["key", "option", "variable", "takes", "default", "what it is"], rows),
    '```json\n{ "port": 4700, "require_token": true, "allowed_hosts": ["holdfast.example.org"] }\n```',
    "Settings that decisions read, such as the quota of the state, are set by an entry and not here. See the operation " +
      "[configure](operations.md#configure).",
  ].join("\n\n");
}

function rowsOf(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)].join("\n");
}

/** The page of an operation: that of its pack, or of all features. */
function pageOf(operation: string): string {
  const dot = operation.indexOf(".");
  return dot < 0 ? "operations.md" : `${operation.slice(0, dot)}.md`;
}
