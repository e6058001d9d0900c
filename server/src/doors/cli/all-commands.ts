/** Every command by its name. Each is loaded when it is needed: `holdfast lock` must not wait for the whole server. */
import type { Command, Commands } from "./command.ts";

type Load = () => Promise<Command>;

/** In the order in which help lists them. */
const loaders: Readonly<Record<string, Load>> = {
  up: async () => (await import("./up.ts")).upCommand,
  verify: async () => (await import("./verify.ts")).verifyCommand,
  get: async () => (await import("./get.ts")).getCommand,
  history: async () => (await import("./history.ts")).historyCommand,
  "journal list": async () => (await import("./journal-list.ts")).journalListCommand,
  "journal follow": async () => (await import("./journal-follow.ts")).journalFollowCommand,
  "journal export": async () => (await import("./journal-export.ts")).journalExportCommand,
  "journal import": async () => (await import("./journal-import.ts")).journalImportCommand,
  backup: async () => (await import("./backup.ts")).backupCommand,
  restore: async () => (await import("./restore.ts")).restoreCommand,
  checkpoint: async () => (await import("./checkpoint.ts")).checkpointCommand,
  archive: async () => (await import("./archive.ts")).archiveCommand,
  erase: async () => (await import("./erase.ts")).eraseCommand,
  help: async () => (await import("./help-command.ts")).helpCommand,
};

export const commands: Commands = {
  names: Object.keys(loaders),
  async find([first = "", second = ""]) {
    const name = [`${first} ${second}`, first].find((each) => Object.hasOwn(loaders, each));
    return name === undefined ? undefined : loaders[name]?.();
  },
  all: () => Promise.all(Object.values(loaders).map((load) => load())),
};
