import { test } from "node:test";
import { runGuide } from "../scenario/run-guide.ts";

test("the commands of the workspace guide lock, change, measure and ask with the documented results [W4 W12]", (t) =>
  runGuide(t, "a-workspace.md"));
