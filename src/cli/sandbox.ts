/** `onboard sandbox`: the stand-in service, until it is interrupted. */
import { once } from 'node:events';
import { type Io, say } from '../lib/terminal.ts';
import { type SandboxFlags, sandboxOptionsFromFlags } from '../sandbox/flags.ts';
import { DEFAULT_TOKEN } from '../sandbox/options.ts';
import { startSandbox } from '../sandbox/sandbox.ts';
import { bodySchemaOf } from '../service/operations.ts';
import { type AddCommand, collect } from './command.ts';

type Flags = Omit<SandboxFlags, 'faults'> & { readonly fault: readonly string[]; readonly json?: boolean };

const DEFAULT_PORT = '4010';

export const addSandboxCommand: AddCommand = (program, io, done) => {
  program
    .command('sandbox')
    .description('Start the stand-in service on 127.0.0.1, for rehearsals and tests')
    .option('--port <n>', 'port, 0 for any', DEFAULT_PORT)
    .option(
      '--fault <name=spec>',
      'a fault on request, e.g. 503=5% or reset-after-create=every:7; may be repeated',
      collect,
      [],
    )
    .option('--latency <time>', 'answer after this time, e.g. 50ms')
    .option('--tokens <list>', 'the bearer tokens it accepts, separated by commas', DEFAULT_TOKEN)
    .option('--permissions <list>', 'what tokens may do; default: all')
    .option('--token-ttl <seconds>', "a token's life from its first use")
    .option('--token-requests <n>', 'a token ends after so many requests')
    .option('--seed <n>', "of the faults' random shares")
    .option('--keep-alive <seconds>', 'how long an idle connection stays open')
    .option('--data-file <file>', 'remember what was made in this file')
    .option('--record-requests <n>', 'keep the last n requests for GET /sandbox/requests')
    .option('--any', 'accept unknown requests too: each but a GET creates something, with its id at /id')
    .option('--json', 'print its address as JSON')
    .addHelpText('after', EXAMPLE)
    .action(async (flags: Flags) => done(await serve(flags, io)));
};

async function serve(flags: Flags, io: Io): Promise<number> {
  const options = sandboxOptionsFromFlags({ ...flags, faults: flags.fault });
  const sandbox = await startSandbox({ ...options, bodySchemas: bodySchemas() });
  const token = options.tokens?.[0] ?? DEFAULT_TOKEN;
  const said =
    flags.json === true ? JSON.stringify({ url: sandbox.url, token }) : announcement(sandbox.url, token);
  say(io, ...said.split('\n'));
  process.send?.({ url: sandbox.url, token });
  await untilEnd(io);
  await sandbox.close();
  return 0;
}

function bodySchemas() {
  const calls = ['subclient.create', 'subclient.update', 'counterparty.draft'] as const;
  return Object.fromEntries(
    calls.flatMap((call) => {
      const schema = bodySchemaOf(call);
      return schema === null ? [] : [[call, schema] as const];
    }),
  );
}

function announcement(url: string, token: string): string {
  return `The sandbox listens on ${url}; press Ctrl-C to end it. In another terminal:

  export MSB_BASE_URL=${url} MSB_TOKEN=${token}
  onboard run subclients-create portfolio.csv

What was really made: ${url}/sandbox/stats`;
}

/** As a child of `run --sandbox` the stand-in ends with its parent, however that ends. */
async function untilEnd(io: Io): Promise<void> {
  const ended = process.connected ? [once(process, 'disconnect')] : [];
  if (!io.interrupted.aborted) await Promise.race([once(io.interrupted, 'abort'), ...ended]);
}

const EXAMPLE = `
Example:
  onboard sandbox --latency 50ms --fault 503-retry-after=5% --fault reset-after-create=every:50`;
