import { z } from 'zod';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';

const bodySchema = z.object({ additionalInformation: z.object({ crmId: z.string() }) });

/** Keys of subclients of which more than one request was received; the sandbox must record its requests, all of them. */
export function keysSentTwice(sandbox: Pick<Sandbox, 'requests'>): string[] {
  const counts = new Map<string, number>();
  for (const { body } of sandbox.requests()) {
    const key = bodySchema.parse(JSON.parse(body)).additionalInformation.crmId;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count > 1).map(([key]) => key);
}
