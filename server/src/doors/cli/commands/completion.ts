import type { CliCommand } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { exitCodes } from "../exit-codes.ts";

export const completionCommand: CliCommand = {
  name: "completion",
  usage: "bash|zsh|fish",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "print a script that completes commands and options in a shell",
  details: [
    "Prints a completion script for a shell. It completes the names of commands and options. The shell completes file",
    "names as usual.",
    "",
    '  eval "$(holdfast completion bash)"',
    '  eval "$(holdfast completion zsh)"',
    "  holdfast completion fish | source",
  ],
  options: {},
  run: async ({ positionals }, terminal, commands) => {
    const [shell = ""] = positionals;
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
    if (script === undefined) throw new UsageError(`completion supports bash, zsh and fish, not ${shell}`);
    terminal.print(script(await commands.all()));
    return exitCodes.done;
  },
};

const scripts: Readonly<Record<string, (commands: readonly CliCommand[]) => string>> = {
  bash: bashScript,
  zsh: (commands) => `autoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`,
  fish: fishScript,
};

/** The first words of all command names, each once. */
function firstWords(commands: readonly CliCommand[]): readonly string[] {
  return [...new Set(commands.map(({ name }) => name.split(" ")[0] ?? ""))];
}

function optionWords({ options }: CliCommand): readonly string[] {
  return [...Object.keys(options), "help"].map((name) => `--${name}`);
}

function bashScript(commands: readonly CliCommand[]): string {
  const casesOf = (isInGroup: boolean): string =>
    commands
      .filter(({ name }) => name.includes(" ") === isInGroup)
      .map((command) => `    "${command.name}") words="${optionWords(command).join(" ")}" ;;`)
      .join("\n");
  const groups = firstWords(commands).flatMap((first) => {
    const seconds = commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name.split(" ")[1]);
    return seconds.length === 0 ? [] : [`    "${first}") words="${seconds.join(" ")}" ;;`];
  });
  return `_holdfast() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${firstWords(commands).join(" ")} --help --version" -- "$current"))
    return
  fi
  if [ "$COMP_CWORD" -eq 2 ]; then
    case "\${COMP_WORDS[1]}" in
${groups.join("\n")}
    esac
    if [ -n "$words" ]; then
      COMPREPLY=($(compgen -W "$words" -- "$current"))
      return
    fi
  fi
  case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${casesOf(true)}
  esac
  if [ -z "$words" ]; then
    case "\${COMP_WORDS[1]}" in
${casesOf(false)}
    esac
  fi
  COMPREPLY=()
  case "$current" in -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;; esac
}
complete -o default -F _holdfast holdfast`;
}

function fishScript(commands: readonly CliCommand[]): string {
  const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = commands.flatMap((command) => {
    const [first = "", second] = command.name.split(" ");
    const atStart =
      second === undefined
        ? `-n __fish_use_subcommand -a ${first}`
        : `-n '__fish_seen_subcommand_from ${first}' -a ${second}`;
    const seen = `-n '__fish_seen_subcommand_from ${second ?? first}'`;
    const options = Object.entries(command.options).map(
      ([name, { value, isValueOptional, summary }]) =>
        `complete -c holdfast ${seen} -l ${name}${value === undefined || isValueOptional === true ? "" : " -r"} -d ${quoted(summary)}`,
    );
    return [`complete -c holdfast ${atStart} -d ${quoted(command.summary)}`, ...options];
  });
  const groups = firstWords(commands).filter((first) => !commands.some(({ name }) => name === first));
  return [...groups.map((first) => `complete -c holdfast -n __fish_use_subcommand -a ${first}`), ...lines].join("\n");
}
