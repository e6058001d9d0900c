import { test } from "node:test";
import { runGuide } from "../scenario/run-guide.ts";

test("the commands of the pipeline guide have the documented results, also after kill -9 of its worker [B5]", (t) =>
  runGuide(t, "run-a-pipeline.md"));
