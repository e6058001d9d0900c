/** All commands by name. A command is loaded on demand, so that `holdfast lock` does not load the whole server. */
import type { CliCommand, CommandRegistry } from "../command.ts";

type CommandLoader = () => Promise<CliCommand>;

/** The loaders, in the order of the help text. */
const loaders: Readonly<Record<string, CommandLoader>> = {
  up: async () => (await import("../up/up-command.ts")).upCommand,
  down: async () => (await import("../up/down-command.ts")).downCommand,
  status: async () => (await import("../up/status-command.ts")).statusCommand,
  take: async () => (await import("../agent/take-command.ts")).takeCommand,
  wait: async () => (await import("../agent/wait-command.ts")).waitCommand,
  ask: async () => (await import("../agent/ask-command.ts")).askCommand,
  who: async () => (await import("../agent/who-command.ts")).whoCommand,
  lock: async () => (await import("../lock/lock-command.ts")).lockCommand,
  locks: async () => (await import("./locks.ts")).locksCommand,
  top: async () => (await import("./top.ts")).topCommand,
  audit: async () => (await import("./audit.ts")).auditCommand,
  "audit verify": async () => (await import("./audit-verify.ts")).auditVerifyCommand,
  waits: async () => (await import("./waits.ts")).waitsCommand,
  agents: async () => (await import("./agents.ts")).agentsCommand,
  whoami: async () => (await import("./whoami.ts")).whoamiCommand,
  release: async () => (await import("./release.ts")).releaseCommand,
  "request-release": async () => (await import("./request-release.ts")).requestReleaseCommand,
  "force-release": async () => (await import("./force-release.ts")).forceReleaseCommand,
  get: async () => (await import("./get.ts")).getCommand,
  put: async () => (await import("./put.ts")).putCommand,
  patch: async () => (await import("./patch.ts")).patchCommand,
  delete: async () => (await import("./delete.ts")).deleteCommand,
  list: async () => (await import("./list.ts")).listCommand,
  history: async () => (await import("./history.ts")).historyCommand,
  watch: async () => (await import("./watch.ts")).watchCommand,
  run: async () => (await import("./run-operation.ts")).runOperationCommand,
  intents: async () => (await import("./intents.ts")).intentsCommand,
  intent: async () => (await import("./intent.ts")).intentCommand,
  "stop-intent": async () => (await import("./stop-intent.ts")).stopIntentCommand,
  "token create": async () => (await import("./token-create.ts")).tokenCreateCommand,
  "token list": async () => (await import("./token-list.ts")).tokenListCommand,
  "token rotate": async () => (await import("./token-rotate.ts")).tokenRotateCommand,
  "token revoke": async () => (await import("./token-revoke.ts")).tokenRevokeCommand,
  health: async () => (await import("./health.ts")).healthCommand,
  verify: async () => (await import("./verify.ts")).verifyCommand,
  "journal list": async () => (await import("./journal-list.ts")).journalListCommand,
  "journal follow": async () => (await import("./journal-follow.ts")).journalFollowCommand,
  "journal export": async () => (await import("./journal-export.ts")).journalExportCommand,
  "journal import": async () => (await import("./journal-import.ts")).journalImportCommand,
  backup: async () => (await import("./backup.ts")).backupCommand,
  restore: async () => (await import("./restore.ts")).restoreCommand,
  checkpoint: async () => (await import("./checkpoint.ts")).checkpointCommand,
  archive: async () => (await import("./archive.ts")).archiveCommand,
  erase: async () => (await import("./erase.ts")).eraseCommand,
  completion: async () => (await import("./completion.ts")).completionCommand,
  help: async () => (await import("./help-command.ts")).helpCommand,
};

export const allCommands: CommandRegistry = {
  names: Object.keys(loaders),
  async find([first = "", second = ""]) {
    const name = [`${first} ${second}`, first].find((candidate) => Object.hasOwn(loaders, candidate));
    return name === undefined ? undefined : loaders[name]?.();
  },
  all: () => Promise.all(Object.values(loaders).map((load) => load())),
};
