import type { Server } from 'node:http';
import { UsageError } from '../lib/usage-error.ts';

/** Starts listening on 127.0.0.1 and gives the port; 0 asks for any free one. Throws a UsageError where it is taken. */
export async function listen(server: Server, port: number): Promise<number> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    throw new UsageError(
      `The sandbox can't listen on 127.0.0.1:${port}; expected a free port. Choose another, or 0 for any free one.`,
      { cause: error },
    );
  }
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('a listening TCP server has an address');
  return address.port;
}
