// csv-parse alone: every row of the file as an object, counted. It checks nothing.
// Usage: csv-objects <file.csv>
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';

const [file = ''] = process.argv.slice(2);
let rows = 0;
for await (const _ of createReadStream(file).pipe(parse({ columns: true }))) rows += 1;
process.stdout.write(`${JSON.stringify({ rows })}\n`);
