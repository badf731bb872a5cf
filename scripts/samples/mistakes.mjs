/** The record with another value in one field; everything else is as it was. */
export function change(row, outcome, note, field, value) {
  return { row, outcome, note, edit: (record) => ({ ...record, [field]: value }) };
}

/** The record with another value made from the one that stood there. */
export function alter(row, outcome, note, field, make) {
  return { row, outcome, note, edit: (record) => ({ ...record, [field]: make(record[field]) }) };
}

/** The record's text in the file damaged: a string, or bytes that are no UTF-8. */
export function damage(row, outcome, note, make) {
  return { row, outcome, note, damage: make };
}

/** Every cell empty, as a spreadsheet leaves it below its last line. */
export function emptyRow(row, outcome, note) {
  return {
    row,
    outcome,
    note,
    edit: (record) => Object.fromEntries(Object.keys(record).map((name) => [name, ''])),
  };
}
