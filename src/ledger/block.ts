import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import { fromTuple, type Settlement, settlementSchema, toTuple } from '../model/settlement.ts';

const blockSchema = z.array(settlementSchema);

/** A closed chunk's settlements in row order, deflated: about 20 bytes per row and identifier. */
export function packBlock(settlements: readonly Settlement[]): Buffer {
  return packBlockText(JSON.stringify(settlements.map(toTuple)));
}

/** The same for settlements that are JSON text already. */
export function packBlockText(json: string): Buffer {
  return deflateRawSync(json);
}

export function unpackBlock(block: Buffer): Settlement[] {
  return blockSchema.parse(JSON.parse(inflateRawSync(block).toString('utf8'))).map(fromTuple);
}
