import { test } from "node:test";
import { runGuide } from "../scenario/run-guide.ts";

test("the commands of the jobs guide have the documented results", (t) => runGuide(t, "run-jobs.md"));

test("the rewritten queue in the guide for users of BullMQ and pg-boss has the documented results", (t) =>
  runGuide(t, "coming-from-bullmq-or-pg-boss.md"));

test("the commands of the deploy guide lose no job and no run over restarts of server, worker and runner [W8 W11]", (t) =>
  runGuide(t, "deploy-without-losing-work.md", { startsServer: true }));
