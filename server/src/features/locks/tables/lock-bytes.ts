/**
 * Bytes of the rows of locks in the space's quota. Each counts its objects, its keys and its index entries, measured on a
 * heap with a million rows, and the texts that a caller chose.
 */
import { measure } from "@holdfast/sdk/json/measure";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { bytesOfTexts } from "../../bytes-of-texts.ts";
import { noLimits } from "../../entities/size.ts";

/** The members of rows that are counted. */
interface CountedTerms {
  readonly purpose?: string;
  readonly note?: string;
  readonly metadata?: JsonObject;
}

interface CountedPaths extends CountedTerms {
  readonly requests?: string | readonly string[];
  readonly owner: string;
  readonly paths: readonly { readonly path: string }[];
}

interface CountedGrant extends CountedPaths {
  readonly releaseRequests?: readonly { readonly by: string; readonly owner?: string; readonly reason: string }[];
}

interface CountedPath {
  readonly path: string;
  readonly owner: string;
}

/** Bytes of one path in the list of a grant or a ticket, without its text, which the row of that path counts. */
const listedPath = 64;

/** Bytes of a member of metadata in addition to its text. */
const memberBytes = 32;

/** Metadata never changes, and every renewal of a lease keeps the same object. So it is measured once. */
const measuredMetadata = new WeakMap<JsonObject, number>();

function bytesOfMetadata(metadata: JsonObject): number {
  const known = measuredMetadata.get(metadata);
  if (known !== undefined) return known;
  const measured = measure(metadata, noLimits);
  if (!measured.ok) throw new Error("unreachable: measured without limits");
  const bytes = 2 * measured.size.bytes + memberBytes * measured.size.members;
  measuredMetadata.set(metadata, bytes);
  return bytes;
}

/** Each request is a text of its own. */
function bytesOfRequests({ requests = [] }: Pick<CountedPaths, "requests">): number {
  if (typeof requests === "string") return 24 + bytesOfTexts(requests);
  return requests.reduce((sum, request) => sum + 24 + bytesOfTexts(request), 0);
}

function bytesOfTerms({ purpose, note, metadata }: CountedTerms): number {
  return bytesOfTexts(purpose, note) + (metadata === undefined ? 0 : bytesOfMetadata(metadata));
}

export const lockBytes = {
  grant: (row: CountedGrant): number => {
    const bytes =
      400 + listedPath * row.paths.length + bytesOfTexts(row.owner) + bytesOfTerms(row) + bytesOfRequests(row);
    const { releaseRequests } = row;
    if (releaseRequests === undefined) return bytes;
    return releaseRequests.reduce(
      (sum, { by, owner, reason }) => sum + 100 + bytesOfTexts(by, owner, reason),
      bytes + 100,
    );
  },
  /** The path is in the row, in its key and in two indexes. */
  hold: (row: CountedPath): number => 300 + 4 * bytesOfTexts(row.path) + 2 * bytesOfTexts(row.owner),
  counter: (row: Pick<CountedPath, "path">): number => 200 + 2 * bytesOfTexts(row.path),
  owner: (row: Pick<CountedPath, "owner">): number => 200 + 2 * bytesOfTexts(row.owner),
  ticket: (row: CountedPaths): number =>
    600 +
    listedPath * row.paths.length +
    3 * bytesOfTexts(row.owner, row.paths[0]?.path) +
    bytesOfTerms(row) +
    bytesOfRequests(row),
  /** The path is in the row, in its key and in the index. */
  wait: (row: CountedPath): number => 300 + 3 * bytesOfTexts(row.path) + bytesOfTexts(row.owner),
} as const;
