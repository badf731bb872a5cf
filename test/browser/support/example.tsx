import { Bar, Empty, Pager } from '../../../src/faces/web/words.tsx';
import { noOutcomes } from '../../../src/model/outcome.ts';
import { Sum, Table, Time } from '../../../src/runs/report/html/parts.tsx';

const OUTCOMES = { ...noOutcomes(), created: 900, rejected: 40, 'in-doubt': 7 };

/** A page with one of each little thing. */
export function example() {
  return (
    <>
      <h1>Overview</h1>
      <p class="verdict doubt">7 rows may exist at the service.</p>
      <p>
        <span class="badge t-ok">running</span> since <Time at="2026-11-23T10:03:10Z" />
      </p>
      <Table name="Rows" heads={['Rows']} rows={[[<Bar outcomes={OUTCOMES} rows={1_000} />]]} />
      <Empty>No files wait.</Empty>
      <Pager back="/?before=1" on="/?after=50" />
    </>
  );
}

export function liveExample(live: string) {
  return (
    <>
      <p>{live}</p>
      <p>
        <Sum outcomes={OUTCOMES} rows={1_000} />
      </p>
      <p id="selected">selected text</p>
      <details>
        <summary>Unfold</summary>
        <p>What is unfolded stays.</p>
      </details>
    </>
  );
}
