/** Holdfast as a separate process, with an audit file on request: `node bench/processes/doors-server.ts FOLDER [audit]`. */
import { answerLoad } from "./answer-load.ts";
import { serve } from "../../server/src/assembly/serve.ts";

const [, , data = "", audit] = process.argv;
const auditLog = audit === undefined ? {} : { auditLog: { bytesMax: 64 * 1024 * 1024, filesKept: 0 } };
const serving = await serve({ data, host: "127.0.0.1", port: 0, ...auditLog });
process.once("disconnect", () => void serving.close());
answerLoad();
process.send?.({ url: serving.url });
