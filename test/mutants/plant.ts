/**
 * Loaded before everything else by the processes of a run with a mutant (`NODE_OPTIONS=--import …`), threads and children
 * included. Puts the bug that HOLDFAST_MUTANT names into its file as the file is loaded.
 */
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { allPlanted } from "./catalogue.ts";
import { planted } from "./planted-mutant.ts";

const wanted = process.env["HOLDFAST_MUTANT"];
const mutant = allPlanted.find(({ name }) => name === wanted);
if (mutant === undefined) throw new Error(`HOLDFAST_MUTANT names no mutant of test/mutants: ${JSON.stringify(wanted)}`);
const target = pathToFileURL(join(import.meta.dirname, "..", "..", mutant.file)).href;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (url !== target) return loaded;
    const { source } = loaded;
    const text = typeof source === "string" ? source : new TextDecoder().decode(source);
    return { ...loaded, source: planted(mutant, text) };
  },
});
