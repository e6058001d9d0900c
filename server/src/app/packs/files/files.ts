import { filesRules } from "../../../packs/files/files.ts";
import { targetRules } from "../../../packs/files/target-rule.ts";
import type { TargetRule } from "../../../packs/files/target-rule.ts";
import type { AppRead } from "../../reads/app-read.ts";
import type { ServerPack } from "../server-pack.ts";
import { commitEvidence, endOnDisk, rootOfCommit } from "./commit-evidence.ts";
import { prepareOpen } from "./prepare-open.ts";
import { listFiles, readContent } from "./read-content.ts";
import { listRoots } from "./list-roots.ts";
import { listTargets } from "./list-targets.ts";
import { getVersionAt } from "./get-version-at.ts";
import { underTargetRules } from "./under-target-rules.ts";
import { uploadPart } from "./upload-part.ts";

/** The reads that name one target. */
const readsOfTarget = ["files.get", "files.list-versions", "files.list", "files.content"];

/** The pack `files` with its parts that use the disk, and with the rules about targets that other packs registered. */
export function filesPack(registered: readonly TargetRule[]): ServerPack {
  const targets = targetRules(registered);
  const rules = filesRules(targets);
  const reads: Readonly<Record<string, AppRead>> = {
    ...rules.reads,
    "files.get": getVersionAt,
    "files.list": listFiles,
    "files.list-roots": listRoots,
    "files.list-targets": listTargets(targets),
    "files.content": readContent,
  };
  const guarded = readsOfTarget.map((name) => [name, underTargetRules(targets, readOf(reads, name))] as const);
  return {
    ...rules,
    reads: { ...reads, ...Object.fromEntries(guarded) },
    uploads: { "files.upload": uploadPart },
    prepare: { "files.open": prepareOpen, "files.commit": rootOfCommit },
    evidence: { "files.commit": commitEvidence },
    finish: { "files.commit": endOnDisk, "files.abort": endOnDisk, "files.delete": endOnDisk },
  };
}

function readOf(reads: Readonly<Record<string, AppRead>>, name: string): AppRead {
  const read = reads[name];
  if (read === undefined) throw new Error(`nothing answers ${name}`);
  return read;
}
