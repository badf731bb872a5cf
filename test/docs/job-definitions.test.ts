import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { type JobDefinition, pathColumnsOf } from '../../src/config/job-definition.ts';
import { loadJobFile } from '../../src/config/load-job.ts';
import { mappingFor } from '../../src/delivery/run-mapping.ts';
import { ROOT, textOf } from '../house/source-files.ts';
import { sourceOf } from '../readers/mapping/catalog.ts';
import { ownFile } from '../support/folder.ts';
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

test.each(EXAMPLES)('the example on line $line loads, and its fields are there', async ({ text, line }) => {
  const { definition } = await loadJobFile(await ownFile(completed(text), `line-${line}.yaml`));
  expect(() => mappingFor(definition, sourceOf('csv', columnsOf(definition)))).not.toThrow();
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
    return 'value' in source
      ? Object.keys(source.when ?? {})
      : [source.column ?? [], source.columns ?? []].flat();
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
    const path = `${prefix}${['fields.', 'rules.'].includes(prefix) ? '*' : name}`;
    return [path, ...pathsIn(member, `${path}.`)];
  });
}
