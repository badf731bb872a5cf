/** What stands on every page. */
import type { Child } from 'hono/jsx';
import { cut, Prose, Text } from '../../lib/html-text.tsx';
import type { Visitor } from '../../model/ask.ts';
import { targetShown } from '../../runs/report/html/parts.tsx';
import type { AssetPaths } from './assets.ts';
import type { Standing } from './visit.ts';

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
  /** `null`: nobody has logged in, or it can't be read now. */
  readonly standing: Standing | null;
  readonly visitor: Visitor | null;
  /** Nothing can be done from here: the process that acts is absent. */
  readonly looksOnly: boolean;
  readonly assets: AssetPaths;
  /** The state of the service stands in its live part. */
  readonly isLive: boolean;
  readonly children?: Child;
};

export function Layout(props: LayoutProps) {
  const { title, standing, visitor, looksOnly, assets, isLive, children } = props;
  const target = standing === null ? [] : [`[${targetShown(standing.target)}]`];
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{[...target, cut(title), '· onboard'].join(' ')}</title>
        <link rel="stylesheet" href={assets.style} />
        <script src={assets.script} defer></script>
      </head>
      <body>
        <a href="#main" class="skip">
          To the content
        </a>
        <header class="bar noprint">
          {standing === null ? null : <Target target={standing.target} />}
          <strong>onboard</strong>
          {visitor === null ? null : <Ways {...props} visitor={visitor} />}
        </header>
        {standing === null || isLive ? null : <Service service={standing.service} looksOnly={looksOnly} />}
        <p id="connection" class="bad noprint" role="status"></p>
        <main id="main">{children}</main>
        {standing === null ? null : <footer class="dim noprint">onboard {standing.version}</footer>}
      </body>
    </html>
  );
}

type WaysProps = Pick<LayoutProps, 'path'> & { readonly visitor: Visitor };

function Ways({ path, visitor }: WaysProps) {
  const isOperator = visitor.role === 'operator';
  return (
    <>
      <button type="button" class="menu" popovertarget="menu">
        Menu
      </button>
      <div id="menu" popover="auto">
        <nav aria-label="Pages">
          {PAGES.filter(([to]) => isOperator || to !== '/upload').map(([to, name]) => (
            <a href={to} aria-current={isWithin(path, to) ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <search>
          <form action="/runs">
            <input
              type="search"
              name="q"
              size={10}
              placeholder={isOperator ? 'key or run' : 'run'}
              aria-label="Search"
              data-search
            />
          </form>
        </search>
        <button type="button" class="hold" data-hold aria-pressed="false" title="h" hidden>
          Pause updates
        </button>
        <form method="post" action="/leave" class="who">
          <span>
            <Text of={visitor.name} bytes={80} /> <span class="dim">{visitor.role}</span>
          </span>
          <button type="submit">Log out</button>
        </form>
      </div>
    </>
  );
}

function isWithin(path: string, to: string): boolean {
  return to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`);
}

const LOOKS_ONLY = ' · This page only looks: for what it can do, open the page of `onboard start`.';

/** Below it the script says whether the server answers. */
export function Service({ service, looksOnly }: Pick<Standing, 'service'> & Pick<LayoutProps, 'looksOnly'>) {
  return (
    <p class={service.isWell ? 'state dim noprint' : 'state t-bad noprint'}>
      <b aria-hidden="true">{service.isWell ? '●' : '▲'}</b> The service:{' '}
      <Prose of={service.words} bytes={300} />
      {looksOnly ? <Prose of={LOOKS_ONLY} /> : null}
    </p>
  );
}

/** Nobody must take a rehearsal for the service, or the service for a rehearsal. */
function Target({ target }: { readonly target: string }) {
  return (
    <span class={`badge ${target === 'sandbox' ? 'sandbox' : 'real'}`}>
      <Text of={targetShown(target)} bytes={100} />
    </span>
  );
}
