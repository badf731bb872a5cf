/**
 * A job definition compiled against a file's columns. A mapping is compiled once per
 * definition and columns in a process, whoever asks first: the look at the file before its run, the cut into chunks, the reading of its
 * rows or the worker that sends them. A mapping has no state of its own, so that runs may share it.
 */
import { createRecentMap } from '../lib/recent.js';
import { UsageError } from '../lib/usage-error.js';
import { compileMapping } from '../mapping/mapping.js';
import { sourceInfoSchema } from '../model/source.js';
import { fieldCatalog, pathFieldOf } from '../service/operations.js';
/** As many as a watcher meets between two files of the same job. */
const MAPPINGS_KEPT = 64;
const compiled = createRecentMap(MAPPINGS_KEPT);
/** The definition compiled against a file's columns; a UsageError lists what doesn't fit. */
export function mappingFor(definition, source) {
    // In the schema's order of fields, since the ledger gives a run's source back in that order.
    const name = JSON.stringify([definition, sourceInfoSchema.parse(source)]);
    const mapping = compiled.get(name) ?? compile(definition, source);
    compiled.set(name, mapping);
    return mapping;
}
function compile(definition, source) {
    const { operation } = definition;
    return compileMapping({
        definition,
        source,
        catalog: fieldCatalog(operation),
        pathField: pathFieldOf(operation),
        needsPathId: NEEDS_PATH_ID[operation],
    });
}
const NEEDS_PATH_ID = {
    'subclient.create': false,
    'subclient.update': true,
    // The ledger knows the identifier where the key is known.
    'subclient.upsert': false,
    'counterparty.draft': false,
    'payment.documents': true,
};
/** What is wrong with a definition whatever file it meets, so that no file is blamed for it. */
export function definitionProblems(definition) {
    try {
        mappingFor(definition, NO_RECORDS);
        return [];
    }
    catch (error) {
        if (error instanceof UsageError)
            return error.problems;
        throw error;
    }
}
/** JSON without a record has no columns that could be wrong or missing. */
const NO_RECORDS = {
    type: 'json',
    encoding: 'utf-8',
    bom: false,
    compression: 'none',
    headerLine: 1,
    sheet: null,
    notes: [],
    delimiter: null,
    quote: null,
    columns: [],
};
//# sourceMappingURL=run-mapping.js.map