/**
 * All that a worker needs for the rows of one run: the run's definition and mapping, its rows in the ledger, the service, permits, breaker,
 * clock. Made once for each run and process (delivery.ts), so that a run's chunks share what was learnt of the service.
 */
export {};
//# sourceMappingURL=run-context.js.map