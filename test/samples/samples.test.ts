import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { jobDefinitionSchema } from '../../src/config/job-definition.ts';
import { OPERATIONS } from '../../src/model/operation.ts';
import { filesBelow, ROOT, textOf } from '../house/source-files.ts';
import expected from './expected.json' with { type: 'json' };

const MAKE_SAMPLES = join(ROOT, 'scripts', 'make-samples.mjs');
const SAMPLE_FILES = filesBelow('samples').filter((file) => file !== 'README.md');
const JOB_FILES = filesBelow('jobs').filter((file) => file.endsWith('.yaml'));

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'onboard-samples-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function makeSamples(...flags: readonly string[]): {
  readonly status: number | null;
  readonly stderr: string;
} {
  const { status, stderr } = spawnSync(process.execPath, [MAKE_SAMPLES, ...flags], { encoding: 'utf8' });
  return { status, stderr };
}

describe('the samples', () => {
  test('are what the script makes, byte for byte', () => {
    expect(makeSamples('--root', folder)).toEqual({ status: 0, stderr: '' });
    const written = [...filesBelow('samples').map((file) => `samples/${file}`), 'test/samples/expected.json'];
    const different = written.filter(
      (file) => !readFileSync(join(folder, file)).equals(readFileSync(join(ROOT, file))),
    );
    expect(different).toEqual([]);
  });

  test('all have their expectation, and every expectation its file', () => {
    expect(expected.map(({ file }) => file).toSorted()).toEqual(SAMPLE_FILES);
  });
});

describe('the shipped jobs', () => {
  test.each(JOB_FILES)('%s is a valid job definition', (file) => {
    expect(jobDefinitionSchema.safeParse(parse(textOf(`jobs/${file}`))).error).toBeUndefined();
  });

  test('cover every operation', () => {
    const covered = JOB_FILES.map(
      (file) => jobDefinitionSchema.parse(parse(textOf(`jobs/${file}`))).operation,
    );
    expect(OPERATIONS.filter((operation) => !covered.includes(operation))).toEqual([]);
  });

  test.each([
    ['subclients-create', 'externalId'],
    ['subclients-update', 'id'],
    ['subclients-upsert', 'externalId'],
    ['counterparty-drafts', 'externalId'],
    ['payment-documents', 'paymentId'],
  ])('%s has the key %s', (job, key) => {
    expect(jobDefinitionSchema.parse(parse(textOf(`jobs/${job}.yaml`))).key).toBe(key);
  });
});

describe('a large file', () => {
  test.each(OPERATIONS)('of %s has a header and one line per row', (operation) => {
    const out = join(folder, `${operation}.csv`);
    expect(makeSamples('--operation', operation, '--rows', '250', '--out', out).status).toBe(0);
    expect(readFileSync(out, 'utf8').trimEnd().split('\n')).toHaveLength(251);
  });
});
