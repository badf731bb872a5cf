/**
 * Hands events to an operator's command: the event on standard input, its subject in the
 * environment, no credentials of the service. After a minute the command is killed with its
 * children; its output goes nowhere.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { killGroup } from '../lib/kill-group.ts';
import { type Channel, eventBody, type NotifiedEvent } from './event.ts';

type CommandOptions = {
  /** For the shell. */
  readonly command: string;
  /** This process' own environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
};

const TIMEOUT_MS = 60_000;

export function openCommand(options: CommandOptions): Channel {
  return { name: 'command', tell: (event, stop) => run(event, options, stop) };
}

async function run(
  event: NotifiedEvent,
  { command, env, timeoutMs = TIMEOUT_MS }: CommandOptions,
  stop: AbortSignal,
): Promise<void> {
  // `detached`: a group of its own, so that its children end with it.
  const child = spawn('/bin/sh', ['-c', command], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: environmentFor(event, env),
  });
  const kill = () => killGroup(child.pid);
  const late = AbortSignal.any([AbortSignal.timeout(timeoutMs), stop]);
  late.addEventListener('abort', kill);
  process.once('exit', kill);
  // A command that reads nothing closes its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(`${eventBody(event)}\n`);
  try {
    const [status, signal]: readonly unknown[] = await once(child, 'exit');
    if (late.aborted) throw new Error(`it did not end within ${timeoutMs / 1000} s`);
    if (signal !== null) throw new Error(`it was ended by ${signal}`);
    if (status !== 0) throw new Error(`it ended with status ${status}`);
  } finally {
    late.removeEventListener('abort', kill);
    process.off('exit', kill);
  }
}

function environmentFor({ id, type, data }: NotifiedEvent, env: CommandOptions['env']) {
  const own = Object.entries(env).filter(([name]) => !/^(?:MSB_|REDIS_)/.test(name));
  return {
    ...Object.fromEntries(own),
    ONBOARD_EVENT: type,
    ONBOARD_EVENT_ID: id,
    ONBOARD_RUN: data.run ?? '',
  };
}
