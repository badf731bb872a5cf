/** Which request a connection is cut at, and on which side of the proxy that request gets to. */
export type CutRule = {
  /** A request is recognised by these bytes, in whatever pieces they come. */
  readonly matching: string | Buffer;
  /** 1 = the next one. */
  readonly nth: number;
  /** `before`: the server never sees it. `after`: the server has answered it, and the answer is dropped. */
  readonly when: 'before' | 'after';
};

/** A rule whose request has come; `done` is called when the connection has been cut. */
export type FiredCut = { readonly when: CutRule['when']; readonly done: () => void };

type Rule = CutRule & { readonly needle: Buffer; left: number; readonly done: () => void };

export type RequestCuts = {
  /** Resolves when the connection has been cut; each rule cuts once. */
  add(rule: CutRule): Promise<void>;
  /** Looks at the requests of one connection, piece by piece; `null`: the piece passes and nothing happens to it. */
  watch(): (bytes: Buffer) => FiredCut | null;
  /** How many requests matched a rule so far. */
  matched(): number;
};

export function createRequestCuts(): RequestCuts {
  const rules = new Set<Rule>();
  let matched = 0;

  /** Whether this was the request the rule waited for. */
  const fires = (rule: Rule, found: number): boolean => {
    matched += found;
    rule.left -= found;
    if (rule.left > 0) return false;
    rules.delete(rule);
    return true;
  };

  return {
    matched: () => matched,
    add: (rule) =>
      new Promise((done) => {
        rules.add({ ...rule, needle: Buffer.from(rule.matching), left: rule.nth, done });
      }),
    watch() {
      // A request may be torn anywhere: what could be the beginning of a match is looked at again with the next piece.
      let tail = Buffer.alloc(0);
      return (bytes) => {
        const fired = [...rules].filter((rule) => {
          const found = occurrences(withTail(tail, bytes, rule.needle), rule.needle);
          return found > 0 && fires(rule, found);
        });
        tail = lastBytes(tail, bytes);
        return together(fired);
      };
    },
  };
}

/** A connection can be cut once: on the near side where any rule wants that. */
function together(fired: readonly Rule[]): FiredCut | null {
  if (fired.length === 0) return null;
  const when = fired.some((rule) => rule.when === 'before') ? 'before' : 'after';
  return {
    when,
    done: () => {
      for (const rule of fired) rule.done();
    },
  };
}

/** Longer needles are found only where they come in one piece. */
const TAIL_MAX_BYTES = 1024;

function lastBytes(tail: Buffer, bytes: Buffer): Buffer<ArrayBuffer> {
  return Buffer.concat([tail, bytes.subarray(-TAIL_MAX_BYTES)]).subarray(-TAIL_MAX_BYTES);
}

/** Of the bytes before, one fewer than the needle has: what matched there has been counted. */
function withTail(tail: Buffer, bytes: Buffer, needle: Buffer): Buffer {
  const kept = Math.min(needle.length - 1, tail.length);
  return kept === 0 ? bytes : Buffer.concat([tail.subarray(tail.length - kept), bytes]);
}

function occurrences(bytes: Buffer, needle: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + needle.length)) count += 1;
  return count;
}
