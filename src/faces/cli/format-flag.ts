/**
 * The flag `--format` of commands that read a file before there is a job definition; each setting
 * is judged as a definition's own.
 */
import { z } from 'zod';
import { type Format, formatSchema } from '../../config/job-definition.ts';
import { jobProblems } from '../../config/job-problems.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { collect } from './command.ts';

export const FORMAT = [
  '--format <setting=value>',
  'how the file is read, as in a job definition: header=3, delimiter=";", encoding=windows-1252; may be repeated',
  collect,
] as const;

export const ENCODING = ['--encoding <name>', 'the same as --format encoding=NAME'] as const;

type GivenFormat = {
  readonly format: Format;
  /** Without the defaults of what was not typed. */
  readonly given: Partial<Format>;
};

const definitionSchema = z.object({ format: formatSchema });

export function readFormat(typed: readonly string[] = [], encoding?: string): GivenFormat {
  const named = encoding === undefined ? {} : { encoding };
  const settings = { ...Object.fromEntries(typed.map(settingIn)), ...named };
  const parsed = definitionSchema.safeParse({ format: settings });
  if (!parsed.success) {
    const problems = jobProblems(parsed.error.issues, { format: settings });
    throw new UsageError(problems.map(({ path, words }) => `--format ${String(path.at(-1))}: ${words()}`));
  }
  const { format } = parsed.data;
  const given = Object.entries(format).filter(([name]) => name in settings);
  return { format, given: Object.fromEntries(given) };
}

function settingIn(typed: string): readonly [name: string, value: string | number | boolean] {
  const at = typed.indexOf('=');
  if (at < 1) throw new UsageError(`--format ${typed}: expected a setting and its value, such as header=3`);
  const name = typed.slice(0, at);
  const text = typed.slice(at + 1);
  if (name === 'header' && /^\d{1,9}$/.test(text)) return [name, Number(text)];
  if (name === 'trim' && /^(true|false)$/.test(text)) return [name, text === 'true'];
  return [name, text];
}

export const SPELLING = 'Without a job definition, format.SETTING is given as --format SETTING=VALUE.';
