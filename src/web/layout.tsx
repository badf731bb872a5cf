/** What stands on every page: where it goes, whose target it is, who is looking, and the way to everything else. */
import type { Child } from 'hono/jsx';
import { Text } from '../lib/html-text.tsx';
import type { Visitor } from '../model/ask.ts';
import type { AssetPaths } from './assets.ts';
import type { Standing } from './page.ts';

const PAGES = [
  ['/', 'Overview'],
  ['/runs', 'Runs'],
  ['/upload', 'Upload'],
  ['/jobs', 'Jobs'],
  ['/system', 'System'],
] as const;

type LayoutProps = {
  readonly title: string;
  readonly path: string;
  /** `null`: nobody has logged in, or what stands above all pages can't be told now. */
  readonly standing: Standing | null;
  readonly visitor: Visitor | null;
  readonly assets: AssetPaths;
  readonly children?: Child;
};

export function Layout({ title, path, standing, visitor, assets, children }: LayoutProps) {
  const target = standing === null ? '' : targetShown(standing.target);
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{[...(target === '' ? [] : [`[${target}]`]), title, 'onboard'].join(' · ')}</title>
        <link rel="stylesheet" href={assets.style} />
        <script src={assets.script} defer />
      </head>
      <body>
        <header class="bar noprint">
          {standing === null ? null : <Badge target={standing.target} />}
          <strong>onboard</strong>
          {visitor === null ? null : <Ways path={path} visitor={visitor} />}
        </header>
        {standing === null || standing.service.isWell ? null : (
          <p class="notice" role="status">
            <Text of={standing.service.words} />
          </p>
        )}
        <main>{children}</main>
      </body>
    </html>
  );
}

function Ways({ path, visitor }: { readonly path: string; readonly visitor: Visitor }) {
  return (
    <>
      <nav aria-label="Pages">
        {PAGES.filter(([to]) => visitor.role === 'operator' || to !== '/upload').map(([to, name]) => (
          <a href={to} aria-current={isWithin(path, to) ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <search class="who">
        <form action="/runs">
          <label>
            Search <input type="search" name="q" size={16} placeholder="key or run" data-search />
          </label>
        </form>
      </search>
      <button type="button" data-hold aria-pressed="false" title="h">
        Hold still
      </button>
      <form method="post" action="/leave">
        <Text of={visitor.name} bytes={80} /> ({visitor.role}) <button type="submit">Leave</button>
      </form>
    </>
  );
}

function isWithin(path: string, to: string): boolean {
  return to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`);
}

/** Which service all of this is about: nobody must take a rehearsal for it, or it for a rehearsal. */
function Badge({ target }: { readonly target: string }) {
  return (
    <span class={`badge ${target === 'sandbox' ? 'sandbox' : 'real'}`}>
      <Text of={targetShown(target)} bytes={100} />
    </span>
  );
}

function targetShown(target: string): string {
  if (target === 'sandbox') return 'SANDBOX';
  return URL.canParse(target) ? new URL(target).host : target;
}
