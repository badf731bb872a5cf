/** What the page and the process that started it say to each other: where it listens, what is asked, what became of it. Both parse it. */
import { z } from 'zod';
import { type Ask, type AskAnswer, answerSchema, askedSchema, type Visitor } from '../model/ask.ts';

export const fromPageSchema = z.discriminatedUnion('kind', [
  /** `link`: lets one person in, once. */
  z.object({ kind: z.literal('listening'), url: z.string(), link: z.string() }),
  z.object({ kind: z.literal('asked'), id: z.number(), asked: askedSchema }),
]);
export type FromPage = z.infer<typeof fromPageSchema>;

export const toPageSchema = z.object({ kind: z.literal('answer'), id: z.number(), answer: answerSchema });
export type ToPage = z.infer<typeof toPageSchema>;

/** The way of this process to the one that started it as its page. */
export type Link = {
  ask(ask: Ask, visitor: Visitor): Promise<AskAnswer>;
  tell(message: FromPage): void;
  /** Resolves when the other one is gone. */
  readonly ended: Promise<void>;
};

/** `null`: nobody has started this process as its page. */
export function linkToStarter(): Link | null {
  if (process.send === undefined) return null;
  const waiting = new Map<number, (answer: AskAnswer) => void>();
  let asks = 0;
  const tell = (message: FromPage) => void process.send?.(message);
  const ended = new Promise<void>((resolve) => process.once('disconnect', resolve));
  process.on('message', (message) => {
    const { id, answer } = toPageSchema.parse(message);
    waiting.get(id)?.(answer);
    waiting.delete(id);
  });
  return {
    tell,
    ended,
    ask(ask, { name, role }) {
      asks += 1;
      const id = asks;
      const answer = new Promise<AskAnswer>((resolve) => waiting.set(id, resolve));
      tell({ kind: 'asked', id, asked: { by: name, role, ask } });
      return answer;
    },
  };
}
