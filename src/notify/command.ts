/**
 * Events handed to a command of the operator's: the event on its standard input, what it is about in its environment, and none of the
 * service's credentials. It has a minute, then it and all that it started are killed; what it prints goes nowhere.
 */
import { spawn } from 'node:child_process';
import { z } from 'zod';
import { errorCode } from '../lib/errors.ts';
import { killGroup } from '../lib/kill-group.ts';
import type { Channel, Message, Told } from './channel.ts';

export type CommandOptions = {
  /** For the shell. */
  readonly command: string;
  /** The process's own environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
  readonly pausesMs?: readonly number[];
};

const TIMEOUT_MS = 60_000;
const LEASE_MS = 90_000;
const PAUSES_MS: readonly number[] = [5_000, 300_000];

export function openCommand(options: CommandOptions): Channel {
  const { pausesMs = PAUSES_MS } = options;
  return { name: 'command', pausesMs, leaseMs: LEASE_MS, tell: (message) => run(message, options) };
}

const eventSchema = z.object({ type: z.string(), data: z.object({ run: z.string().optional() }) });

function environmentFor(
  { id, body }: Message,
  env: CommandOptions['env'],
): Record<string, string | undefined> {
  const { type, data } = eventSchema.parse(JSON.parse(body));
  const own = Object.entries(env).filter(([name]) => !/^(?:MSB_|REDIS_)/.test(name));
  return {
    ...Object.fromEntries(own),
    ONBOARD_EVENT: type.replace(/^onboard\./, ''),
    ONBOARD_EVENT_ID: id,
    ONBOARD_RUN: data.run ?? '',
  };
}

function run(message: Message, { command, env, timeoutMs = TIMEOUT_MS }: CommandOptions): Promise<Told> {
  return new Promise((resolve) => {
    // `detached`: a process group of its own, so that all it starts can be ended with it.
    const child = spawn('/bin/sh', ['-c', command], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      env: environmentFor(message, env),
    });
    const kill = () => killGroup(child.pid);
    const end = (told: Told) => {
      clearTimeout(timer);
      process.off('exit', kill);
      resolve(told);
    };
    const failed = (why: string) => end({ kind: 'failed', why, afterMs: null });
    const timer = setTimeout(() => {
      kill();
      failed(`it did not end within ${timeoutMs / 1000} s`);
    }, timeoutMs);
    process.once('exit', kill);
    child.once('error', (error) => failed(`it could not be started (${errorCode(error)})`));
    child.once('exit', (code, signal) => {
      if (code === 0) end({ kind: 'told' });
      else failed(signal === null ? `it ended with status ${code}` : `it was ended by ${signal}`);
    });
    // A command that reads nothing closes its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(`${message.body}\n`);
  });
}
