/** A server's name or address, and its port. */
export type HostPort = { readonly host: string; readonly port: number };

/** An ACL user with its password; `user: null` is the server's default user. */
export type RedisLogin = { readonly user: string | null; readonly password: string };

/** Absolute paths of PEM files; `null`: the system's authorities, no certificate of our own. */
export type RedisTlsFiles = {
  readonly caFile: string | null;
  readonly certificate: { readonly certFile: string; readonly keyFile: string } | null;
};

type OverTcp = {
  /** For the servers that hold the data. */
  readonly login: RedisLogin | null;
  /** `null`: not encrypted. */
  readonly tls: RedisTlsFiles | null;
};

/** Where Redis listens, and what it takes to get in. */
export type RedisAddress =
  | {
      readonly kind: 'socket';
      readonly path: string;
      readonly login: RedisLogin | null;
      readonly database: number;
    }
  | (OverTcp & { readonly kind: 'server'; readonly server: HostPort; readonly database: number })
  | (OverTcp & {
      readonly kind: 'sentinel';
      readonly sentinels: readonly HostPort[];
      /** For the Sentinels themselves. */
      readonly sentinelLogin: RedisLogin | null;
      /** The name by which the Sentinels know the master. */
      readonly master: string;
      readonly database: number;
    })
  | (OverTcp & { readonly kind: 'cluster'; readonly nodes: readonly HostPort[] });

/** The address without its users and passwords. */
export function shownAddress(address: RedisAddress): string {
  const scheme = schemeOf(address);
  switch (address.kind) {
    case 'socket':
      return address.path;
    case 'server':
      return `${scheme}://${shownServers([address.server])}`;
    case 'sentinel':
      return `${scheme}+sentinel://${shownServers(address.sentinels)}/${address.master}`;
    case 'cluster':
      return `${scheme}+cluster://${shownServers(address.nodes)}`;
    default:
      return address satisfies never;
  }
}

function schemeOf(address: RedisAddress): 'redis' | 'rediss' {
  return address.kind !== 'socket' && address.tls !== null ? 'rediss' : 'redis';
}

function shownServers(servers: readonly HostPort[]): string {
  return servers.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join(',');
}
