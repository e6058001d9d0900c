import type { CliCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { commandHelp, exitCodesHelp, generalHelp } from "../args/command-help.ts";
import { printUnknownCommand } from "../args/print-usage-error.ts";

export const helpCommand: CliCommand = {
  name: "help",
  usage: "[COMMAND|exit-codes]",
  positionalsMax: 2,
  summary: "explain a command",
  details: [
    "Explains a command, lists all commands, or lists the exit codes of all commands.",
    "",
    "  holdfast help journal list",
    "  holdfast help exit-codes",
  ],
  options: {},
  run: async ({ positionals }, terminal, commands) => {
    if (positionals.join(" ") === "exit-codes") {
      terminal.print(exitCodesHelp());
      return exitCodes.done;
    }
    const command = positionals.length === 0 ? undefined : await commands.find(positionals);
    if (command === undefined && positionals.length > 0)
      return printUnknownCommand(terminal, positionals, commands.names);
    terminal.print(command === undefined ? generalHelp(await commands.all()) : commandHelp(command));
    return exitCodes.done;
  },
};
