/**
 * A worker of the workspace that kills itself with SIGKILL at one of the requests of its job. That is before it is
 * sent, while the server handles it, or after the reply has arrived. With 0 it prints the number of requests of each
 * job.
 */
import { connect } from "holdfast";
import { runWorkspaceJob, workspaceTypes } from "../../server/src/workers/workspace/run-workspace-job.ts";

const [url = "", token = "", root = "", killAt = "0"] = process.argv.slice(2);

// Without the test, the worker has no work.
process.stdin.resume().once("end", () => process.exit());

let requests = 0;
let isRunning = false;
const send = globalThis.fetch;
const die = (): void => void process.kill(process.pid, "SIGKILL");

globalThis.fetch = async (...request: Parameters<typeof send>) => {
  if (isRunning) requests += 1;
  const isLast = isRunning && requests === Number(killAt);
  if (isLast && requests % 3 === 0) die();
  const reply = send(...request);
  if (isLast && requests % 3 === 1) setImmediate(die);
  const response = await reply;
  if (isLast) die();
  return response;
};

const client = await connect(url, { token, transport: "http" });
await client.jobs.work(workspaceTypes(true, ["main"]), async (job) => {
  [requests, isRunning] = [0, true];
  const result = await runWorkspaceJob(job, client, (name) => (name === "main" ? root : undefined));
  isRunning = false;
  // The number of reports of progress depends on the time, so this job may have had fewer requests than the first one.
  if (Number(killAt) > 0) die();
  console.log(String(requests));
  return result;
});
