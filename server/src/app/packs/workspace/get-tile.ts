import { workspacePath } from "@holdfast/sdk/contract";
import { defined } from "@holdfast/sdk/base/defined";
import { lockReadRefusal } from "../../../packs/workspace/access.ts";
import type { LockProof } from "../../../packs/workspace/access.ts";
import { accessOf } from "../../../packs/workspace/write-record.ts";
import type { AppRead } from "../../reads/app-read.ts";
import { readContent } from "../files/read-content.ts";

interface TileInput extends LockProof {
  readonly project: string;
  readonly map: string;
  readonly z: number;
  readonly x: number;
  readonly y: number;
  readonly version?: number;
}

/** The file of a tile in the published version. The lock is checked at the same moment as the version is found. */
export const getTile: AppRead = {
  view: "scan",
  async run(input: TileInput, context) {
    const { z, x, y, version } = input;
    const refused = lockReadRefusal(context, accessOf("workspace.get-tile", input));
    if (refused !== undefined) return refused;
    const target = `${workspacePath(input)}/tiles`;
    const path = `${String(z)}/${String(x)}/${String(y)}.png`;
    const outcome = await readContent.run(defined({ target, path, version }) as never, context);
    const { stream } = outcome;
    return stream === undefined ? outcome : { ...outcome, stream: { ...stream, contentType: "image/png" } };
  },
};
