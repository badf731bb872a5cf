export const SHIPPED_TIMES = { lockMs: 10_000, graceMs: 15_000, deadlineMs: 30_000 };
//# sourceMappingURL=times.js.map