import type { OperationNode, ValueNode } from 'kysely'
import type { PositionValue } from '../../contract/source.ts'

/** How values of a type leave the database without loss, and go back into comparisons. */
export interface ValueKind {
  /** What rows are ordered and compared by, where the column itself is compared in two ways. */
  readonly ordered?: (column: OperationNode) => OperationNode
  /** A lossless form of the value, where the driver does not give one. */
  readonly read?: (ordered: OperationNode) => OperationNode
  /** The value as it came, as a position keeps it. @throws Error a driver was told to lose digits */
  readonly kept?: (value: unknown) => PositionValue
  /** May a position have this value? `null` is asked elsewhere. */
  readonly fits: (value: PositionValue) => boolean
  /** A parameter, so that it is compared as a value of the type. */
  readonly bound?: (parameter: OperationNode) => OperationNode
  /** The same for a condition, where that differs. `values` are all that the condition compares with. */
  readonly boundInCondition?: (
    parameter: ValueNode,
    column: OperationNode,
    values: readonly unknown[],
  ) => OperationNode
  /**
   * Is the column one of these values, in a text that is the same for every number of them? `null`, or
   * absent: it takes a parameter for each.
   */
  readonly oneOf?: (column: OperationNode, values: readonly unknown[]) => OperationNode | null
  /** What the driver is given. */
  readonly sent?: (value: PositionValue) => unknown
  /** The value that a condition means; `undefined`: none of this type. */
  readonly meant: (value: unknown) => unknown
}
