import { z } from 'zod';
import type { JsonObject } from '../model/request.ts';
import type { Run } from '../model/run.ts';
import { REPORT_MEMBER } from '../model/source.ts';
import type { RemainderFormat, RemainderKind } from './remainder-format.ts';
import { messageOf, type RemainderRow } from './remainder-row.ts';
import { spliceMember } from './splice-member.ts';

/** The records of a JSON file again, one per line, each as it was written but for one more member. */
export function ndjsonRemainder(run: Run): RemainderFormat {
  return {
    extension: 'ndjson',
    header: () => '',
    lines: (rows, kind) => rows.map((row) => `${recordText(run.id, row, kind)}\n`).join(''),
  };
}

/** Without members of its own where the row could not be read or is no longer kept: loaded again, it can't send a guess. */
function recordText(run: string, row: RemainderRow, kind: RemainderKind): string {
  const member = memberOf(run, row, kind);
  const source = row.source;
  if (source === null) return JSON.stringify({ [REPORT_MEMBER]: member });
  switch (source.kind) {
    case 'record': {
      const text = unreadText(source.text);
      return spliceMember(source.text, REPORT_MEMBER, text === null ? member : { ...member, text });
    }
    case 'unreadable':
      return JSON.stringify({ [REPORT_MEMBER]: { ...member, text: source.text } });
    case 'cells':
      throw new Error(`row ${source.row} is made of cells, but the run's file is JSON`);
    default:
      throw new Error(`a source record of an unknown kind: ${source satisfies never}`);
  }
}

/** The text of a record that could not be read, where a report file that holds it was loaded unmended. */
function unreadText(record: string): string | null {
  if (!record.includes(REPORT_MEMBER)) return null;
  const parsed = unreadSchema.safeParse(JSON.parse(record));
  return parsed.success ? parsed.data[REPORT_MEMBER].text : null;
}

const unreadSchema = z.strictObject({ [REPORT_MEMBER]: z.looseObject({ text: z.string() }) });

function memberOf(run: string, row: RemainderRow, kind: RemainderKind): JsonObject {
  const { row: number, outcome, status, code } = row.settlement;
  const member = {
    run,
    row: number,
    outcome,
    status: status === 0 ? null : status,
    code,
    message: messageOf(row),
  };
  return kind === 'in-doubt' ? { ...member, resolution: '' } : member;
}
