/** Where a server of this process listens. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorCode } from './errors.ts';
import { UsageError } from './usage-error.ts';

export type ListenAddress = {
  /** '': every address of this machine. */
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
};

const HIGHEST_PORT = 65_535;

/** Such as `127.0.0.1:9464` or `[::1]:9464`; `:9464` is every address of this machine. */
export function parseListenAddress(text: string): ListenAddress | null {
  const found = /^(?:\[([\da-f:.]+)\]|([\w.-]*)):(\d{1,5})$/i.exec(text);
  const port = Number(found?.[3]);
  return found === null || port > HIGHEST_PORT ? null : { host: found[1] ?? found[2] ?? '', port };
}

export function shownListenAddress({ host, port }: ListenAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** A UsageError where it can't; `flag`: with its usual value. */
export async function listenAt(
  server: Server,
  { host, port }: ListenAddress,
  flag: { readonly name: string; readonly usual: string },
): Promise<ListenAddress> {
  try {
    server.listen({ port, ...(host !== '' && { host }) });
    await once(server, 'listening');
  } catch (error) {
    const shown = shownListenAddress({ host, port });
    throw new UsageError(
      `${flag.name} ${shown}: can't listen there (${errorCode(error)}): ` +
        `expected an address of this machine and a free port, such as ${flag.usual}.`,
      { cause: error },
    );
  }
  const bound = server.address();
  return isAddress(bound) ? { host: bound.address, port: bound.port } : { host, port };
}

function isAddress(bound: AddressInfo | string | null): bound is AddressInfo {
  return typeof bound === 'object' && bound !== null;
}
