// The built program with other times than the shipped ones (src/lib/times.ts): they come before its command line, as JSON.
import { runProcess } from '../../dist/faces/cli/process.js';

const [times] = process.argv.splice(2, 1);
await runProcess(JSON.parse(times));
