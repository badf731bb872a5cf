type Rows<T extends readonly unknown[]> = ReadonlyArray<T>;

/** What the ledger has this machine's disk remember of a run's rows. */
export type RowRecord =
  | {
      readonly kind: 'intended';
      readonly run: string;
      readonly rows: Rows<
        readonly [chunk: number, row: number, mark: string, bucket: string, digest: string]
      >;
    }
  | {
      readonly kind: 'withdrawn';
      readonly run: string;
      readonly rows: Rows<readonly [chunk: number, row: number, mark: string]>;
    }
  /** JSON text of an array of settle entries. */
  | { readonly kind: 'settled'; readonly run: string; readonly entries: string }
  | {
      readonly kind: 'unsettled';
      readonly run: string;
      readonly rows: Rows<readonly [chunk: number, row: number]>;
    };

/** The journal as the ledger needs it: it survives a Redis that comes back without its last second, or empty. */
export type RowJournal = {
  /** Resolves when the record is on disk; rejects where it can't be. */
  write(record: RowRecord): Promise<void>;
  /** Written behind; never fails. */
  note(record: RowRecord): void;
};
