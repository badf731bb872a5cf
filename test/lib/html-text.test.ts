import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cut, Text } from '../../src/lib/html-text.tsx';

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
