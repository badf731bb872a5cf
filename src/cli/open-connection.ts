import { connect as connectPlain, isIP } from 'node:net';
import { connect as connectEncrypted } from 'node:tls';

const TIMEOUT_MS = 5_000;

export type Endpoint = { readonly host: string; readonly port: number; readonly isEncrypted: boolean };

/** Opens a TCP connection, with TLS where it is to be encrypted, and closes it; throws what Node says where it can't. */
export function openConnection({ host, port, isEncrypted }: Endpoint): Promise<void> {
  return new Promise((resolve, reject) => {
    // A name of the server is for names only (RFC 6066, section 3).
    const named = isIP(host) === 0 ? { servername: host } : {};
    const socket = isEncrypted ? connectEncrypted({ host, port, ...named }) : connectPlain({ host, port });
    const end = (settle: () => void) => {
      clearTimeout(timer);
      socket.destroy();
      settle();
    };
    const late = Object.assign(new Error('no connection in time'), { code: 'UND_ERR_CONNECT_TIMEOUT' });
    const timer = setTimeout(() => end(() => reject(late)), TIMEOUT_MS);
    socket.once(isEncrypted ? 'secureConnect' : 'connect', () => end(resolve));
    socket.once('error', (error) => end(() => reject(error)));
  });
}
