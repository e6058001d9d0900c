import { configOptions } from "../args/config-options.ts";
import type { CliCommand, CommandOption } from "../command.ts";
import { tokenFileOption } from "../discovery/token-of.ts";
import { runWorker } from "./run-worker.ts";

const { "storage-roots": roots, config } = configOptions() as Readonly<
  Record<"storage-roots" | "config", CommandOption>
>;

export const workCommand: CliCommand = {
  name: "work",
  usage: "TYPE… -- COMMAND… | workspace",
  positionalsMin: 1,
  positionalsMax: 100,
  takesCommand: true,
  summary: "run a command for each job of a type",
  details: [
    "Offers slots for jobs of the types, and runs COMMAND for each job. The payload is JSON on standard input. Standard",
    "output is the result: JSON, or else text. Standard error is the log; its end is in the error of a failed attempt.",
    "",
    "A line on descriptor 3 is progress, such as `40 level 3 of 7`, or JSON with percent, message and checkpoint. The",
    "environment contains HOLDFAST_JOB_ID, HOLDFAST_JOB_TYPE, HOLDFAST_JOB_PROJECT, HOLDFAST_JOB_ATTEMPT,",
    "HOLDFAST_JOB_CLAIM, HOLDFAST_JOB_CHECKPOINT, and HOLDFAST_FENCE if the job has locks.",
    "",
    "  exit code 0    the job is completed",
    "  exit code 75   run it again later; it counts as no attempt",
    "  exit code 65   the job fails without a retry",
    "  any other      the attempt failed, and the job is retried with backoff",
    "",
    "A cancelled job, a timeout and a lost connection stop COMMAND and all its children: SIGTERM, and SIGKILL after 9 s.",
    "Ctrl+C or SIGTERM drains the worker: it takes no more jobs and ends when its jobs have ended. A second signal returns",
    "the running jobs to the queue. If `holdfast work` itself is killed, COMMAND is killed too.",
    "If the server does not answer, the worker reports it once, tries again, and reports the end of the outage.",
    "",
    "`holdfast work workspace` runs the jobs of the workspace itself: tiles, imports, exports, backups and restores. The",
    "server starts one such process itself (setting `workers`); this command adds more, also on other hosts. On the",
    "host of a storage root, name its folder with --storage-roots, so that tiles are written there and not sent.",
    "",
    "  holdfast work mail.send -- ./send-mail.sh",
    "  holdfast work tiles.render tiles.merge --slots 4 -- python3 tiles.py",
    "  holdfast work echo -- sh -c 'echo 50 half >&3; cat'",
  ],
  options: {
    slots: { value: "N", summary: "maximum jobs at the same time (default: 1)" },
    later: { value: "TIME", summary: "time until the next run after exit code 75 (default: 60s)" },
    "drain-timeout": { value: "TIME", summary: "return the running jobs to the queue if a drain takes longer" },
    name: { value: "TEXT", summary: "the name of the worker (default: user@host)" },
    url: { value: "URL", summary: "the server (default: $HOLDFAST_URL, else the server of the nearest .holdfast)" },
    data: { value: "DIR", summary: "the server that runs on this data folder" },
    "token-file": tokenFileOption,
    "storage-roots": roots,
    config,
    verbose: { summary: "print the address of the server" },
    json: { summary: "print each event as a line of JSON" },
  },
  operations: [
    "register-agent",
    "heartbeat",
    "end-agent",
    "jobs.offer",
    "jobs.progress",
    "jobs.complete",
    "jobs.fail",
    "jobs.release",
  ],
  run: runWorker,
};
