/** A restore that dies by SIGKILL at a call of the disk: node restore-child.ts FROM TO CALL [ROOT]. */
import { restoreData } from "../../server/src/assembly/upkeep.ts";
import { RealDisk } from "../../server/src/storage/real-disk.ts";

const [from = "", to = "", callText = "", root] = process.argv.slice(2);
let left = Number(callText);

for (const name of ["makeFolder", "createFile", "openFile", "syncFolder", "stat"] as const) {
  const { value } = Object.getOwnPropertyDescriptor(RealDisk.prototype, name) as { readonly value: unknown };
  const step = value as (...args: string[]) => Promise<unknown>;
  const counted = function (this: RealDisk, ...args: string[]): Promise<unknown> {
    left -= 1;
    if (left < 0) process.kill(process.pid, "SIGKILL");
    return step.apply(this, args);
  };
  Object.defineProperty(RealDisk.prototype, name, { value: counted });
}

await restoreData({ from, to, storageRoots: root === undefined ? undefined : { main: root } });
// All calls are over, and the folder has its name.
process.kill(process.pid, "SIGKILL");
