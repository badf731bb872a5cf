#!/usr/bin/env node
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { renderExpectations, renderReadme } from './samples/describe-samples.mjs';
import { ROW_MAKERS, writeLargeFile } from './samples/large-file.mjs';
import { makeSample, SAMPLES } from './samples/make-sample.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

const HELP = `Writes the files of samples/ and what is expected of them; or one large file.

  node scripts/make-samples.mjs [--root folder]
  node scripts/make-samples.mjs --operation counterparty.draft --rows 100000 --out big.csv

  --operation  ${Object.keys(ROW_MAKERS).join(' | ')} (subclient.create)
  --rows       how many records
  --out        the file; its ending chooses the format: .csv, .json, .ndjson
  --mistakes   the share of rows with a mistake, for example 2% (0%)
  --seed       another number gives other data (1)
  --keys       what the keys of a large file begin with (LARGE)
  --root       the folder that gets samples/ and test/samples/ (this checkout)
`;

const OPTIONS = {
  operation: { type: 'string', default: 'subclient.create' },
  rows: { type: 'string' },
  out: { type: 'string' },
  mistakes: { type: 'string', default: '0%' },
  seed: { type: 'string', default: '1' },
  keys: { type: 'string', default: 'LARGE' },
  root: { type: 'string', default: ROOT },
  help: { type: 'boolean', default: false },
};

try {
  await main(parseArgs({ options: OPTIONS }).values);
} catch (error) {
  process.stderr.write(`make-samples: ${error.message}\n`);
  process.exitCode = 3;
}

async function main(flags) {
  if (flags.help) process.stdout.write(HELP);
  else if (flags.rows === undefined && flags.out === undefined) writeSamples(flags.root);
  else await writeLargeFile(largeFileOptions(flags));
}

function writeSamples(root) {
  mkdirSync(join(root, 'samples'), { recursive: true });
  mkdirSync(join(root, 'test', 'samples'), { recursive: true });
  for (const sample of SAMPLES) writeFileSync(join(root, 'samples', sample.file), makeSample(sample));
  writeFileSync(join(root, 'samples', 'README.md'), renderReadme());
  writeFileSync(join(root, 'test', 'samples', 'expected.json'), renderExpectations());
}

function largeFileOptions({ operation, rows, out, mistakes, seed, keys }) {
  if (!Object.hasOwn(ROW_MAKERS, operation)) {
    throw new Error(`--operation ${operation}: expected one of ${Object.keys(ROW_MAKERS).join(', ')}`);
  }
  if (out === undefined) throw new Error('--out is missing: the file to write');
  const format = /\.(csv|json|ndjson)$/.exec(out)?.[1];
  if (format === undefined)
    throw new Error(`--out ${out}: expected a name that ends in .csv, .json or .ndjson`);
  return {
    operation,
    out,
    format,
    rows: wholeNumber('--rows', rows ?? '', 1),
    mistakes: share(mistakes),
    seed: wholeNumber('--seed', seed, 0),
    keys,
  };
}

function wholeNumber(flag, text, least) {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least) return number;
  throw new Error(`${flag} "${text}": expected a whole number from ${least}`);
}

function share(text) {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  if (percent !== undefined && Number(percent) <= 100) return Number(percent) / 100;
  throw new Error(`--mistakes "${text}": expected a percentage such as 2%`);
}
