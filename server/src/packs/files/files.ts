/**
 * The pack `files`: published versions of files.
 *
 * - A version is a row. Its bytes are in a folder that no publish had before, and the entry of the row makes it current.
 * - A publish holds a write lock. The entry of the commit checks the fence, so a publisher that lost its lock changes nothing.
 * - What the journal does not name as a version is removed from the disk, and what it names stays.
 */
import { files, filesInternals } from "@holdfast/sdk/contract";
import { rulesOf } from "../../features/rule-of.ts";
import type { DecideContext, Decision, Feature } from "../../machine/feature.ts";
import type { PackRules } from "../pack-rules.ts";
import { packRules } from "../resource-decides.ts";
import type { DecideResource } from "../resource-decides.ts";
import * as changes from "./find-version.ts";
import { commitPublish } from "./commit-publish.ts";
import { clearRoot, configureFiles } from "./configure-files.ts";
import { fileFolds } from "./file-folds.ts";
import * as tables from "./file-tables.ts";
import { getVersion, listPublishes, listVersions } from "./list-versions.ts";
import { openPublish } from "./open-publish.ts";
import type { TargetRules } from "./target-rule.ts";

/** The contract has checked the input, so a rule reads it with its own type. */
const rule = (decide: (input: never, context: DecideContext) => Decision): DecideResource => decide as DecideResource;

const featureWith = (targets: TargetRules): Feature => ({
  name: "files",
  needs: ["space", "agents", "locks"],
  tables: [
    tables.rootTable,
    tables.publishTable,
    tables.targetTable,
    tables.retiredTable,
    tables.forgottenTable,
    tables.versionTable,
    tables.garbageTable,
    tables.quotaTable,
    tables.fileSettingsTable,
  ],
  rules: {
    ...packRules(files, {
      "files.open": rule(openPublish.bind(undefined, targets)),
      "files.commit": rule(commitPublish.bind(undefined, targets)),
      "files.abort": rule(changes.abortPublish),
      "files.pin": rule(changes.pinVersion.bind(undefined, targets)),
      "files.unpin": rule(changes.unpinVersion),
      "files.delete": rule(changes.deleteTarget.bind(undefined, targets)),
      "files.configure": rule(configureFiles),
      "files.clear-root": rule(clearRoot),
    }),
    ...rulesOf(filesInternals, {
      "files.announce": changes.announceRoot,
      "files.fail": changes.failPublish,
      "files.expire": changes.expirePublish,
      "files.collect": changes.collectVersion,
      "files.removed": changes.noteRemoved,
    }),
  },
  folds: fileFolds,
  reactions: {},
  timers: changes.fileTimers,
});

/** The pack with the rules about targets that other packs registered. */
export const filesRules = (targets: TargetRules): PackRules => ({
  contract: files,
  feature: featureWith(targets),
  kinds: [],
  reads: {
    "files.get": getVersion,
    "files.list-versions": listVersions,
    "files.list-publishes": listPublishes,
  },
});
