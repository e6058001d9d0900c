/** `holdfast work` as a process: its command, its ends, cancellation, drain and kill. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "holdfast";
import { holdfast, jsonLines } from "../scenario/holdfast-command.ts";
import { withCliServer } from "../scenario/cli-terminal.ts";

/** The command of the worker. The type of the job chooses the end. */
const script = `
case "$HOLDFAST_JOB_ID" in
  echo) echo "50 half" >&3; cat ;;
  text) echo plain text ;;
  silent) ;;
  fatal) echo "bad paper" >&2; exit 65 ;;
  retry) if [ "$HOLDFAST_JOB_ATTEMPT" = 1 ]; then echo '{"checkpoint": {"row": 3}}' >&3; exit 3; fi; echo "$HOLDFAST_JOB_CHECKPOINT" ;;
  later) if [ -e later.txt ]; then echo '"then"'; else touch later.txt; exit 75; fi ;;
  large) head -c 70000 /dev/zero | tr '\\0' x ;;
  fence) echo "\\"$HOLDFAST_FENCE\\"" ;;
  cancel) trap 'echo term > cancel.txt; exit 0' TERM; echo "cancel begun" >&2; sleep 60 & wait ;;
  slow) mkfifo go; echo "slow begun" >&2; read -r word < go; echo "\\"$word\\"" ;;
esac`;

test(
  "`holdfast work` runs a command per job, and its exit code and output decide how the job ends",
  withCliServer(async ({ folder, url }) => {
    await using client = await connect(url);
    const worker = holdfast(folder, ["work", "t", "--slots", "3", "--later", "1s", "--json", "--", "sh", "-c", script]);
    try {
      await worker.line(/"event":"working"/u);
      const ids = ["echo", "text", "silent", "fatal", "retry", "later", "large", "fence"];
      for (const id of ids)
        await client.jobs.submit("t", { n: 1 }, { id, ...(id === "fence" ? { locks: ["a/b"] } : {}) });
      const ends = await Promise.all(ids.map((id) => client.jobs.wait(id)));
      const shown = new Map(
        ends.map(({ id, state, result, error }) => [id, [state, result ?? error?.message] as const]),
      );
      assert.deepEqual(shown.get("echo"), ["completed", { n: 1 }]);
      assert.deepEqual(shown.get("text"), ["completed", "plain text"]);
      assert.deepEqual(shown.get("silent"), ["completed", undefined]);
      assert.deepEqual(shown.get("fatal"), ["failed", "exit code 65\nbad paper"]);
      assert.deepEqual(shown.get("retry"), ["completed", { row: 3 }]);
      assert.deepEqual(shown.get("later"), ["completed", "then"]);
      assert.match(JSON.stringify(shown.get("large")), /standard output has more than 65536 bytes/u);
      assert.match(JSON.stringify(shown.get("fence")), /"1\.[\d.]+"/u);

      await client.jobs.submit("t", null, { id: "cancel" });
      await worker.errorLine(/cancel begun/u);
      await client.jobs.cancel({ id: "cancel" });
      assert.equal((await client.jobs.wait("cancel")).state, "cancelled");
      assert.equal(await readFile(join(folder, "cancel.txt"), "utf8"), "term\n");

      await client.jobs.submit("t", null, { id: "slow" });
      await worker.errorLine(/slow begun/u);
      const offers = client.watch({ names: ["evt.jobs.offered"], after: await client.cursor() });
      worker.signal("SIGTERM");
      await worker.line(/"event":"draining"/u);
      await offers.next();
      await offers.return?.();
      await client.jobs.submit("t", null, { id: "echo2" });
      await writeFile(join(folder, "go"), "slow\n");
      const ended = await worker.ended;
      assert.equal(ended.code, 0);
      assert.equal((await client.jobs.get("slow")).result, "slow");
      assert.equal((await client.jobs.get("echo2")).state, "ready");
      const starts = jsonLines(ended).filter(({ event }) => event === "started");
      assert.equal(starts.filter(({ id }) => id === "retry" || id === "later").length, 4);
    } finally {
      worker.signal("SIGKILL");
    }
  }),
);

test(
  "`holdfast work` returns the job and stops if its command cannot be started",
  withCliServer(async ({ folder, url, cli }) => {
    await using client = await connect(url);
    await client.jobs.submit("t", null, { id: "j1" });
    const { code, errors } = await holdfast(folder, ["work", "t", "--", "no-such-command"]).ended;
    assert.equal(code, 2);
    assert.match(
      errors,
      /no-such-command could not be started: command not found\. The job was returned to the queue/u,
    );
    const { state, attempt } = await client.jobs.get("j1");
    assert.deepEqual([state === "running", attempt], [false, 0]);
    assert.match((await cli("work t")).err, /a command is required: holdfast work TYPE -- COMMAND/u);
    assert.match((await cli(["work", "T x", "--", "true"])).err, /\/types\/0 has the wrong form/u);
  }),
);
