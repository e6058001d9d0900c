/** The commands of the README with a real `npm ci`, which takes half a minute and a network. */
import { join } from "node:path";
import { test } from "node:test";
import { downloadEnvironment } from "../scenario/child-environment.ts";
import { driveDoors } from "../scenario/drive-doors.ts";
import { npmStart } from "../scenario/npm-start.ts";
import { inEmptyFolder } from "../scenario/program.ts";
import { execChild } from "../scenario/spawn-child.ts";
import { counts } from "./counts.ts";

const root = join(import.meta.dirname, "..", "..");

test(
  "npm ci and npm start work in a fresh clone, and the server answers through every door after each further npm ci [X12]",
  inEmptyFolder(async (folder) => {
    const env = downloadEnvironment();
    await execChild("git", ["clone", "--quiet", root, folder], { env });
    await execChild("npm", ["ci"], { cwd: folder, env });
    await using server = await npmStart(folder);
    for (let round = 0; round < counts.reinstallations; round += 1) {
      await execChild("npm", ["ci"], { cwd: folder, env });
      await driveDoors(server);
    }
  }),
);
