import { encrypted, otherFile } from './workbook-error.ts';

/** How compound files begin (MS-CFB): Excel's old workbooks, and around a new one with a password. */
const SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
/** The stream that holds an encrypted workbook (MS-OFFCRYPTO, section 2.3.4.4). */
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');

/** Refuses what comes under a workbook's name and is a compound file. */
export function refuseCompound(bytes: Buffer): void {
  if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return;
  throw bytes.includes(ENCRYPTED) ? encrypted() : otherFile('is an old Excel file (.xls)');
}
