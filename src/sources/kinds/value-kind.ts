import type { OperationNode } from 'kysely'
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
  /** The same for a condition, where that differs. */
  readonly boundInCondition?: (
    parameter: OperationNode,
    column: OperationNode,
    value: unknown,
  ) => OperationNode
  /** What the driver is given. */
  readonly sent?: (value: PositionValue) => unknown
  /** The value that a condition means; `undefined`: none of this type. */
  readonly meant: (value: unknown) => unknown
}
