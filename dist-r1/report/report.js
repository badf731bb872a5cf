/**
 * Writes a run's report (DESIGN.md, section 4): the whole of it from the ledger, in one pass over the settlements and in
 * memory that doesn't grow with the run, or the summary alone while the run goes on. Only one writer per folder at a
 * time. When anything fails, the report written before stays as it was.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { batchesOf } from '../lib/batches.js';
import { passStage } from '../lib/stage.js';
import { printableLines } from '../lib/terminal.js';
import { REMAINDER } from '../model/outcome.js';
import { isTable } from '../model/source.js';
import { claimReportDirectory, createPendingReport, DOCUMENTS_FILE, openPendingFile, REJECTIONS_FILE, RESULTS_FILE, removeLeftOvers, SUMMARY_FILE, } from './files.js';
import { csvRemainder, ndjsonRemainder, REMAINDERS, } from './remainder.js';
import { documentLines, rejectionLine, resultsHeader, resultsLines } from './results.js';
import { summarize, summarySchema, withWritten } from './summary.js';
import { createTally } from './tally.js';
/** Writes the whole report of the run as the ledger has it. Nobody may call `writeSummary` on the folder at the same time. */
export async function writeReport({ run, view, directory, now, keep = [] }) {
    const { hasSummary } = await claimReportDirectory(directory, run.id);
    await removeLeftOvers(directory, now());
    const format = isTable(run.source) ? csvRemainder(run) : ndjsonRemainder(run);
    const files = createPendingReport(directory, keep);
    try {
        // The summary says whose directory this is, so a new directory gets one before all other files. It has no exit
        // status: one with an exit status comes last, so that a report whose writer was killed is written again.
        if (!hasSummary) {
            await files.claim(SUMMARY_FILE, textOf({ ...summarize(run, [], now()), exitCode: null }));
        }
        const tally = await writeRows({ run, view, files, format });
        const others = [...files.names(), ...keep].filter((name) => name !== SUMMARY_FILE);
        const counted = {
            outcomes: tally.outcomes(),
            records: tally.records(),
            topWarnings: tally.topWarnings(),
            files: others,
        };
        const summary = withWritten(summarize(run, tally.topErrors(), now()), counted);
        await files.append(SUMMARY_FILE, textOf(summary));
        passStage('reporting');
        await files.publish();
        passStage('reported');
        return summary;
    }
    finally {
        await files.discard();
    }
}
/** Writes `summary.json` alone, by rename, while the run goes on; without the commonest errors, for which every row has to be read. */
export async function writeSummary({ run, directory, now, }) {
    await claimReportDirectory(directory, run.id);
    const summary = summarize(run, [], now());
    const file = await openPendingFile(directory, SUMMARY_FILE);
    try {
        await file.append(textOf(summary));
        await file.seal();
        await file.publish();
        return summary;
    }
    finally {
        await file.discard();
    }
}
function textOf(summary) {
    return printableLines(`${JSON.stringify(summary, null, 2)}\n`);
}
/** The summary of a report that was written to its end; `null` where there is none that can be read. */
export async function readSummary(directory) {
    try {
        const summary = summarySchema.parse(JSON.parse(await readFile(join(directory, SUMMARY_FILE), 'utf8')));
        return summary.exitCode === null ? null : summary;
    }
    catch {
        return null;
    }
}
/** Writes every file of the report but the summary, in one pass over the settlements, and counts them. */
async function writeRows(writing) {
    const { run, view, files, format } = writing;
    const advising = { operation: run.operation, extension: format.extension };
    const tally = createTally(advising);
    await files.append(RESULTS_FILE, resultsHeader());
    await files.append(REJECTIONS_FILE, '');
    if (run.operation === 'payment.documents')
        await files.append(DOCUMENTS_FILE, '');
    for await (const settlements of view.settlements()) {
        settlements.forEach(tally.add);
        await files.append(RESULTS_FILE, resultsLines(settlements, advising));
        await writeRemainders(writing, settlements);
        if (run.operation === 'payment.documents')
            await writeDocuments(writing, settlements);
    }
    return tally;
}
async function writeRemainders(writing, settlements) {
    const unsuccessful = settlements.filter(({ outcome }) => REMAINDER[outcome] !== 'none');
    for (const batch of batchesOf(unsuccessful, LOOKUP_ROWS)) {
        const rows = await lookUp(writing.view, batch);
        await writeSources(writing, rows);
        await writeRejections(writing, rows);
    }
}
async function lookUp(view, settlements) {
    const rejected = settlements.filter(({ outcome }) => outcome === 'rejected');
    const [sources, bodies] = await Promise.all([
        view.sources(settlements.map(({ row }) => row)),
        rejected.length === 0 ? new Map() : view.bodies(rejected.map(({ row }) => row)),
    ]);
    return settlements.map((settlement) => ({
        settlement,
        source: sources.get(settlement.row) ?? null,
        body: bodies.get(settlement.row) ?? null,
    }));
}
async function writeSources({ files, format }, rows) {
    for (const kind of REMAINDERS) {
        const name = `${kind}.${format.extension}`;
        const ofKind = rows.filter(({ settlement }) => REMAINDER[settlement.outcome] === kind);
        if (ofKind.length === 0)
            continue;
        if (!files.names().includes(name))
            await files.append(name, format.header(kind));
        await files.append(name, format.lines(ofKind, kind));
    }
}
async function writeRejections({ run, files }, rows) {
    for (const row of rows) {
        if (row.settlement.outcome === 'rejected')
            await files.append(REJECTIONS_FILE, rejectionLine(run.id, row));
    }
}
async function writeDocuments({ view, files }, settlements) {
    const listed = settlements.filter(({ outcome }) => outcome === 'listed');
    for (const batch of batchesOf(listed, LOOKUP_ROWS)) {
        const documents = await view.documents(batch.map(({ row }) => row));
        for (const settlement of batch) {
            await files.append(DOCUMENTS_FILE, documentLines(settlement, documents.get(settlement.row) ?? '[]'));
        }
    }
}
/** Rows whose sources, bodies and documents are in memory at a time: these texts can have megabytes each. */
const LOOKUP_ROWS = 20;
//# sourceMappingURL=report.js.map