/** Reads a row of the `segments` table, and checks everything in it that later becomes a path, an offset or a length. */
import { readJson } from "@holdfast/sdk/json/read-json";
import { damageError } from "../../unseal.ts";
import { readSegmentName, segmentName } from "./segment-name.ts";
import type { Block, Segment } from "./segment-file.ts";

/** The columns of the table. It is STRICT, so they have their declared types. */
export type SegmentColumns = Omit<Segment, "blocks"> & { readonly blocks: string };

export function readSegmentRow({ blocks: text, ...row }: SegmentColumns): Segment {
  const { first, last, file, bytes } = row;
  const named = readSegmentName(file);
  if (named?.first !== first || named.last !== last || first < 1 || first > last) {
    const shown = JSON.stringify(file.slice(0, 80));
    throw damageError(first, "chain", `its archive file is recorded as ${shown}, not as ${segmentName(first, last)}`);
  }
  const blocks = readBlocks(text);
  if (blocks === undefined || !isWhole(blocks, row)) {
    throw damageError(
      first,
      "chain",
      `the recorded blocks do not cover the ${bytes} bytes of the archive file ${file}`,
    );
  }
  return { ...row, blocks };
}

function readBlocks(text: string): readonly Block[] | undefined {
  try {
    const value: unknown = readJson(text);
    return Array.isArray(value) && value.every(isBlock) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isBlock(value: unknown): value is Block {
  return Array.isArray(value) && value.length === 3 && value.every((part) => Number.isSafeInteger(part) && part >= 0);
}

/** The blocks follow each other without a gap, from the first byte to the last, and their positions rise. */
function isWhole(blocks: readonly Block[], { first, last, bytes }: Pick<Segment, "first" | "last" | "bytes">): boolean {
  let end = 0;
  let position = first;
  for (const [index, [start, offset, length]] of blocks.entries()) {
    if (offset !== end || length === 0 || start < position || start > last) return false;
    if (index === 0 && start !== first) return false;
    end += length;
    position = start + 1;
  }
  return blocks.length > 0 && end === bytes;
}
