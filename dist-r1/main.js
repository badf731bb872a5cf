#!/usr/bin/env node
import process from "node:process";
// dist/main.js
/**
* The program. Whatever starts it by path starts this file's bundle; tests start cli/process.ts with times of their own. A signal that comes
* while the program is still being loaded, when nothing has begun, ends it with the status of every other interruption.
*/
/** EXIT.interrupted; its module comes with half of the program. */
const INTERRUPTED = 4;
const SIGNALS = [
	"SIGINT",
	"SIGTERM",
	"SIGHUP"
];
const end = () => process.exit(INTERRUPTED);
for (const signal of SIGNALS) process.on(signal, end);
const { runProcess } = await import("./cli/process.js");
const ended = runProcess();
for (const signal of SIGNALS) process.off(signal, end);
await ended;
export {};

//# sourceMappingURL=main.js.map