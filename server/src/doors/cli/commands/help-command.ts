import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { commandHelp, generalHelp } from "../args/help.ts";
import { unknownCommand } from "../args/misused.ts";

export const helpCommand: Command = {
  name: "help",
  words: "[COMMAND]",
  wordsMax: 2,
  summary: "explain a command",
  details: ["Explains a command, or lists them all.", "", "  holdfast help journal list"],
  options: {},
  run: async ({ words }, terminal, commands) => {
    const command = words.length === 0 ? undefined : await commands.find(words);
    if (command === undefined && words.length > 0) return unknownCommand(terminal, words, commands.names);
    terminal.say(command === undefined ? generalHelp(await commands.all()) : commandHelp(command));
    return exitCodes.done;
  },
};
