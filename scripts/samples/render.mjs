/** The file of a sample: `{ bytes, rows }`, rows being the records a reader finds in it. */
export function renderSample(sample, records) {
  const rendered = records.map((record, index) => renderRecord(sample, record, index + 1));
  return Buffer.concat(RENDER[sample.format.type](sample, records, rendered));
}

const RENDER = {
  csv: (sample, records, lines) => {
    const { eol, bom } = sample.format;
    const header = cellsLine(sample.header ?? Object.keys(records[0]), sample.format);
    const separated = [Buffer.from(header), ...lines].flatMap((line) => [line, Buffer.from(eol)]);
    return bom ? [Buffer.from('\uFEFF'), ...separated] : separated;
  },
  json: (_, __, texts) => [
    Buffer.from('[\n'),
    ...texts.flatMap((text, index) => [text, Buffer.from(index === texts.length - 1 ? '\n' : ',\n')]),
    Buffer.from(']\n'),
  ],
  ndjson: (_, __, texts) => texts.flatMap((text) => [text, Buffer.from('\n')]),
};

function renderRecord(sample, record, row) {
  const damage = sample.mistakes.find((mistake) => mistake.row === row)?.damage;
  const text = recordText(record, sample.format);
  return Buffer.from(damage === undefined ? text : damage(text));
}

/** One record as the file's format has it, without the line's end. */
export function recordText(record, format) {
  if (format.type === 'csv') return cellsLine(Object.values(record).map(cellOf), format);
  return format.type === 'json'
    ? indent(JSON.stringify(nest(record), null, 2))
    : JSON.stringify(nest(record));
}

function cellOf(value) {
  return Array.isArray(value) ? value.join(';') : String(value);
}

function cellsLine(cells, { delimiter }) {
  return cells.map((cell) => quote(cell, delimiter)).join(delimiter);
}

function quote(cell, delimiter) {
  const special = cell.includes(delimiter) || /["\r\n]/.test(cell);
  return special ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function indent(text) {
  return text.replaceAll(/^/gm, '  ');
}

/**
 * `a.0.b` becomes `{ a: [{ b }] }`; an empty cell is left out, and a list without its first item
 * begins later.
 */
function nest(record) {
  const nested = {};
  for (const [path, value] of Object.entries(record)) {
    if (value !== '') put(nested, path.split('.'), value);
  }
  return nested;
}

function put(target, [name, ...rest], value) {
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  target[name] ??= /^\d+$/.test(rest[0]) ? [] : {};
  put(target[name], rest, value);
}
