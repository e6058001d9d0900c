import type { RootNodesOptions } from "./root-nodes.ts";
import type { Transport } from "./transport/transport.ts";

/** Operations that need the disk of a storage root, which one node has. */
const needsRoot = (operation: string): boolean => /^files\.|^workspace\.get-tile$/u.test(operation);

/** Sends calls about files to the node that has their storage root. The rest is loaded at the first such call. */
export function followRoots(transport: Transport, options: RootNodesOptions): Transport {
  const loading = () => import("./root-nodes.ts").then(({ RootNodes }) => new RootNodes(transport, options));
  let nodes: ReturnType<typeof loading> | undefined;
  return {
    call: (operation, input, call) =>
      needsRoot(operation)
        ? (nodes ??= loading()).then((loaded) => loaded.call(operation, input, call))
        : transport.call(operation, input, call),
    watch: (request) => transport.watch(request),
    notices: (query) => transport.notices(query),
    cursor: () => transport.cursor(),
    async close() {
      await transport.close();
      await (await nodes)?.close();
    },
  };
}
