/**
 * Opens each connection for ioredis, its duplicates' too, and asks by hand for what ioredis goes on
 * without where a server refuses it: the database, for which it would write into database 0, and a
 * login that the server doesn't know of. ioredis gets a connection that has both, or a closed one,
 * which it replaces as after any outage: no command that waits is given up.
 */
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { TLSSocket, connect as tlsConnection } from 'node:tls';
import { AbstractConnector, Command, type RedisOptions, SentinelConnector } from 'ioredis';
import { z } from 'zod';
import type { RedisLogin } from '../../config/redis-address.ts';
import { errorOf } from '../../lib/errors.ts';
import { readSecret } from '../../lib/secret.ts';
import { UsageError } from '../../lib/usage-error.ts';

/** Only a person can change it. */
export type OnRefused = (error: Error) => void;

type Access = {
  readonly login: RedisLogin | null;
  readonly database: number;
  readonly onRefused: OnRefused | undefined;
};

type Stream = Awaited<ReturnType<AbstractConnector['connect']>>;
type Connector = Pick<AbstractConnector, 'firstError'>;

/** ioredis hands its own options over as `unknown`. */
const ownOptions = z.custom<RedisOptions>((value) => typeof value === 'object');

/** As ioredis has it. */
const DISCONNECT_MS = 2_000;

/** For the server that the options name. */
export function directConnector(access: Access) {
  return class extends AbstractConnector {
    readonly #options: RedisOptions;

    constructor(options: unknown) {
      super(DISCONNECT_MS);
      this.#options = ownOptions.parse(options);
    }

    connect(): Promise<Stream> {
      const { host, port, path, tls } = this.#options;
      const to = path ? { path } : { host, port: port ?? 0 };
      this.stream = tls === undefined ? createConnection(to) : tlsConnection({ ...to, ...tls });
      return admitted(this.stream, this, access);
    }
  };
}

/** For the master that Sentinels name. */
export function masterConnector(access: Access) {
  return class extends SentinelConnector {
    constructor(options: unknown) {
      super(ownOptions.parse(options));
    }

    override async connect(emit: Parameters<SentinelConnector['connect']>[0]): Promise<Stream> {
      return admitted(await super.connect(emit), this, access);
    }
  };
}

/** Never rejects: ioredis would not try again. */
async function admitted(stream: Stream, connector: Connector, access: Access): Promise<Stream> {
  try {
    await logIn(stream, access);
  } catch (error) {
    connector.firstError = errorOf(error);
    stream.destroy();
    if (error instanceof UsageError) access.onRefused?.(error);
  }
  return stream;
}

const LOGIN_MS = 5_000;
const CLOSED = 'Connection is closed.';

async function logIn(stream: Stream, { login, database }: Access): Promise<void> {
  const late = new Error(`no answer within ${LOGIN_MS / 1000} s`);
  stream.setTimeout(LOGIN_MS, () => stream.destroy(late));
  const closed = once(stream, 'close').then(() => Promise.reject(new Error(CLOSED)));
  const opened = once(stream, stream instanceof TLSSocket ? 'secureConnect' : 'connect');
  await Promise.race([opened, closed]);
  if (login !== null) {
    const user = login.user === null ? [] : [login.user];
    assertTaken(await answerTo(stream, 'AUTH', ...user, await passwordOf(login)));
  }
  // In any case: a server that wants a login says so here. Without the right to it there is only 0.
  const reply = await answerTo(stream, 'SELECT', String(database));
  if (reply.startsWith('-NOAUTH')) assertTaken(reply);
  if (database > 0) assertTaken(reply, `database ${database}: `);
  stream.setTimeout(0);
}

async function passwordOf(login: RedisLogin): Promise<string> {
  if ('password' in login) return login.password;
  const kind = { name: 'REDIS_PASSWORD', what: 'password' };
  const { text } = await readSecret({ kind: 'file', path: login.passwordFile }, kind);
  return text.replace(/\r?\n$/, '');
}

async function answerTo(stream: Stream, name: string, ...args: readonly string[]): Promise<string> {
  stream.write(new Command(name, [...args]).toWritable(stream));
  let reply = '';
  for await (const bytes of stream.iterator({ destroyOnReturn: false })) {
    reply += String(bytes);
    if (reply.endsWith('\r\n')) return reply.trimEnd();
  }
  throw new Error(CLOSED);
}

/** Other errors are over in a while: the server loads, is busy, or has too many clients. */
const FOR_GOOD = /^-(?:NOAUTH|WRONGPASS|NOPERM|DENIED|ERR(?! max number of clients)) /;

function assertTaken(reply: string, what = ''): void {
  if (FOR_GOOD.test(reply)) throw new UsageError(what + reply.slice(1));
  if (reply.startsWith('-')) throw new Error(reply.slice(1));
}
