/** A restore that dies by SIGKILL at a call of the disk: node restore-child.ts FROM TO CALL [ROOT]. It prints its calls. */
import { restoreData } from "../../server/src/assembly/upkeep.ts";
import { RealDisk } from "../../server/src/storage/real-disk.ts";

const [from = "", to = "", callText = "", root] = process.argv.slice(2);
const killAt = Number(callText);
let callCount = 0;

for (const name of ["makeFolder", "createFile", "openFile", "syncFolder", "stat"] as const) {
  const { value } = Object.getOwnPropertyDescriptor(RealDisk.prototype, name) as { readonly value: unknown };
  const step = value as (...args: string[]) => Promise<unknown>;
  const counted = function (this: RealDisk, ...args: string[]): Promise<unknown> {
    if (callCount === killAt) process.kill(process.pid, "SIGKILL");
    callCount += 1;
    return step.apply(this, args);
  };
  Object.defineProperty(RealDisk.prototype, name, { value: counted });
}

await restoreData({ from, to, storageRoots: root === undefined ? undefined : { main: root } });
console.log(`${String(callCount)} calls`);
