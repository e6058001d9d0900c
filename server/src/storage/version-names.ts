import { twinKey } from "./file-path-fault.ts";

/** The names of one version. Two names must differ in more than upper and lower case, and a file is not a folder. */
export class VersionNames {
  /** Files and folders by their twin key. */
  readonly #names = new Map<string, { readonly path: string; readonly isFile: boolean }>();

  /** Takes the names of a file and its folders. Returns the name that another one has, and then takes nothing. */
  take(path: string): string | undefined {
    const folders = foldersOf(path);
    if (this.#names.has(twinKey(path))) return path;
    const taken = folders.find((folder) => {
      const known = this.#names.get(twinKey(folder));
      return known !== undefined && (known.isFile || known.path !== folder);
    });
    if (taken !== undefined) return taken;
    this.#names.set(twinKey(path), { path, isFile: true });
    for (const folder of folders) this.#names.set(twinKey(folder), { path: folder, isFile: false });
    return undefined;
  }
}

/** The folders of a path, the highest first. */
export function foldersOf(path: string): readonly string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_name, index) => names.slice(0, index + 1).join("/"));
}
