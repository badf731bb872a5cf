import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { textOf, withoutSecrets } from '../../../src/delivery/service/answer-text.ts';

describe('an answer is read', () => {
  const text = '{"message":"Größe fehlt"}';
  const page = (head: string) => `<html><head>${head}</head><body>Größe</body></html>`;
  test.each([
    ['in ISO-8859-1', text, 'latin1', 'application/json; charset=ISO-8859-1'],
    ['in UTF-16 with a mark', `\uFEFF${text}`, 'utf-16le', 'text/plain'],
    ['in UTF-16 the other way, with a mark', `\uFEFF${text}`, 'utf-16be', 'application/json'],
    ['in UTF-16 as it says', text, 'utf-16be', 'application/json;charset="UTF-16BE"'],
    ['in UTF-8 that is called UTF-16', text, 'utf-8', 'application/json; charset=utf-16'],
    ['in UTF-8 of an unknown name', text, 'utf-8', 'text/html; charset=x-none'],
    ['by what a page declares', page('<meta charset=windows-1252>'), 'windows-1252', 'text/html'],
    [
      'by what XML declares',
      `<?xml version="1.0" encoding='ISO-8859-15'?><a>€</a>`,
      'iso-8859-15',
      undefined,
    ],
  ])('%s', (_, sent, encoding, contentType) => {
    expect(textOf(iconv.encode(sent, encoding), contentType)).toBe(sent.replace('\uFEFF', ''));
  });

  test('in UTF-16 that is cut within a character without half of one', () => {
    const bytes = iconv.encode('ab😀', 'utf-16le').subarray(0, 6);
    expect(textOf(bytes, 'text/plain; charset=utf-16le')).toBe('ab\uFFFD');
  });
});

describe('of a refusal’s text', () => {
  const TOKEN = 'abC.d/e+f=12&"x';
  const GONE = '[blotted out]';
  test.each([
    ['the token', `a${TOKEN}b`, `a${GONE}b`],
    ['the token in JSON', JSON.stringify({ a: TOKEN }).replaceAll('/', '\\/'), `{"a":"${GONE}"}`],
    ['the token in an address', `?t=${encodeURIComponent(TOKEN)}`, `?t=${GONE}`],
    ['the token in a page', 'abC.d&#x2F;e&#43;f&#61;12&amp;&quot;x', GONE],
    ['another bearer token', 'sent: Bearer eyJ0.eyJ1', `sent: Bearer ${GONE}`],
    [
      'a password',
      '"headers":{"Authorization":["Basic dXNlcjpwYXNz"]}',
      `"headers":{"Authorization":["Basic ${GONE}"]}`,
    ],
    ['a header', 'AUTHORIZATION: k3y.17\r\nHost: a', `AUTHORIZATION: ${GONE}\r\nHost: a`],
  ])('%s is blotted out', (_, text, told) => {
    expect(withoutSecrets(text, TOKEN, false)).toBe(told);
  });

  test.each([
    'Bearer token is invalid',
    'Basic KYC data missing',
    'Authorization: header required',
    'dev.tokens a devil',
  ])('the words %j stay', (text) => expect(withoutSecrets(text, 'dev', false)).toBe(text));

  test('the beginning of a token at the cut is blotted out, and a short token only as a word', () => {
    expect(withoutSecrets('it was abC.d/e+', TOKEN, true)).toBe(`it was ${GONE}`);
    expect(withoutSecrets('s3cr or s3crs', 's3cr', false)).toBe(`${GONE} or s3crs`);
  });
});
