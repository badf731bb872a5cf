/**
 * Hands events to an operator's command: the event on standard input, its subject in the
 * environment, no credentials of the service. After a minute the command is killed with its
 * children; its output goes nowhere.
 */
import { runShell } from '../lib/shell-command.ts';
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
  const ended = await runShell(command, {
    env: environmentFor(event, env),
    input: `${eventBody(event)}\n`,
    timeoutMs,
    stop,
  });
  if ('problem' in ended) throw new Error(`it ${ended.problem}`);
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
