import { test } from "node:test";
import { runGuide } from "../scenario/run-guide.ts";

test("the commands of the files guide publish, list and fetch files with the documented results [W6]", (t) =>
  runGuide(t, "publish-files.md"));
