import type { CliCommand } from "../command.ts";
import { configOptions } from "../args/config-options.ts";

export const upCommand: CliCommand = {
  name: "up",
  positionalsMax: 0,
  writesData: true,
  summary: "start Holdfast on a data folder and keep it running",
  details: [
    "Starts Holdfast on a data folder, and creates the folder if it does not exist. It runs until Ctrl+C or SIGTERM. On a",
    "stop it answers the pending calls and closes the folder. A second signal ends the process immediately, without the",
    "loss of acknowledged writes. Only one process at a time can open a folder.",
    "",
    "Without --port it uses port 4653, or a free port if another process listens there. The commands below the parent of",
    "the folder find the server. With --detach it runs in the background and writes a log file. `holdfast down` stops it.",
    "",
    "With --journal the journal is in a Postgres database. Any number of nodes can serve it, each with its own data folder.",
    "Set a password in HOLDFAST_JOURNAL or in the file, because all users of this host can read options.",
    "",
    "A setting can be an option, an environment variable, or a key of holdfast.json in the data folder, such as",
    '{"port": 4700, "require_token": true}. An option overrides a variable, and a variable overrides the file.',
    "",
    "  holdfast up",
    "  holdfast up --detach",
    "  holdfast up --data /var/lib/holdfast --port 4700",
    "  holdfast up --journal 'postgres://holdfast@db.internal/holdfast?sslmode=verify-full'",
    "  holdfast up --print-config",
  ],
  options: {
    ...configOptions(),
    detach: { summary: "run in the background, and write the output to holdfast.log in the data folder" },
    "print-config": { summary: "print the value and the source of each setting, and exit" },
    json: { summary: "print one line of JSON per event" },
  },
  // Loaded on demand: the server is larger than all commands together.
  run: async (args, terminal) =>
    args.values["detach"] === true
      ? (await import("./run-detached.ts")).runDetached(args, terminal)
      : (await import("./run-up.ts")).runUp(args, terminal),
};
