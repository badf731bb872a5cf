import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cut, Prose, Text } from '../../src/lib/html-text.tsx';

function unescaped(html: string): string {
  const signs: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return html.replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => signs[name] ?? '');
}

test('whatever somebody wrote is one text between two tags, and as long as it may be', () => {
  const sign = fc.constantFrom('<', '>', '"', "'", '&', '</bdi>', '<script>', '\0', '\u202e', 'é', '😀');
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(sign).map((signs) => signs.join('')),
  );
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 100 }), (of, bytes) => {
      const [, shown = ''] = /^<bdi>([^<]*)<\/bdi>$/.exec(String(Text({ of, bytes }))) ?? [];
      expect(unescaped(shown)).toBe(cut(of, bytes));
      expect(Buffer.byteLength(shown.replace('…', ''))).toBeLessThanOrEqual(bytes);
    }),
  );
});

test.each([
  [
    'paused until 2026-11-21 22:00:05 UTC: see',
    'paused until <T22:00:05.000Z>2026-11-21 22:00:05 UTC</T>: see',
  ],
  ['next 2026-11-21 22:00 UTC', 'next <T22:00:00.000Z>2026-11-21 22:00:00 UTC</T>'],
  ['2026-11-21T22:00:05.123Z: found', '<T22:00:05.123Z>2026-11-21 22:00:05 UTC</T>: found'],
  ['opens 2026-11-21 22:00 Europe/Rome', 'opens 2026-11-21 22:00 Europe/Rome'],
  ['run 20261121-220005-abcd of 2026-11-21', 'run 20261121-220005-abcd of 2026-11-21'],
  ['`at 2026-11-21 22:00 UTC`', '<code>at 2026-11-21 22:00 UTC</code>'],
  ['2026-13-41T22:00Z', '2026-13-41T22:00Z'],
])('in a sentence of ours a moment is for the viewer’s zone: %s', async (of, told) => {
  const html = String(await Prose({ of }));
  const short = html
    .replaceAll(/<time datetime="2026-11-21(T[^"]+)" data-show="second">/g, '<$1>')
    .replaceAll('</time>', '</T>');
  expect(short).toBe(`<bdi>${told}</bdi>`);
});
