/** What the workbook reader uses of saxen 11, which has no types of its own. */
declare module 'saxen' {
  /** Name → value as it stands, entities not decoded. */
  type Attributes = Readonly<Record<string, string>>;

  export class Parser {
    on(event: 'openTag', handle: (name: string, attributes: () => Attributes) => void): this;
    on(
      event: 'closeTag' | 'text' | 'cdata' | 'comment' | 'question' | 'attention',
      handle: (text: string) => void,
    ): this;
    on(event: 'error' | 'warn', handle: (error: Error) => void): this;
    write(xml: string): this;
    end(): Error | null;
  }
}
