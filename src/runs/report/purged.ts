/**
 * What a purge leaves of a run's report: its numbers, without keys, its file's name and what the
 * service said.
 */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { insteadOf } from '../../lib/errors.ts';
import { PURGED_FILE, type Purged } from '../../model/run.ts';
import { ownWords } from './causes.ts';
import { digestSchema } from './digest.ts';
import { DIGEST_FILE, replaceFile, SUMMARY_FILE } from './files.ts';
import { readSummary } from './report.ts';

/** All else in the folder goes, and what can't be read. */
export async function purgeReport(directory: string, purged: Purged): Promise<void> {
  const names = await readdir(directory).catch(insteadOf('ENOENT', []));
  const summary = await readSummary(directory);
  const text = await readFile(join(directory, DIGEST_FILE), 'utf8').catch(insteadOf('ENOENT', ''));
  const { data: digest } = digestSchema.safeParse(text === '' ? null : JSON.parse(text));
  const kept: string[] = [];
  if (summary !== null) kept.push(SUMMARY_FILE);
  if (digest !== undefined) kept.push(DIGEST_FILE);
  const put = (name: string, value: object) =>
    kept.includes(name) && replaceFile(directory, name, `${JSON.stringify(value, null, 2)}\n`);
  const keyless = <Row extends object>(row: Row) => ({ ...row, key: '' });
  const causes = digest?.causes.map((cause) => {
    return { ...cause, ...ownWords(cause), examples: cause.examples.map(keyless) };
  });
  const needing = digest?.needing.map((row) => {
    return { ...keyless(row), ...(row.quoted && { why: '' }) };
  });
  await put(DIGEST_FILE, { ...digest, causes, needing });
  const files = kept.filter((name) => name === DIGEST_FILE);
  const told = summary?.causes.map((cause) => ({ ...cause, text: ownWords({ ...cause, words: '' }).text }));
  const gone = { file: PURGED_FILE, causes: told, kept: [], written: [] };
  await put(SUMMARY_FILE, { ...summary, ...gone, purged, files });
  // Last: a folder with these two alone counts as done.
  for (const name of names.filter((one) => !kept.includes(one))) {
    await rm(join(directory, name), { recursive: true, force: true });
  }
}
