/** The two commands of the README in one checkout: `npm start` keeps serving while `npm ci` replaces the packages. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "holdfast";
import { MeshAgent } from "../mesh/mesh-client.ts";
import { startNats } from "../mesh/private-nats.ts";
import { driveDoors } from "./drive-doors.ts";
import { FreshCheckout } from "./fresh-checkout.ts";
import { npmStart } from "./npm-start.ts";
import { startOwnPostgres } from "./private-postgres.ts";
import { inEmptyFolder, startCommand, startProgram } from "./program.ts";

test(
  "a server of npm start answers through every door while its packages are gone and after they are installed again [X12]",
  inEmptyFolder(async (folder) => {
    const checkout = new FreshCheckout(folder);
    await using server = await npmStart(folder);
    await using client = await connect(server.url);
    const held = await client.acquire("demo");
    // It gets the lock after the code of the renewing thread was removed, and holds the lock for longer than a lease.
    const args = ["lock", "demo", "--ttl", "4", "--", "sh", "-c", "echo runs; sleep 6; echo ends"];
    const waiter = startProgram(join(folder, "server", "bin", "holdfast.js"), args, { folder });
    await waiter.errorLine(/waiting at queue position 1/);

    checkout.remove();
    await held[Symbol.asyncDispose]();
    await waiter.line(/runs/);
    await driveDoors(server);

    checkout.install();
    await driveDoors(server);
    await server.errorLine(/working on workspace/);
    const { code, lines, errors } = await waiter.ended;
    assert.deepEqual([code, lines], [0, ["runs", "ends"]], errors);
    const backup = await startCommand("npx", ["holdfast", "backup", "copy"], { folder }).ended;
    assert.equal(backup.code, 0, backup.errors);
  }),
);

test(
  "a server of npm start connects to Postgres and NATS again after its packages are gone [X12]",
  inEmptyFolder(async (folder) => {
    const checkout = new FreshCheckout(folder);
    await using stack = new AsyncDisposableStack();
    const postgres = await startOwnPostgres({ isDurable: true });
    stack.defer(() => postgres.stop());
    await using nats = await startNats();
    await using server = await npmStart(folder, { HOLDFAST_JOURNAL: postgres.url, HOLDFAST_NATS: nats.url });
    checkout.remove();
    await Promise.all([postgres.order("crash"), nats.kill()]);
    await Promise.all([postgres.order("start"), nats.start()]);

    await using client = await connect(server.url);
    await client.entities.create("note", "first", 1);
    await using agent = await MeshAgent.connect(nats.url);
    const acquire = { resource_id: "doc/1", owner_id: "ann", ttl_seconds: 60 };
    const authorization = { Authorization: `Bearer ${server.token}` };
    const { headers } = await agent.command("cmd.lock.acquire", acquire, authorization);
    assert.equal(headers["Holdfast-Event"], "evt.lock.acquired");
  }),
);
