import { allOf, anyOf, firstOf, not } from 'colophon'

/** What makes one policy of others. The gate puts wrong ones in their places, to see that cases fail then. */
export const composers = { allOf, anyOf, not, firstOf }

export type Composers = typeof composers
