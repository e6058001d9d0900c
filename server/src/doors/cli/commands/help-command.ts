import type { CliCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { commandHelp, generalHelp } from "../args/command-help.ts";
import { printUnknownCommand } from "../args/print-usage-error.ts";

export const helpCommand: CliCommand = {
  name: "help",
  usage: "[COMMAND]",
  positionalsMax: 2,
  summary: "explain a command",
  details: ["Explains a command, or lists all commands.", "", "  holdfast help journal list"],
  options: {},
  run: async ({ positionals }, terminal, commands) => {
    const command = positionals.length === 0 ? undefined : await commands.find(positionals);
    if (command === undefined && positionals.length > 0)
      return printUnknownCommand(terminal, positionals, commands.names);
    terminal.print(command === undefined ? generalHelp(await commands.all()) : commandHelp(command));
    return exitCodes.done;
  },
};
