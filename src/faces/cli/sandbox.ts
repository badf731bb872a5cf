/** `onboard sandbox`: the stand-in service, until it is interrupted. */
import { once } from 'node:events';
import { type Io, say } from '../../lib/terminal.ts';
import { CALLS, callSpecOf } from '../../operations/operations.ts';
import { DEFAULT_TOKEN, FAULT_HELP, startSandbox } from '../../sandbox/sandbox.ts';
import { type AddCommand, collect, wholeNumber } from './command.ts';

type Flags = {
  readonly port: number;
  readonly fault?: readonly string[];
  readonly seed?: number;
  readonly dataFile?: string;
  readonly json?: boolean;
};

const DEFAULT_PORT = 4010;
const PORT_MAX = 65_535;

export const addSandboxCommand: AddCommand = (program, io, done) => {
  program
    .command('sandbox')
    .description('Start the stand-in service on 127.0.0.1, for rehearsals and tests')
    .option('--port <n>', 'port, 0 for any', wholeNumber(0, PORT_MAX), DEFAULT_PORT)
    .option('--fault <name=spec>', 'a fault on request, as below; may be repeated', collect)
    .option('--seed <n>', "of the faults' random shares", wholeNumber(0))
    .option('--data-file <file>', 'remember what was made in this file')
    .option('--json', 'print its address as JSON')
    .addHelpText('after', EXAMPLE)
    .action(async (flags: Flags) => done(await serve(flags, io)));
};

async function serve({ port, fault: faults = [], seed, dataFile, json }: Flags, io: Io): Promise<number> {
  const sandbox = await startSandbox({ port, faults, seed, dataFile, bodySchemas: bodySchemas() });
  const address = { url: sandbox.url, token: DEFAULT_TOKEN };
  const said = json === true ? JSON.stringify(address) : announcement(address);
  say(io, ...said.split('\n'));
  // Its starter may have gone.
  process.send?.(address, () => undefined);
  await untilEnd(io);
  await sandbox.close();
  return 0;
}

function bodySchemas() {
  return Object.fromEntries(
    CALLS.flatMap((call) => {
      const { body } = callSpecOf(call);
      return body === null ? [] : [[call, body()] as const];
    }),
  );
}

function announcement({ url, token }: { readonly url: string; readonly token: string }): string {
  return `The sandbox listens on ${url}; press Ctrl-C to end it. In another terminal:

  export MSB_BASE_URL=${url} MSB_TOKEN=${token}
  onboard run subclients-create portfolio.csv

What was really made: ${url}/sandbox/stats`;
}

/** As a child of `run --sandbox` the stand-in ends with its parent, however that ends. */
async function untilEnd(io: Io): Promise<void> {
  const isChild = process.send !== undefined;
  if (io.interrupted.aborted || (isChild && !process.connected)) return;
  await Promise.race([once(io.interrupted, 'abort'), ...(isChild ? [once(process, 'disconnect')] : [])]);
}

const EXAMPLE = `
${FAULT_HELP}

What it doesn't know it plays: each request but a GET to a path below /v1, /v2 … makes a record, with its id at /id.

Example:
  onboard sandbox --fault latency=50ms --fault 503-retry-after=5% --fault reset-after-create=every:50`;
