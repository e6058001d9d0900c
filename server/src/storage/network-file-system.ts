/** The types of file systems of the network and of users' programs, as statfs reports them on Linux. */
const names: Readonly<Record<number, string>> = {
  0x6969: "NFS",
  0x517b: "SMB",
  0xff534d42: "CIFS",
  0xfe534d42: "SMB2",
  0x65735546: "FUSE",
  0x01021997: "9P",
  0x5346414f: "AFS",
  0x6b414653: "AFS",
  0x73757245: "Coda",
  0x564c: "NCP",
  0x00c36400: "Ceph",
  0x0bd00bd0: "Lustre",
  0x19830326: "BeeGFS",
  0x47504653: "GPFS",
  0x7461636f: "OCFS2",
  0x01161970: "GFS2",
  0x786f4256: "a shared folder of VirtualBox",
};

/**
 * The name of a file system whose syncs and renames depend on a server or a program elsewhere; undefined for one of this
 * host. Only Linux reports such types.
 */
export function networkFileSystem(type: number): string | undefined {
  // The type may be reported as a signed number of 32 bits.
  return names[type >>> 0];
}
