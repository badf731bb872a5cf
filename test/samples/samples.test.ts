import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { jobDefinitionSchema } from '../../src/config/job-definition.ts';
import { OPERATIONS } from '../../src/operations/operations.ts';
import { filesBelow, ROOT, textOf } from '../house/source-files.ts';
import { ownFolder } from '../support/folder.ts';
import expected from './expected.json' with { type: 'json' };

const SAMPLE_FILES = filesBelow('samples').filter((file) => file !== 'README.md');
const JOBS = filesBelow('jobs')
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => ({ file, parsed: jobDefinitionSchema.safeParse(parse(textOf(`jobs/${file}`))) }));

describe('the samples', () => {
  test('all have their expectation, and every expectation its file', () => {
    expect(expected.map(({ file }) => file).toSorted()).toEqual(SAMPLE_FILES);
  });

  test('end as their page says: it has the same files, jobs, outcomes and exit statuses', () => {
    expect(textOf('samples/README.md').match(/^\| `[\w.-]+` \| .*\|$/gm)).toEqual(expected.map(lineOf));
  });
});

function lineOf({ file, job, before, exitCode, outcomes }: (typeof expected)[number]): string {
  const counts = Object.entries(outcomes ?? {});
  const rows = outcomes === null ? '' : counts.reduce((sum, [, count]) => sum + count, 0);
  const words = counts.map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  const what = outcomes === null ? 'refused: nothing is sent' : words;
  return `| \`${file}\` | ${job} | ${before.map((name) => `\`${name}\``).join(', ')} | ${rows} | ${exitCode} | ${what} |`;
}

describe('the shipped jobs', () => {
  test('cover every operation', () => {
    const covered = JOBS.map(({ parsed }) => parsed.data?.operation);
    expect(OPERATIONS.filter((operation) => !covered.includes(operation))).toEqual([]);
  });

  test('have the key that the documents name', () => {
    const keyOf = (file: string) => JOBS.find((job) => job.file === `${file}.yaml`)?.parsed.data?.key;
    const subclients = ['subclients-create', 'subclients-upsert', 'counterparty-drafts'].map(keyOf);
    expect(subclients).toEqual(['externalId', 'externalId', 'externalId']);
    expect([keyOf('subclients-update'), keyOf('payment-documents')]).toEqual(['id', 'paymentId']);
  });
});

test.each(['subclient.create', 'counterparty.draft'])('a large %s has a line per row', async (operation) => {
  const out = join(await ownFolder(), 'large.csv');
  const args = ['--operation', operation, '--rows', '250', '--out', out];
  const { status } = spawnSync(process.execPath, [join(ROOT, 'scripts', 'large-file.mjs'), ...args]);
  expect(status).toBe(0);
  expect(readFileSync(out, 'utf8').trimEnd().split('\n')).toHaveLength(251);
});
