import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatSchema } from '../../../src/config/job-definition.ts';
import { readChunks } from '../../../src/readers/intake/chunks.ts';
import { surveyFile } from '../../../src/readers/intake/survey.ts';
import { onboard } from '../../faces/cli/memory-io.ts';
import { ownFolder } from '../../support/folder.ts';

const CSV = 'Ref,Name\nA1,Foo\nA2,Bar\n';
const ENCODED = Buffer.from(CSV).toString('base64');

const job = (decrypt: string) =>
  `operation: subclient.create\nkey: Ref\nfields: { details.name: Name }\ndecrypt: ${JSON.stringify(decrypt)}\n`;

async function given(decrypt: string, content: string = ENCODED) {
  const folder = await ownFolder({ 'job.yaml': job(decrypt), 'portfolio.csv.pgp': content });
  const path = join(folder, 'portfolio.csv.pgp');
  const format = { ...formatSchema.parse({}), decrypt };
  const check = () =>
    onboard(['check', '--job-file', join(folder, 'job.yaml'), path, '--json', '--sandbox'], {
      ONBOARD_HOME: join(folder, 'home'),
    });
  return { path, format, check };
}

test('a job reads the output of its command, which gets the file without its name', async () => {
  const { check } = await given('test $# = 0 && base64 -d');
  const { exitCode, stdout } = await check();
  expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { sendable: 2 }]);
});

test.each([
  ['exit 1', ENCODED, 'ended with status 1'],
  ['base64 -d; exit 2', ENCODED, 'ended with status 2'],
  ['cat', '-----BEGIN PGP MESSAGE-----\n', 'is encrypted or signed'],
  ['cat', 'PK\u0003\u0004', 'holds a zip archive or an Excel workbook'],
])('nothing is read where the command is %s', async (command, content, problem) => {
  const { check } = await given(command, content);
  const { exitCode, stderr } = await check();
  expect(exitCode).toBe(3);
  expect(stderr).toContain(problem);
});

test("a report's own file is in clear, and read as it is", async () => {
  const failed = 'Ref,Name,onboard_run,onboard_row\nA1,Foo,r,1\n';
  const { path, format } = await given('exit 1', failed);
  expect(await surveyFile(path, format)).toMatchObject({ rows: 1, source: { headerLine: 1 } });
});

test('another output at the second reading is no file to go on with', async () => {
  const same = await given('base64 -d');
  const facts = await surveyFile(same.path, same.format);
  const rows = async (format: typeof same.format) => {
    let count = 0;
    for await (const chunk of readChunks(same.path, facts.source, format)) count += chunk.rows.length;
    return count;
  };
  expect(await rows(same.format)).toBe(2);
  await expect(rows({ ...same.format, decrypt: 'base64 -d; echo A3,Baz' })).rejects.toThrow(
    'gave something else',
  );
});

test('a file that is encrypted names the setting', async () => {
  const { path } = await given('cat', '-----BEGIN PGP MESSAGE-----\n');
  await expect(surveyFile(path, formatSchema.parse({}))).rejects.toThrow('set `decrypt`');
});
