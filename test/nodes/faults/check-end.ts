/** Checks of the journal after all faults. */
import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import { connect } from "@holdfast/sdk";
import type { Client, Entity } from "@holdfast/sdk";
import type { NodeCluster } from "../node-processes.ts";
import type { Loss } from "./faults.ts";
import type { AcknowledgedWrite, Load } from "./load.ts";

const samplesMax = 40;

export async function checkEnd(cluster: NodeCluster, load: Load, losses: readonly Loss[]): Promise<void> {
  const kept = load.acknowledged.filter((written) => !losses.some((loss) => mayBeLost(written, loss)));
  checkFences(kept);
  checkOwners(load.acknowledged);
  checkCounted(load.acknowledged);
  for (const { url } of cluster.nodes) {
    await using client = await connect(url);
    await checkNotes(client, kept);
    await checkCounter(client, kept);
  }
  const healths = await Promise.all(cluster.nodes.map((node) => node.health()));
  assert.deepEqual(new Set(healths.map(({ epoch }) => epoch)).size, 1, "all nodes are in the same epoch");
}

/** A write after the copy, unless it was acknowledged in the epoch that began with the restore. */
export function mayBeLost({ atMs, epoch }: AcknowledgedWrite, loss: Loss): boolean {
  return atMs >= loss.savedAtMs && epoch < loss.epoch;
}

/** Nothing that was acknowledged is lost, and nothing was done twice. */
async function checkNotes(client: Client, kept: readonly AcknowledgedWrite[]): Promise<void> {
  const notes = new Map<string, Entity>();
  for (let after: string | null | undefined; after !== null;) {
    const page = await client.entities.list("note", { limit: 1_000, ...defined({ after }) });
    for (const note of page.items) notes.set(note.id, note);
    after = page.next;
  }
  for (const { id } of kept.filter(({ what }) => what === "note")) {
    assert.equal(notes.get(id)?.version, 1, `"${id}" was acknowledged`);
  }
}

/** Every version was written by the worker that got its acknowledgement, on top of the version before. */
async function checkCounter(client: Client, kept: readonly AcknowledgedWrite[]): Promise<void> {
  const counted = kept.filter(({ what }) => what === "counter");
  const { version, value } = await client.entities.get("counter", "1");
  assert.equal((value as { readonly n: number }).n, version - 1, "an update was lost");
  const step = Math.max(1, Math.floor(counted.length / samplesMax));
  for (const written of counted.filter((_, index) => index % step === 0)) {
    const past = await client.entities.get("counter", "1", { version: written.version });
    assert.equal((past.value as { readonly by: string }).by, written.id, `version ${String(written.version)}`);
  }
}

/** No version was acknowledged to two workers. */
function checkCounted(acknowledged: readonly AcknowledgedWrite[]): void {
  const counted = acknowledged.filter(({ what }) => what === "counter");
  const versions = new Set(counted.map(({ epoch, version }) => `${String(epoch)}.${String(version)}`));
  assert.equal(versions.size, counted.length, "two workers got the acknowledgement of one version");
}

/**
 * In the order of the journal fences only increase. A write under an older fence never follows one under a newer fence.
 */
export function checkFences(acknowledged: readonly AcknowledgedWrite[]): void {
  const guarded = acknowledged
    .filter(({ what }) => what === "guarded")
    .toSorted((a, b) => a.epoch - b.epoch || a.position - b.position);
  for (const [index, { fence = "", id }] of guarded.entries()) {
    const { fence: before = "0.0", id: other = "none" } = guarded[index - 1] ?? {};
    assert.ok(isNotBefore(fence, before), `${id} wrote under ${fence} after ${other} had under ${before}`);
  }
}

/** A fence was granted to one owner only, in all histories. */
export function checkOwners(acknowledged: readonly AcknowledgedWrite[]): void {
  const owners = new Map<string, string>();
  for (const { fence, id } of acknowledged) {
    if (fence === undefined) continue;
    const owner = id.split(" ", 2).join(" ");
    const other = owners.get(fence) ?? owner;
    assert.equal(owner, other, `${fence} was given to two`);
    owners.set(fence, owner);
  }
}

function isNotBefore(fence: string, other: string): boolean {
  const [mine, theirs] = [fence, other].map((text) => text.split(".").map(Number)) as [number[], number[]];
  for (const index of Array.from({ length: Math.max(mine.length, theirs.length) }).keys()) {
    const difference = (mine[index] ?? 0) - (theirs[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
