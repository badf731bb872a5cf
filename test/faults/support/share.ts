/** How much of the long tests is run: `FAULTS_SHARE`, a number over 0 and up to 1; all of it by default. */
const SHARE = readShare(process.env.FAULTS_SHARE);

function readShare(text: string | undefined): number {
  if (text === undefined || text === '') return 1;
  const share = Number(text);
  if (!(share > 0 && share <= 1))
    throw new Error(`FAULTS_SHARE is "${text}": expected a number over 0 and up to 1.`);
  return share;
}

/** How often something is done in this run of a long test that does it so often; at least once. */
export function shareOf(times: number): number {
  return Math.max(1, Math.round(times * SHARE));
}
