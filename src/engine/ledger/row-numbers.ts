/** Row numbers in a run's record: the step from each to the next, deflated, base64. */
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';

const deflated = promisify(deflateRaw);
const inflated = promisify(inflateRaw);

/** Neighbours cost almost nothing. */
export async function packRowNumbers(rows: readonly number[]): Promise<string> {
  const steps = rows.map((row, i) => row - (rows[i - 1] ?? 0));
  return (await deflated(steps.join(' '))).toString('base64');
}

export async function unpackRowNumbers(text: string): Promise<number[]> {
  const steps = (await inflated(Buffer.from(text, 'base64'))).toString('utf8');
  let row = 0;
  return steps.split(' ').map((step) => {
    row += Number(step);
    return row;
  });
}
