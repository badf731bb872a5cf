import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Opened, openClaimed } from './check-claimed.ts';
import { type Claim, makeClaimFolder } from './claim.ts';
import { dropClaim } from './claims.ts';
import { inFolder, withinFolder } from './within-folder.ts';

/** Where an inbox on another file system than ONBOARD_HOME keeps the files that were claimed in it, until they are copied. */
export const FOREIGN_CLAIMS = '.processing';

const BLOCK_BYTES = 1024 * 1024;
const COPY_NAME = '.copy';

/** `changed`: somebody still writes to the file; it is to be tried again later. */
export type BroughtHome =
  | { readonly kind: 'home'; readonly claim: Claim }
  | { readonly kind: 'changed'; readonly stamp: string }
  | { readonly kind: 'refused'; readonly why: string };

/**
 * Copies the file of a claim on another file system below ONBOARD_HOME and removes the original: the copy is durable before.
 * The file is opened from its inbox down without following a link, since its sender may rename what lies there.
 */
export async function bringHome(claim: Claim, base: string): Promise<BroughtHome> {
  const { info, id, member, name } = claim;
  const opened = await withinFolder(info.inbox, [FOREIGN_CLAIMS, id].map(toBuffer), (path) =>
    openClaimed(inFolder(path, name)),
  );
  if (opened.kind === 'refused') return opened;
  try {
    if (opened.stamp !== info.stamp) return { kind: 'changed', stamp: opened.stamp };
    // What an earlier try left.
    await rm(join(base, id), { recursive: true, force: true });
    const home = await makeClaimFolder(name, { base, id, member, info });
    await copyOut(opened.handle, join(home.folder, COPY_NAME));
    const stamp = await stampOf(opened);
    if (stamp !== info.stamp) return { kind: 'changed', stamp };
    await rename(join(home.folder, COPY_NAME), home.file);
    await dropClaim(claim);
    return { kind: 'home', claim: home };
  } finally {
    await opened.handle.close();
  }
}

type OpenFile = Extract<Opened, { kind: 'open' }>;

async function stampOf({ handle }: OpenFile): Promise<string> {
  const { ino, size, mtimeNs } = await handle.stat({ bigint: true });
  return [ino, size, mtimeNs].join(':');
}

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

function toBuffer(text: string): Buffer {
  return Buffer.from(text);
}

/** The folder of claims of an inbox on another file system; its own, not a link's. */
export async function foreignBase(inbox: string): Promise<string> {
  const base = join(inbox, FOREIGN_CLAIMS);
  await mkdir(base, { mode: 0o700 }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
  await withinFolder(inbox, [toBuffer(FOREIGN_CLAIMS)], async () => undefined);
  return base;
}
