/**
 * The style of report.html, light, dark and on paper, from 320 px up, and what the page has of it
 * (web/style.css is the rest). It has no sign that HTML escapes, so that the policy of report.html
 * can admit it by the hash of its text.
 */
import { createHash } from 'node:crypto';
import { OUTCOMES } from '../../../model/outcome.ts';

const LIGHT =
  '--bg:#fff;--fg:#1b242c;--dim:#566370;--line:#dde3e8;--card:#f6f8f9;--accent:#1f5fa8;--created:#12795f;--updated:#2f6fb0;--drafted:#0d7c8c;--listed:#3b7ea1;--adopted:#5c7a1f;--skipped:#7f8b96;--invalid:#a67c00;--rejected:#b3261e;--denied:#8e3b9c;--failed:#c95f20;--in-doubt:#5b3fd6;--cancelled:#7f868d;--pending:#d5dce2;--ok:#12795f;--bad:#b3261e';
const DARK =
  '--bg:#12181d;--fg:#e6ebef;--dim:#9dabb7;--line:#2a353e;--card:#1a2229;--accent:#7db4f0;--created:#3fbf9b;--updated:#6aa9e6;--drafted:#4fc0cf;--listed:#6cb4d8;--adopted:#a3c25a;--skipped:#7c8893;--invalid:#e3bd4a;--rejected:#f0736a;--denied:#c98ad6;--failed:#f2a06b;--in-doubt:#a391ff;--cancelled:#75818b;--pending:#2f3a43;--ok:#3fbf9b;--bad:#f0736a';

const FILLS = [...OUTCOMES, 'pending'].map((kind) => `.f-${kind}{fill:var(--${kind})}`);

/** What report.html and the page have in common. */
const COMMON = [
  `:root{color-scheme:light dark;${LIGHT}}`,
  `@media screen and (prefers-color-scheme:dark){:root{${DARK}}}`,
  '*{box-sizing:border-box}body{margin:0 auto;background:var(--bg);color:var(--fg);overflow-wrap:anywhere}',
  'h1{font-size:1.5rem;line-height:1.25;margin:.3em 0 .5em}h2{font-size:1.1rem;margin:2rem 0 .6rem;padding-top:.6rem;border-top:1px solid var(--line)}h3{font-size:1rem;margin:0}p{margin:.4em 0}.dim{color:var(--dim)}',
  'code,pre,.mono{font-family:ui-monospace,DejaVu Sans Mono,monospace;font-size:.92em}pre{background:var(--card);padding:.6rem .8rem;overflow:auto;border-radius:6px;margin:.4em 0;overflow-wrap:normal}',
  '.verdict{border-left:6px solid var(--dim);background:var(--card);padding:.7rem 1rem;font-size:1.1rem;border-radius:0 6px 6px 0}.verdict p{margin:.1em 0}.verdict.ok{border-color:var(--ok)}.verdict.bad{border-color:var(--bad)}.verdict.doubt{border-color:var(--in-doubt)}.t-ok{color:var(--ok)}.t-bad{color:var(--bad)}.t-doubt{color:var(--in-doubt)}',
  '.alarm{border:3px solid var(--bad);color:var(--bad);font-weight:700;border-radius:6px}',
  '.badge{display:inline-block;border:1px solid currentColor;border-radius:4px;padding:0 .45em;font-size:.85em}.sandbox{color:var(--created)}.real{color:var(--rejected);font-weight:600}',
  'table{border-collapse:collapse;width:100%;overflow-wrap:break-word}caption{text-align:left;color:var(--dim)}th{white-space:nowrap;text-align:left;font-weight:600;color:var(--dim);font-size:.85em}th,td{padding:.35rem .8rem .35rem 0;border-bottom:1px solid var(--line);vertical-align:top}td.n,th.n{text-align:right;white-space:nowrap}.wide{overflow-x:auto}.short{width:auto}',
  'svg{display:block}svg:not(.chart){width:100%;height:auto}svg text{fill:var(--fg);font-size:.85em}svg .s{fill:var(--dim)}svg .b{font-weight:700}svg .grid{stroke:var(--line)}svg .event{stroke:var(--dim);stroke-dasharray:3 3}.line{fill:none;stroke-width:1.6}.l-p50{stroke:var(--created)}.l-p90{stroke:var(--invalid)}.l-p99{stroke:var(--rejected)}.f-rib{fill:var(--dim)}',
  FILLS.join(''),
  'svg.dot{display:inline-block;width:.75em;height:.75em;vertical-align:-.03em}.sum{white-space:nowrap}svg.strip{height:14px}svg.stacked{height:72px}.ends{display:flex;justify-content:space-between;margin:.1em 0;font-size:.85em}.legend{display:flex;flex-wrap:wrap;gap:.2rem 1rem;margin:.3em 0}',
  '.cause{border:1px solid var(--line);border-radius:8px;padding:.8rem 1rem;margin:.7rem 0;break-inside:avoid}.cause h3{display:flex;gap:.7rem;align-items:baseline}.count{font-size:1.25rem;white-space:nowrap}.cause.one{padding:.3rem 1rem;margin:.4rem 0}.cause.one h3{margin:0;font-size:1em}.cause.one .count{font-size:1em}.cause.one p{margin:.1rem 0}svg.weight{height:6px;background:var(--line)}small{font-size:.85em}.field{font-family:ui-monospace,DejaVu Sans Mono,monospace;font-size:.92em;background:var(--card);padding:0 .3em;border-radius:3px}',
  '.two{display:grid;gap:1.2rem 2rem;grid-template-columns:repeat(auto-fit,minmax(min(29rem,100%),1fr))}figure{margin:0}figcaption{margin-bottom:.3em}a{color:var(--accent)}dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:.4em 0}dt{color:var(--dim)}dd{margin:0}',
];
const OWN = [
  'body{padding:1.5rem;max-width:64rem;font:15px/1.5 system-ui,Roboto,DejaVu Sans,sans-serif}.alarm{padding:.8rem 1rem}.badge{margin-right:.3em}td.o,td.mono{white-space:nowrap}svg.dot{margin-right:.35em}',
  '.command{white-space:pre-wrap;overflow-wrap:anywhere;user-select:all}details summary{cursor:pointer;color:var(--accent);margin:.4em 0}ol{padding-left:1.6em}li{margin:.4em 0}@page{margin:14mm}',
];
/** Behind all else: as specific as what it changes. */
const COMMON_MEDIA = [
  '@media (max-width:40rem){body{padding:.8rem}.list thead{position:absolute;clip-path:inset(50%)}.list tr{display:block;border-bottom:1px solid var(--line);padding:.4rem 0}.list td{display:inline-block;white-space:normal;overflow-wrap:anywhere;border:0;padding:0 .7rem 0 0;text-align:left}dl{grid-template-columns:1fr;gap:0}dd{margin:0 0 .4rem}}',
  '@media print{body{max-width:none;padding:0;font-size:11px;background:#fff;color:#000}*{print-color-adjust:exact}details::details-content{content-visibility:visible;display:block;height:auto}summary{list-style:none}h2,h3{break-after:avoid}tr,figure,li{break-inside:avoid}.wide{overflow:visible}.chart{max-width:100%;height:auto}pre{white-space:pre-wrap;overflow-wrap:anywhere}}',
];

export const STYLE = [...COMMON, ...OWN, ...COMMON_MEDIA].join('\n');

/** The page's: the common rules, and its own between them. */
export function pageStyle(own: string): string {
  return [...COMMON, own, ...COMMON_MEDIA].join('\n');
}

/** The page may do nothing but have this style. */
export const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;
