/** The cursor of a list never names what its caller may not read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Allowance, Client } from "holdfast";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { shownPage } from "../../server/src/app/reads/shown-page.ts";
import { startEngine } from "../../server/src/assembly/open.ts";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import { filesServer } from "../files/files-server.ts";
import { take } from "./workspace-decider.ts";

const everything: readonly Allowance[] = [{ verbs: ["read", "write", "lock", "register"], under: "" }];

async function publish(client: Client, target: string): Promise<void> {
  await using publishing = await client.files.publish(target);
  await publishing.write("a.txt", "a");
  await publishing.commit();
}

interface Page {
  readonly items: readonly JsonObject[];
  readonly next: string | null;
}

/** The names and the cursors of all pages of one item. */
async function pagesOf(ask: (after: JsonObject) => Promise<Page>, member: string) {
  const [names, cursors]: [unknown[], string[]] = [[], []];
  for (let after: JsonObject = {}; ;) {
    const { items, next } = await ask({ ...after, limit: 1 });
    names.push(...items.map((item) => item[member]));
    if (next === null) return { names, cursors };
    cursors.push(next);
    after = { after: next };
  }
}

test("the cursors of files.list-targets and workspace.list-projects name only what their caller may read [X6]", async () => {
  await using server = await filesServer();
  const ann = await server.clientOf("ann", everything);
  const eve = await server.clientOf("eve", everything);
  for (const project of ["a", "b", "m", "x", "z"])
    await ann.workspace.createProject({ project, name: project, lock: "take" });
  for (const project of ["b", "x"]) await ann.workspace.setRole({ project, principal: "eve", role: "viewer", ...take });
  for (const project of ["a", "b", "m", "x", "z"]) await publish(ann, `project/${project}/plan`);
  const projects = await pagesOf((input) => eve.workspace.listProjects(input), "project");
  assert.deepEqual(projects, { names: ["b", "x"], cursors: ["b"] });
  const targets = await pagesOf((input) => eve.files.listTargets(input) as unknown as Promise<Page>, "target");
  assert.deepEqual(targets, { names: ["project/b/plan", "project/x/plan"], cursors: ["project/b/plan"] });
});

test("the cursor of files.list-targets names no target outside the path that its caller may read [X6]", async () => {
  await using server = await filesServer();
  const ben = await server.clientOf("ben", [{ verbs: ["read"], under: "site" }]);
  for (const target of ["site", "site-secret", "site/b", "sites"]) await publish(server.operator, target);
  const ask = (input: JsonObject) => ben.files.listTargets({ under: "site", ...input }) as unknown as Promise<Page>;
  assert.deepEqual(await pagesOf(ask, "target"), { names: ["site", "site/b"], cursors: ["site"] });
});

test("a list that examines 1,000 rows in a step fills its page across any number of hidden rows [X6]", async () => {
  const engine = await startEngine({ journal: openMemoryJournal(createMemoryDisk()), report: () => undefined });
  const rows = Array.from({ length: 4_500 }, (_none, index) => String(index).padStart(4, "0"));
  const steps: (string | undefined)[] = [];
  const page = async (after: string | undefined): Promise<unknown> => {
    const outcome = await shownPage(
      { engine },
      {
        ...{ after, limit: 2 },
        step(_state, from) {
          steps.push(from.after);
          const start = from.after === undefined ? 0 : rows.indexOf(from.after) + 1;
          const examined = rows.slice(start, start + from.rows);
          const shown = examined.filter((name) => name === "0007" || name >= "3001").slice(0, 5);
          const isEnd = examined.length < from.rows;
          return {
            shown: shown.map((name) => ({ cursor: name, item: { name } })),
            examined: isEnd ? undefined : examined.at(-1),
          };
        },
      },
    );
    return outcome.data;
  };
  assert.deepEqual(await page(undefined), { items: [{ name: "0007" }, { name: "3001" }], next: "3001" });
  assert.deepEqual(steps, [undefined, "0999", "1999", "2999"]);
  assert.deepEqual(await page("4499"), { items: [], next: null });
  await engine.stop();
});
