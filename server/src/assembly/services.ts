import { defined } from "@holdfast/sdk/base/defined";
import { hostname } from "node:os";
import { join } from "node:path";
import { auditFeed } from "../app/watch/audit-feed.ts";
import { systemClock } from "../base/clock.ts";
import type { Journal } from "../journal/journal.ts";
import { ownFolder } from "../journal/sqlite/folder/own-folder.ts";
import { auditFile } from "../services/audit-file/audit-file.ts";
import { makeAuditFolder } from "../services/audit-file/audit-folder.ts";
import { followRules } from "../services/follow-rules.ts";
import { zoneTable } from "../packs/jobs/schedule-tables.ts";
import { zoneKeeper } from "../services/zone-keeper.ts";
import type { ServiceFactory } from "../services/service.ts";
import { storageRootService } from "../services/storage/storage-root-service.ts";

/** The audit file of a node. */
export interface AuditLogOptions {
  /** The data folder of the node. The file is in its folder `audit`. */
  readonly data: string;
  /** Size at which the file is rotated. */
  readonly bytesMax: number;
  /** Rotated files to keep; 0 keeps all. */
  readonly filesKept: number;
}

/** The storage roots of a node. */
export interface StorageRootOptions {
  readonly roots: Readonly<Record<string, string>>;
  /** True if the operator named them. A default root is made by its first publish. */
  readonly areNamed: boolean;
  readonly allowsNetwork: boolean;
  /** The address of this node for clients; undefined if it is not known. */
  readonly url: string | undefined;
}

interface ServiceOptions {
  readonly journal: Journal;
  /** The rules numbers that this build knows. */
  readonly rules: readonly number[];
  /** Without it the audit log is in the journal only. */
  readonly auditLog?: AuditLogOptions | undefined;
  readonly storageRoots: StorageRootOptions;
}

/** The services of a node, in the order of their start. */
export function servicesOfNode({
  journal: { coordination },
  rules,
  auditLog,
  storageRoots: storage,
}: ServiceOptions): readonly ServiceFactory[] {
  const rulesOfNodes = coordination === undefined ? [] : [followRules(coordination, rules)];
  const isShared = coordination !== undefined;
  return [
    ...rulesOfNodes,
    keepZones,
    ...(auditLog === undefined ? [] : [auditFileOf(auditLog, isShared)]),
    ...storageServices(storage),
  ];
}

/** One service for each root, so that a root that fails is started again without the others. */
function storageServices({ roots, areNamed, allowsNetwork, url }: StorageRootOptions): readonly ServiceFactory[] {
  const own = (folder: string): (() => void) => ownFolder(folder, new Date(systemClock.wallMs()).toISOString());
  return Object.entries(roots).map(([root, folder]) =>
    storageRootService({ root, folder, node: hostname(), url, isEager: areNamed, allowsNetwork, own }),
  );
}

/** The time zones of schedules. Without schedules there is nothing to keep. */
const keepZones: ServiceFactory = (context) => {
  const { engine } = context.services;
  const zonesInUse = () => engine.read((state) => state.rows(zoneTable).scan("zone", { limit: Infinity }));
  return zoneKeeper(zonesInUse)(context);
};

/** The owner of a journal in a folder owns the folder. A node of a shared journal must take the folder of its file. */
function auditFileOf({ data, ...options }: AuditLogOptions, isShared: boolean): ServiceFactory {
  const folder = join(data, "audit");
  const own = async (): Promise<() => void> => {
    await makeAuditFolder(folder);
    return ownFolder(folder, new Date(systemClock.wallMs()).toISOString());
  };
  return (context) =>
    auditFile({
      ...options,
      folder,
      feed: auditFeed(context.services.engine),
      ...defined({ own: isShared ? own : undefined }),
    })(context);
}
