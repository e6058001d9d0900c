/** Holdfast as a separate process, for the benchmark of the doors: `node bench/doors-server.ts FOLDER`. */
import { serve } from "../server/src/assembly/serve.ts";

const [, , data = ""] = process.argv;
const serving = await serve({ data, host: "127.0.0.1", port: 0 });
process.once("disconnect", () => void serving.close());
process.on("message", () => {
  process.send?.({ loopMs: performance.eventLoopUtilization().active, nowMs: performance.now() });
});
process.send?.({ url: serving.url });
