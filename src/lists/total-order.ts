/**
 * The key breaks ties: what an order lacks of a unique key comes behind it, so that no two rows can change
 * places from page to page. It has the direction of the last item of the order, which is what an index
 * gives without sorting; NULLs are smaller than every value.
 */
export function tieBreakers<Column>(
  key: readonly Column[],
  isOrdered: (column: Column) => boolean,
  descending: boolean,
): readonly { column: Column; descending: boolean; nullsFirst: boolean }[] {
  return key
    .filter((column) => !isOrdered(column))
    .map((column) => ({ column, descending, nullsFirst: !descending }))
}
