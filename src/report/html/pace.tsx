/**
 * The section of report.html that shows how fast rows came to their outcomes since the start, and
 * what happened meanwhile.
 */
import { Series } from '../../lib/chart/series.tsx';
import { Text } from '../../lib/html-text.tsx';
import { numberShown, shownTime } from '../../lib/terminal.ts';
import { type Told, tellStory } from '../../model/story.ts';
import { type Stretch, stretchesOf } from '../timeline.ts';
import type { Page } from './model.ts';
import { outcomeWords } from './words.ts';

const STORY_SHOWN = 40;

export function Pace({ page }: { readonly page: Page }) {
  const { summary, digest, isShared } = page;
  // Who asked and why is nobody's business elsewhere.
  const told = isShared ? page.story.map((one) => ({ ...one, by: '', why: '' })) : page.story;
  const whole = tellStory(summary, told);
  const story = whole.slice(-STORY_SHOWN);
  const stretches = stretchesOf(digest.moments, whole);
  if (stretches.length === 0 && story.length === 0) return null;
  return (
    <section>
      <h2>How it went</h2>
      {stretches.length === 0 ? null : <RatesFigure stretches={stretches} story={story} />}
      <ol class="story">
        {story.map(({ n, at, words }) => (
          <li value={n}>
            <time datetime={new Date(at).toISOString()}>
              {shownTime(new Date(at), 'UTC', { seconds: true })}
            </time>{' '}
            <Text of={words} />
          </li>
        ))}
      </ol>
    </section>
  );
}

type RatesProps = { readonly stretches: readonly Stretch[]; readonly story: readonly Told[] };

function RatesFigure({ stretches, story }: RatesProps) {
  const seconds = stretches.at(-1)?.to ?? 0;
  return (
    <figure>
      <figcaption>Rows per second by outcome, by the time since the start; numbers as below</figcaption>
      <section class="wide" tabindex={0} aria-label="Picture: rows per second">
        <Series
          title="Rows per second by outcome"
          seconds={seconds}
          stretches={stretches.map(({ from, to, rates }) => ({
            from,
            to,
            parts: rates.map(({ outcome, perSecond }) => ({ kind: outcome, value: perSecond })),
          }))}
          events={story}
        />
      </section>
      <details>
        <summary>The numbers</summary>
        <table class="short">
          <thead>
            <tr>
              <th class="n">from second</th>
              <th class="n">to</th>
              <th>rows per second</th>
            </tr>
          </thead>
          <tbody>
            {stretches.map(({ from, to, rates }) => (
              <tr>
                <td class="n">{tenths(from)}</td>
                <td class="n">{tenths(to)}</td>
                <td>
                  {rates
                    .map(({ outcome, perSecond }) => `${tenths(perSecond)} ${outcomeWords(outcome)}`)
                    .join(', ') || 'none'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

function tenths(n: number): string {
  return n < 10 ? String(Math.round(n * 10) / 10) : numberShown(Math.round(n));
}
