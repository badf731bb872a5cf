import { TextDecoder } from 'node:util';
import { damaged } from './workbook-error.ts';
import type { XmlHandler } from './workbook-sax.ts';
import { createXmlParser } from './workbook-sax.ts';

/** Hands an XML document's parts to the handler, pausing after each block; WorkbookError where it is not well-formed or has a DTD. */
export async function* readXml(
  blocks: AsyncIterable<Buffer>,
  handler: XmlHandler,
): AsyncGenerator<void, void, undefined> {
  const parser = createXmlParser(handler);
  for await (const text of readXmlText(blocks)) {
    parser.write(text);
    yield;
  }
  parser.end();
  yield;
}

/** The text of an XML document, block by block. */
export async function* readXmlText(blocks: AsyncIterable<Buffer>): AsyncGenerator<string, void, undefined> {
  let decoder: TextDecoder | null = null;
  for await (const block of blocks) {
    decoder ??= decoderFor(block);
    yield decode(decoder, block);
  }
  if (decoder !== null) yield decode(decoder, null);
}

/** Reads a whole XML document. */
export async function readXmlDocument(blocks: AsyncIterable<Buffer>, handler: XmlHandler): Promise<void> {
  for await (const _ of readXml(blocks, handler)) {
    // The handler has it.
  }
}

/** XML is UTF-8 unless its byte order mark says UTF-16 (XML 1.0, section 4.3.3). */
function decoderFor(block: Buffer): TextDecoder {
  const mark = block.subarray(0, 2).toString('hex');
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding, { fatal: true });
}

function decode(decoder: TextDecoder, block: Buffer | null): string {
  try {
    return block === null ? decoder.decode() : decoder.decode(block, { stream: true });
  } catch (error) {
    throw damaged('its XML is not encoded as it says', error);
  }
}
