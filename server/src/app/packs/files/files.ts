import { filesRules } from "../../../packs/files/files.ts";
import type { ServerPack } from "../server-pack.ts";
import { commitEvidence, endOnDisk, rootOfCommit, rootsAreReady } from "./commit-evidence.ts";
import { listFiles, readContent } from "./read-content.ts";
import { uploadPart } from "./upload-part.ts";

/** The pack `files` with its parts that use the disk. */
export const filesPack: ServerPack = {
  ...filesRules,
  reads: { ...filesRules.reads, "files.list": listFiles, "files.content": readContent },
  uploads: { "files.upload": uploadPart },
  prepare: { "files.open": rootsAreReady, "files.commit": rootOfCommit },
  evidence: { "files.commit": commitEvidence },
  finish: { "files.commit": endOnDisk, "files.abort": endOnDisk, "files.delete": endOnDisk },
};
