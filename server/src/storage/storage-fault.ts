import { errorCode } from "./disk.ts";

/** Why the storage cannot do something, as a problem of the contract. */
export class StorageFault extends Error {
  readonly code: string;
  readonly data: Readonly<Record<string, string | number>>;
  /** The disk of the root failed to keep bytes. It takes no publishes until an operator clears it. */
  readonly degradesRoot: boolean;

  constructor(code: string, data: Readonly<Record<string, string | number>> = {}, degradesRoot = false) {
    super(`${code} ${JSON.stringify(data)}`);
    this.code = code;
    this.data = data;
    this.degradesRoot = degradesRoot;
  }
}

/** The codes of a disk or a quota of the system that is full. */
const fullCodes = ["ENOSPC", "EDQUOT"];
/** The codes of a process or a system without free handles. It passes. */
const busyCodes = ["EMFILE", "ENFILE", "ENOMEM", "EAGAIN"];

/** The fault of a failed call of the disk. Unknown errors count as a broken disk. */
export function faultOf(error: unknown, root: string): StorageFault {
  if (error instanceof StorageFault) return error;
  const code = errorCode(error);
  if (fullCodes.includes(code)) return new StorageFault("files.storage_full", { root, reason: code });
  if (busyCodes.includes(code)) return new StorageFault("files.storage_busy", { root, reason: code });
  if (code === "EXDEV") return new StorageFault("files.other_device", { root });
  const reason = code === "" ? "an unknown error" : code;
  return new StorageFault("files.root_degraded", { root, reason }, true);
}
