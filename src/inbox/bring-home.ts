import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../lib/errors.ts';
import { stampOf } from '../lib/file-stamp.ts';
import { withinAbroad } from './abroad.ts';
import { type Opened, openClaimed } from './check-claimed.ts';
import { type Claim, writeDurably } from './claim.ts';
import { COPIED_NAME } from './claims.ts';
import { inFolder } from './within-folder.ts';

const BLOCK_BYTES = 1024 * 1024;

/** `changed`: somebody still writes to the file; it is to be tried again later. `gone`: it was never moved, or is no more. */
type BroughtHome =
  | { readonly kind: 'home'; readonly claim: Claim }
  | { readonly kind: 'changed'; readonly stamp: string }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'gone' };

/**
 * Copies the file of a claim on another file system into the claim's folder, durable before it has its name. The original
 * stays: whoever still writes to it is found out by it. It is opened from its inbox down without following a link, since its
 * sender may rename what lies there.
 */
export async function bringHome(claim: Claim): Promise<BroughtHome> {
  const opened = await withinAbroad(claim.info.inbox, (path) => openOriginal(inFolder(path, claim.id)));
  if (opened.kind !== 'open') return opened;
  const expected = claim.info.stamp;
  // Of two watchers that copy, since one took the claim over, neither writes into the other's.
  const copy = join(claim.folder, `.copy.${claim.member}`);
  try {
    if (opened.stamp !== expected) return { kind: 'changed', stamp: opened.stamp };
    await copyOut(opened.handle, copy);
    const stamp = stampOf(await opened.handle.stat({ bigint: true }));
    if (stamp !== expected) return { kind: 'changed', stamp };
    await writeDurably(join(claim.folder, COPIED_NAME), stamp, 'w');
    await rename(copy, claim.file);
    return { kind: 'home', claim: { ...claim, copied: stamp } };
  } finally {
    await opened.handle.close();
  }
}

async function openOriginal(path: Buffer): Promise<Opened | { readonly kind: 'gone' }> {
  try {
    return await openClaimed(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { kind: 'gone' };
    throw error;
  }
}

type OpenFile = Extract<Opened, { kind: 'open' }>;

async function copyOut(from: OpenFile['handle'], path: string): Promise<void> {
  const to = await open(path, 'w', 0o600);
  try {
    const block = Buffer.allocUnsafe(BLOCK_BYTES);
    for (;;) {
      const { bytesRead } = await from.read(block, 0, BLOCK_BYTES, null);
      if (bytesRead === 0) break;
      await to.writeFile(block.subarray(0, bytesRead));
    }
    await to.sync();
  } finally {
    await to.close();
  }
}
