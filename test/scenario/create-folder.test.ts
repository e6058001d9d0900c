/** The start of a server on a data folder that the system does not create. */
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createFolder } from "../../server/src/base/create-folder.ts";
import { runHere } from "./cli-terminal.ts";
import { run } from "./holdfast-command.ts";
import { inEmptyFolder } from "./program.ts";

test(
  "`holdfast up` refuses a data folder below /proc, which no system creates",
  { skip: process.platform !== "linux" },
  inEmptyFolder(async (folder) => {
    for (const line of ["up --data /proc/holdfast/a", "up --detach --data /proc/holdfast"]) {
      const { code, errors } = await run(folder, line);
      assert.equal(code, 6, errors);
      assert.match(errors, /\/proc\/holdfast/u);
      assert.match(errors, /choose another folder/u);
    }
  }),
);

test(
  "a data folder and its missing parents are created for this user alone, and the first one is returned",
  inEmptyFolder((folder) => {
    const data = join(folder, "a", "b");
    assert.deepEqual([createFolder(data), createFolder(data)], [join(folder, "a"), undefined]);
    for (const name of [data, join(folder, "a")]) assert.equal(statSync(name).mode & 0o777, 0o700);
    return Promise.resolve();
  }),
);

test(
  "a command without a server suggests `holdfast up` with the data folder that it was given",
  inEmptyFolder(async (folder) => {
    const data = join(folder, "of ann");
    for (const command of ["down", "locks"]) {
      const { code, errors } = await runHere(folder, [command, "--data", data]);
      assert.equal(code, 122);
      assert.ok(errors.includes(`Start the server with \`holdfast up --data '${data}'\`, or`), errors);
    }
  }),
);
