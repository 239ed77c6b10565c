/** Statements that stay prepared on each connection; a server of MySQL has 16382 of them for everybody. */
export const MOST_PREPARED = 300

/** Characters of a text that is worth it: the server keeps its plan, which is many times as large. */
export const LONGEST_PREPARED = 4096
