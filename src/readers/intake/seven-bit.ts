/**
 * Encodings that write every letter in ASCII, so that their files are valid utf-8 with other names:
 * UTF-7 (RFC 2152) and HZ (RFC 1843). A text counts as one of them where each of that encoding's
 * signs begins one of its forms, and a letter comes out.
 */
import iconv from 'iconv-lite';

type Form = {
  readonly name: string;
  readonly example: string;
  readonly sign: string;
  /** From a sign on, with the letters written as a group. */
  readonly form: RegExp;
  decode(written: string): string;
};

const FORMS: readonly Form[] = [
  {
    name: 'UTF-7',
    example: '+APw- for ü',
    sign: '+',
    // What looks alike in a phone number or an e-mail address is none.
    form: /\+(?:-|(?!\d+(?![A-Za-z+/]))([A-Za-z\d+/]{3,})(?![A-Za-z\d+/])(?!-?[\w.+-]*@)-?)/y,
    decode(written) {
      const bytes = Buffer.from(written, 'base64');
      const isWhole = bytes.length % 2 === 0 && bytes.toString('base64').replace(/=+$/, '') === written;
      return isWhole ? iconv.decode(bytes, 'utf-16be', { stripBOM: false }) : NOTHING;
    },
  },
  {
    name: 'HZ',
    example: '~{VP~} for 中',
    sign: '~',
    form: /~(?:[~\n]|\{((?:[!-w][!-~])+)~\})/y,
    decode: (written) =>
      iconv.decode(
        Buffer.from(written, 'latin1').map((byte) => byte | 0x80),
        'gb2312',
      ),
  },
];

const NOTHING = '\uFFFD';
const NO_TEXT = /[\p{Cn}\p{Co}\p{Cs}\uFFFD]/u;
const LETTER =
  /[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrl}\p{sc=Hebr}\p{sc=Arab}\p{sc=Thai}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Han}]/u;

export type SevenBit = Pick<Form, 'name' | 'example'>;

/** Of a longer line, a form that is cut there is none. */
const MOST_KEPT = 64 * 1024;

/** Takes a text's bytes in file order. */
export function createSevenBitLook() {
  let possible = FORMS;
  const seen = new Set<Form>();
  let rest = '';
  const look = (text: string) => {
    possible = possible.filter((one) => {
      const kind = kindOf(text, one);
      if (kind === 'letters') seen.add(one);
      return kind !== 'another';
    });
  };
  return {
    see(part: Buffer): void {
      if (possible.length === 0) return;
      const text = rest + part.toString('latin1');
      const end = text.length > MOST_KEPT ? text.length : text.lastIndexOf('\n') + 1;
      look(text.slice(0, end));
      rest = text.slice(end);
    },
    found(): SevenBit | null {
      look(rest);
      return possible.find((one) => seen.has(one)) ?? null;
    },
  };
}

function kindOf(text: string, { sign, form, decode }: Form): 'letters' | 'none' | 'another' {
  let kind: 'letters' | 'none' = 'none';
  for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, form.lastIndex)) {
    form.lastIndex = at;
    const found = form.exec(text);
    if (found === null) return 'another';
    const decoded = found[1] === undefined ? '' : decode(found[1]);
    if (NO_TEXT.test(decoded)) return 'another';
    if (LETTER.test(decoded)) kind = 'letters';
  }
  return kind;
}
