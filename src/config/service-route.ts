/**
 * The variables for the way to the service: certificates, and the proxy between. No message holds a
 * part of a proxy's address: it can be a password.
 */
import { z } from 'zod';
import { isLoopback } from '../lib/machine.ts';
import { type TlsFiles, tlsFilesOf } from '../lib/tls-files.ts';

/** `login`: what its `Proxy-Authorization` says. */
export type ProxyServer = { readonly origin: string; readonly login: string | null };

export type RouteSettings = {
  readonly tls: TlsFiles;
  /** `null`: none for any address. */
  readonly proxy: ProxyServer | null;
  /** Hosts that are reached without it, as `NO_PROXY` has them. */
  readonly direct: string;
};

const proxy = z
  .string()
  .refine(
    (text) => parseProxy(text) !== null,
    'expected an http or https address such as ' +
      'http://proxy.example.com:3128, with user:password@ ' +
      '(percent-encoded) where the proxy asks for a login',
  )
  .optional();

/** Small letters come first, as curl and undici have it. */
export const routeVariables = {
  MSB_TLS_CA_FILE: z.string().optional(),
  MSB_TLS_CERT_FILE: z.string().optional(),
  MSB_TLS_KEY_FILE: z.string().optional(),
  https_proxy: proxy,
  HTTPS_PROXY: proxy,
  http_proxy: proxy,
  HTTP_PROXY: proxy,
  no_proxy: z.string().optional(),
  NO_PROXY: z.string().optional(),
} as const;

type Name = keyof typeof routeVariables;

export function routeConflicts(env: Readonly<Partial<Record<Name, string | undefined>>>): readonly string[] {
  if (Boolean(env.MSB_TLS_CERT_FILE) === Boolean(env.MSB_TLS_KEY_FILE)) return [];
  return ['MSB_TLS_CERT_FILE and MSB_TLS_KEY_FILE: expected both or neither to be set'];
}

/** `HTTP_PROXY` counts where there is no other, as undici has it. */
export function routeSettingsOf(values: { readonly [name in Name]?: string | undefined }): RouteSettings {
  const { MSB_TLS_CA_FILE: ca, MSB_TLS_CERT_FILE: cert, MSB_TLS_KEY_FILE: key } = values;
  const https = values.https_proxy ?? values.HTTPS_PROXY;
  return {
    tls: tlsFilesOf(ca, cert, key),
    proxy: parseProxy(https ?? values.http_proxy ?? values.HTTP_PROXY ?? ''),
    direct: values.no_proxy ?? values.NO_PROXY ?? '',
  };
}

/** `null`: it is no proxy's address. */
function parseProxy(text: string): ProxyServer | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== '/') return null;
  if (url.search !== '' || url.hash !== '') return null;
  if (url.username === '' && url.password === '') return { origin: url.origin, login: null };
  try {
    const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    return { origin: url.origin, login: `Basic ${Buffer.from(login).toString('base64')}` };
  } catch {
    return null;
  }
}

/** Through which proxy an address is reached; this machine itself never by one. */
export function proxyFor(origin: string, { proxy, direct }: RouteSettings): ProxyServer | null {
  const { hostname, port } = new URL(origin);
  if (isLoopback(hostname)) return null;
  const isDirect = direct.split(/[\s,]+/).some((entry) => {
    const [, name = '', only = ''] = /^(?:\*?\.)?(.+?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (entry === '*') return true;
    if (only !== '' && only !== (port || '443')) return false;
    return name !== '' && (hostname === name || hostname.endsWith(`.${name}`));
  });
  return isDirect ? null : proxy;
}
