import { workspacePath } from "../../contract/packs/workspace/workspace-path.ts";
import type { CoreClient } from "../core-client.ts";
import type { Lock } from "../locks/handle/lock.ts";

/** A map that a viewer has open. Its read lock renews itself until the map is closed. */
export interface OpenedMap extends AsyncDisposable {
  /** The fence of the read lock. Send it with reads. It is another one after a job had its turn. */
  readonly fence: string;
  /** Aborts when the lock is lost. It does not abort while a job has its turn. */
  readonly signal: AbortSignal;
  /** The address of a tile, for an image on a page. With a version it never changes. */
  tileAddress(z: number, x: number, y: number, version?: number): string;
  close(): Promise<void>;
}

interface MapPlace {
  readonly project: string;
  readonly map: string;
}

/** Opens a map. If another owner requests the lock, the viewer releases it and waits for it again: a job gets its turn. */
export async function openMap(client: Pick<CoreClient, "acquire">, place: MapPlace): Promise<OpenedMap> {
  const path = workspacePath(place);
  const ended = new AbortController();
  const acquire = (): Promise<Lock> =>
    client.acquire(path, { mode: "read", scope: "self", purpose: "views a map", signal: ended.signal });
  let lock = await acquire();
  const follow = (held: Lock): void => {
    held.onReleaseRequested(() => void yieldTurn(held));
    held.signal.addEventListener("abort", () => ended.abort(held.signal.reason));
  };
  const yieldTurn = async (held: Lock): Promise<void> => {
    if (held !== lock || held.state !== "held") return;
    try {
      await held.release();
      lock = await acquire();
      follow(lock);
    } catch (error) {
      // The map was closed meanwhile, or its lock was refused.
      ended.abort(error);
    }
  };
  follow(lock);
  const close = async (): Promise<void> => {
    const { state } = lock;
    ended.abort(new Error("the map was closed"));
    if (state === "held" || state === "uncertain") await lock.release();
  };
  const base = `/v1/workspace/projects/${place.project}/maps/${place.map}/tiles`;
  return {
    get fence() {
      return lock.fence;
    },
    signal: ended.signal,
    tileAddress(z, x, y, version) {
      const more = version === undefined ? "" : `&version=${String(version)}`;
      return `${base}/${String(z)}/${String(x)}/${String(y)}?fence=${lock.fence}${more}`;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
