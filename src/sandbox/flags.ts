/** The sandbox's settings from its command line; every flag that can't be read is listed at once. */
import { didYouMean } from '../lib/did-you-mean.ts';
import { UsageError } from '../lib/usage-error.ts';
import { parseFault } from './fault-rules.ts';
import { PERMISSIONS, type Permission, type SandboxOptions } from './options.ts';

/** The flags of the command line; all but `faults` are the text of one flag. */
export type SandboxFlags = {
  readonly port?: string | undefined;
  /** A fault spec per flag. */
  readonly faults?: readonly string[] | undefined;
  /** `50ms` or `50ms±20ms`: short for the fault `latency=…`. */
  readonly latency?: string | undefined;
  /** Names with commas between. */
  readonly tokens?: string | undefined;
  /** Names with commas between; an empty text for none. */
  readonly permissions?: string | undefined;
  readonly seed?: string | undefined;
  readonly dataFile?: string | undefined;
  /** Seconds. */
  readonly tokenTtl?: string | undefined;
  readonly tokenRequests?: string | undefined;
  /** Seconds. */
  readonly keepAlive?: string | undefined;
  readonly recordRequests?: string | undefined;
  /** Plays requests that it doesn't know. */
  readonly any?: boolean | undefined;
};

/** The options that the flags spell; throws a UsageError that lists every flag that can't be read. */
export function sandboxOptionsFromFlags(flags: SandboxFlags): SandboxOptions {
  const problems: string[] = [];
  const keepAlive = numberFlag(problems, '--keep-alive', flags.keepAlive, SECONDS);
  const options: SandboxOptions = {
    port: numberFlag(problems, '--port', flags.port, PORT),
    tokens: tokensFlag(problems, flags.tokens),
    tokenTtlSeconds: numberFlag(problems, '--token-ttl', flags.tokenTtl, SECONDS),
    tokenRequests: numberFlag(problems, '--token-requests', flags.tokenRequests, COUNT),
    permissions: permissionsFlag(problems, flags.permissions),
    faults: faultsFlag(problems, flags),
    seed: numberFlag(problems, '--seed', flags.seed, COUNT),
    keepAliveMs: keepAlive === undefined ? undefined : keepAlive * 1000,
    dataFile: flags.dataFile,
    recordRequests: numberFlag(problems, '--record-requests', flags.recordRequests, COUNT),
    playAny: flags.any,
  };
  if (problems.length > 0) throw new UsageError(problems);
  return options;
}

type NumberForm = { readonly form: RegExp; readonly max: number; readonly expected: string };

const PORT: NumberForm = {
  form: /^\d{1,5}$/,
  max: 65_535,
  expected: 'a port from 1 to 65535, or 0 for any free one',
};
const SECONDS: NumberForm = {
  form: /^\d{1,6}(\.\d+)?$/,
  max: 86_400,
  expected: 'seconds up to 86400, for example 65',
};
const COUNT: NumberForm = { form: /^\d{1,9}$/, max: 1_000_000_000, expected: 'a whole number from 0' };

function numberFlag(problems: string[], flag: string, text: string | undefined, form: NumberForm) {
  if (text === undefined) return undefined;
  if (form.form.test(text) && Number(text) <= form.max) return Number(text);
  problems.push(`${flag} "${text}": expected ${form.expected}.`);
  return undefined;
}

function tokensFlag(problems: string[], text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const tokens = namesOf(text);
  if (tokens.length === 0)
    problems.push('--tokens is empty: expected one or more tokens, separated by commas.');
  return tokens;
}

function permissionsFlag(problems: string[], text: string | undefined): readonly Permission[] | undefined {
  if (text === undefined) return undefined;
  const names = namesOf(text);
  for (const name of names) {
    if (PERMISSIONS.some((permission) => permission === name)) continue;
    problems.push(
      `--permissions "${name}": expected one of ${PERMISSIONS.join(', ')}.${didYouMean(name, PERMISSIONS)}`,
    );
  }
  return PERMISSIONS.filter((permission) => names.includes(permission));
}

function faultsFlag(problems: string[], flags: SandboxFlags): readonly string[] {
  const latency = flags.latency === undefined ? [] : [`latency=${flags.latency}`];
  const specs = [...latency, ...(flags.faults ?? [])];
  for (const spec of specs) {
    try {
      parseFault(spec);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(...error.problems);
    }
  }
  return specs;
}

function namesOf(text: string): string[] {
  return text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
}
