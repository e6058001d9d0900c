/**
 * The storage roots of a worker that was given none. They are those of its connected node, and of the other nodes whose
 * address it has. A root may be announced later, and a client that lost its node continues with another one.
 */
import type { Client } from "@holdfast/sdk";
import type { Clock } from "../base/clock.ts";

/** Interval between two polls. */
const lookEveryMs = 2_000;

/** Maximum roots of one worker. An offer has at most 100 types. */
const rootsMax = 10;

export interface ReachedNodes {
  readonly client: Client;
  /** The addresses of the client. It follows to no other address. */
  readonly addresses: readonly string[];
}

export async function rootsOf({ client, addresses }: ReachedNodes): Promise<readonly string[]> {
  const { items } = await client.files.listRoots();
  const isReached = (url: string | undefined): boolean =>
    url !== undefined && URL.canParse(url) && addresses.some((each) => new URL(each).href === new URL(url).href);
  const reached = items.filter(({ isHere, url }) => isHere || isReached(url));
  return reached.map(({ root }) => root).slice(0, rootsMax);
}

interface WatchedRoots extends ReachedNodes {
  readonly clock: Clock;
  readonly roots: readonly string[];
  readonly onRoots: (roots: readonly string[]) => Promise<void>;
}

/** Reports each change of the roots. A failed poll is repeated. Returns a function that stops it. */
export function watchRoots({ clock, roots, onRoots, ...nodes }: WatchedRoots): () => void {
  let known = roots.join();
  let isStopped = false;
  let cancel: () => void = () => undefined;
  const look = async (): Promise<void> => {
    const now = await rootsOf(nodes);
    if (isStopped || now.join() === known) return;
    await onRoots(now);
    known = now.join();
  };
  const lookLater = (): void => {
    cancel = clock.after(
      lookEveryMs,
      () =>
        void look()
          .catch(() => undefined)
          .then(() => isStopped || lookLater()),
      { keepAlive: false },
    );
  };
  lookLater();
  return () => {
    isStopped = true;
    cancel();
  };
}
