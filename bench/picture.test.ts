import { describe, expect, test } from 'vitest';
import { createXmlParser } from '../src/intake/xlsx/xml.ts';
import { FIGURES } from './figures.ts';
import { escapeXml, renderPicture } from './picture.ts';
import { someResults } from './some-results.ts';

type Element = { readonly className: string | undefined; readonly numbers: ReadonlyMap<string, number> };

/** The elements and texts of a document; an Error where it is not well-formed. */
function parsed(xml: string): { readonly elements: readonly Element[]; readonly texts: readonly string[] } {
  const elements: Element[] = [];
  const texts: string[] = [];
  const parser = createXmlParser({
    open(_, { get }) {
      const numbers = ['x', 'x1', 'x2', 'width'].map((name) => [name, Number(get(name))] as const);
      elements.push({ className: get('class'), numbers: new Map(numbers) });
    },
    text: (text) => void texts.push(text),
    close: () => undefined,
  });
  parser.write(xml);
  parser.end();
  return { elements, texts };
}

const RESULTS = someResults();
const PICTURE = parsed(renderPicture(RESULTS));

function numbersOf(className: string, attribute: string): readonly number[] {
  const found = PICTURE.elements.filter((element) => element.className === className);
  return found.map(({ numbers }) => numbers.get(attribute) ?? Number.NaN);
}

describe('the picture', () => {
  test('is well-formed, with the processor by its very name', () => {
    expect(PICTURE.texts.join('\n')).toContain('Some <Processor> & "Co"');
  });

  test('names every figure', () => {
    const titles = FIGURES.map(({ title }) => title.replaceAll('`', ''));
    expect(PICTURE.texts).toEqual(expect.arrayContaining(titles));
  });

  test('has bars that reach the line of the targets where these are met, and others that do not', () => {
    const [line = Number.NaN] = numbersOf('target', 'x1');
    const ends = (name: string) =>
      numbersOf(name, 'width').map((width, i) => width + (numbersOf(name, 'x')[i] ?? 0));
    const met = RESULTS.figures.filter((figure) => figure.met).length;
    expect(ends('met')).toHaveLength(met);
    expect(ends('missed')).toHaveLength(RESULTS.figures.length - met);
    expect(Math.min(...ends('met'))).toBeGreaterThanOrEqual(line);
    expect(Math.max(...ends('missed'))).toBeLessThan(line);
  });

  test('has bars of their own for what does not count', () => {
    const busy = { ...RESULTS, figures: RESULTS.figures.map((one) => ({ ...one, others: [0.1, 0.1] })) };
    const speeds = FIGURES.filter(({ kind }) => kind === 'speed');
    expect(renderPicture(busy).match(/class="uncounted"/g)).toHaveLength(speeds.length);
  });

  test('keeps within its own width', () => {
    const [width = Number.NaN] = numbersOf('page', 'width');
    expect(Math.max(...numbersOf('value', 'x'), ...numbersOf('spread', 'x2'))).toBeLessThan(width);
  });

  test('needs nothing from elsewhere', () => {
    expect(renderPicture(RESULTS)).not.toMatch(/href|url\(|@import|<script/);
  });
});

test.each([
  ['a < b && c > "d"', 'a &lt; b &amp;&amp; c &gt; &quot;d&quot;'],
  ['&amp;', '&amp;amp;'],
  ['≥ 0.80 ×', '≥ 0.80 ×'],
])('%s is written as %s', (text, xml) => {
  expect(escapeXml(text)).toBe(xml);
});
