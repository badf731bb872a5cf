import type { Job } from '../config/job-definition.ts';
import type { Entry } from './entry.ts';
import type { Inbox } from './inbox-folder.ts';
import type { Fault } from './sender-words.ts';

/** Why a file stays in its inbox for now. */
export type WaitReason =
  | { readonly kind: 'writing' }
  /** Its name says that it is not whole yet. */
  | { readonly kind: 'unfinished' }
  /** Written to without end: not waited for. */
  | { readonly kind: 'restless' }
  | { readonly kind: 'marker'; readonly marker: string }
  | { readonly kind: 'schedule' }
  | { readonly kind: 'window'; readonly window: string }
  | { readonly kind: 'after'; readonly job: string; readonly because: string }
  | { readonly kind: 'broken'; readonly jobs: readonly string[] };

export type Placed = { readonly inbox: Inbox; readonly entry: Entry };
export type Takeable = Placed & { readonly job: Job };
export type Refused = Placed & { readonly why: string; readonly fault: Fault };
export type Waiting = Placed & { readonly job: string | null; readonly why: WaitReason };

/** A look into an inbox. */
export type InboxLook = { readonly inbox: Inbox; readonly entries: readonly Entry[] };
