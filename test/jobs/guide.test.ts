import { test } from "node:test";
import { runGuide } from "../scenario/run-guide.ts";

test("the commands of the jobs guide have the documented results", (t) => runGuide(t, "run-jobs.md"));
