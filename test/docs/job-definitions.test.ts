import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { type JobDefinition, pathColumnsOf } from '../../src/config/job-definition.ts';
import { loadJobFile } from '../../src/config/load-job.ts';
import { mappingFor } from '../../src/delivery/run-mapping.ts';
import { nextTime } from '../../src/queue/schedule-times.ts';
import { ROOT, textOf } from '../house/source-files.ts';
import { sourceOf } from '../mapping/catalog.ts';
import { blocksIn, proseOf } from './blocks.ts';
import { listSettings, renderSettings } from './settings-table.ts';

const PATH = 'docs/job-definitions.md';
const START = '<!-- settings: made by npx vitest run test/docs -u -->';
const END = '<!-- end of settings -->';

const DOCUMENT = textOf(PATH);
const [BEFORE = '', REST = ''] = DOCUMENT.split(START);
const [, AFTER = ''] = REST.split(END);
const PROSE = proseOf(BEFORE + AFTER);
const SETTINGS = listSettings();
const EXAMPLES = blocksIn(DOCUMENT, 'yaml');

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'onboard-docs-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The times of a schedule that are between two moments, by the wall clock of its zone. */
function timesBetween(cron: string, timezone: string, from: string, until: string): readonly string[] {
  const clock = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'short',
  });
  const times: string[] = [];
  let at = nextTime({ cron, timezone }, new Date(from));
  for (; at !== null && at < new Date(until); at = nextTime({ cron, timezone }, at))
    times.push(clock.format(at));
  return times;
}

test.each([
  ['0 */24 * * *', 'America/Santiago', '2026-09-05T12Z', '2026-09-07T12Z', ['2026-09-07 00:00']],
  [
    '0 0 * * *',
    'America/Santiago',
    '2026-09-05T12Z',
    '2026-09-07T12Z',
    ['2026-09-06 01:00', '2026-09-07 00:00'],
  ],
  [
    '0 */2 * * *',
    'Australia/Lord_Howe',
    '2026-10-03T13Z',
    '2026-10-03T18Z',
    ['2026-10-04 00:00', '2026-10-04 04:00'],
  ],
  ['0 2 * * *', 'Australia/Lord_Howe', '2026-10-03T13Z', '2026-10-03T18Z', ['2026-10-04 02:30']],
])(
  'the hours of %s in %s are as the page says, in the night in which clocks skip one',
  (cron, zone, from, until, times) => {
    expect(PROSE).toContain(`\`${cron}\``);
    expect(PROSE).toContain(`\`${zone}\``);
    expect(timesBetween(cron, zone, from.replace('Z', ':00Z'), until.replace('Z', ':00Z'))).toEqual(times);
  },
);

describe('the reference of job definitions', () => {
  test('has the table that the schema gives: npx vitest run test/docs -u writes it anew', async () => {
    const table = `${START}\n\n${renderSettings(SETTINGS)}\n\n${END}`;
    await expect(BEFORE + table + AFTER).toMatchFileSnapshot(join(ROOT, PATH));
  });

  test('has a description of every setting', () => {
    expect(SETTINGS.length).toBeGreaterThan(50);
    expect(SETTINGS.filter(({ description }) => description === '')).toEqual([]);
  });

  test.each(SETTINGS)('explains $path, with the default that the schema has', (setting) => {
    expect(PROSE).toContain(mentionOf(setting));
  });

  test('shows every setting in an example', () => {
    const shown = new Set(EXAMPLES.flatMap(({ text }) => pathsIn(parse(text))));
    expect(SETTINGS.filter(({ path }) => !shown.has(path)).map(({ path }) => path)).toEqual([]);
  });

  test('names no setting that there is not', () => {
    const known = new Set(SETTINGS.map(({ path }) => path));
    const named = [...PROSE.matchAll(/`([A-Za-z]+(?:\.(?:\*|[A-Za-z_]+))*)` \((?:default|required)/g)];
    expect(named.map(([, path = '']) => path).filter((path) => !known.has(path))).toEqual([]);
  });
});

describe('the examples of the reference of job definitions', () => {
  test.each(EXAMPLES)('the one on line $line is loaded, and its fields are there', async ({ text, line }) => {
    const file = join(folder, `line-${line}.yaml`);
    writeFileSync(file, completed(text));
    const { definition } = await loadJobFile(file);
    expect(() => mappingFor(definition, sourceOf('csv', columnsOf(definition)))).not.toThrow();
  });
});

function mentionOf({ path, isRequired, default: value }: (typeof SETTINGS)[number]): string {
  if (isRequired) return `\`${path}\` (required)`;
  return value === null ? `\`${path}\`` : `\`${path}\` (default \`${value}\`)`;
}

/** A block that begins with `# excerpt` lacks what it isn't about. */
function completed(text: string): string {
  const isExcerpt = text.startsWith('# excerpt');
  return isExcerpt && !/^operation:/m.test(text) ? `${text}operation: subclient.create\n` : text;
}

/** Every column that a definition can't do without. */
function columnsOf(definition: JobDefinition): readonly string[] {
  const { fields, key, required } = definition;
  const named = Object.values(fields).flatMap((source) => {
    if (typeof source === 'string') return [source];
    return 'column' in source ? [source.column] : [];
  });
  const own = required.filter((field) => fields[field] === undefined);
  return [...new Set([...named, ...own, ...pathColumnsOf(definition), ...(key === undefined ? [] : [key])])];
}

const settingsSchema = z.record(z.string(), z.unknown());

/** The paths of the settings of a definition as the reference lists them. */
function pathsIn(value: unknown, prefix = ''): readonly string[] {
  const settings = settingsSchema.safeParse(value);
  if (!settings.success) return [];
  return Object.entries(settings.data).flatMap(([name, member]) => {
    const path = `${prefix}${prefix === 'fields.' ? '*' : name}`;
    return [path, ...pathsIn(member, `${path}.`)];
  });
}
