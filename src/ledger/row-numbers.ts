import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';

const deflated = promisify(deflateRaw);
const inflated = promisify(inflateRaw);

/** Row numbers in ascending order as text: the step to each from the one before, deflated, base64. A run of neighbours is next to nothing. */
export async function packRowNumbers(rows: readonly number[]): Promise<string> {
  const steps = rows.map((row, i) => row - (rows[i - 1] ?? 0));
  return (await deflated(steps.join(' '))).toString('base64');
}

/** What `packRowNumbers` was given. */
export async function unpackRowNumbers(text: string): Promise<number[]> {
  const steps = (await inflated(Buffer.from(text, 'base64'))).toString('utf8');
  let row = 0;
  return steps.split(' ').map((step) => {
    row += Number(step);
    return row;
  });
}
