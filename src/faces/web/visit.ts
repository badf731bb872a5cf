/**
 * A request once the guard has let it in, and the possible replies. Routes are data: the router,
 * and the test that requests each as nobody, viewer and operator, use one table.
 */
import type { JSX } from 'hono/jsx/jsx-runtime';
import type { Ask, AskAnswer, Role, Visitor } from '../../model/ask.ts';

export type Standing = {
  /** `sandbox`, or the service's base URL. */
  readonly target: string;
  /** The service's state in few words, and whether it is good. */
  readonly service: { readonly words: string; readonly isWell: boolean };
  readonly version: string;
};

/** What stands above all pages, and the way to have something done. */
export type Core = {
  standing(): Promise<Standing>;
  /** `null`: the page stands alone. */
  readonly ask: ((ask: Ask, visitor: Visitor) => Promise<AskAnswer>) | null;
  /** How commands in sentences call the program; default `onboard`. */
  readonly command?: string;
  /** Before somebody is let in; where it fails, nobody is. */
  recordEntry(visitor: Visitor): Promise<void>;
};

/** `Part`: what the page at hand needs beside the core. */
export type Visit<Part = unknown> = {
  readonly visitor: Visitor;
  /** Named parts of the path, decoded: `id` of `/runs/:id`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Fields of a form; empty for GET. */
  readonly form: URLSearchParams;
  /** An upload's bytes, counted as they pass; else `null`. */
  readonly bytes: AsyncIterable<Uint8Array> | null;
  readonly page: Core & Part;
};

export type Reply =
  | {
      readonly kind: 'page';
      readonly title: string;
      readonly body: JSX.Element;
      /** Stands below the body, and is fetched again each second; absent: nothing moves. */
      readonly live?: JSX.Element | undefined;
      readonly status?: number;
    }
  /** 303. `said`: what was done, told once on top of the page that comes next. */
  | { readonly kind: 'redirect'; readonly to: string; readonly said?: string }
  | { readonly kind: 'json'; readonly value: unknown }
  /** As an attachment, never shown as a page of ours. */
  | {
      readonly kind: 'download';
      readonly name: string;
      readonly type: string;
      readonly body: AsyncIterable<Uint8Array> | Uint8Array | string;
    }
  /** A report.html as it is, with its own policy and in a sandbox. */
  | { readonly kind: 'report'; readonly html: Uint8Array }
  | { readonly kind: 'missing'; readonly words: string };

export type Route<Part = unknown> = {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** With `:names`. */
  readonly path: string;
  readonly role: Role;
  /** It may have a live part, made once a second for all of one role. */
  readonly isLive?: boolean;
  /** It waits for a file to be read, not for Redis: no answer is too late. */
  readonly readsFile?: boolean;
  /** The most that its form may have; left out: as much as others. */
  readonly formBytes?: number;
  answer(visit: Visit<Part>): Promise<Reply>;
};
