/** Rows of one BullMQ job (FACTS.md, BullMQ). */
export const CHUNK_ROWS = 100;
