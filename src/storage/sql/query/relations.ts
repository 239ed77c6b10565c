// Rows of other tables that belong to a row of the list: conditions on them ask whether there is one.
import {
  AliasNode,
  ColumnNode,
  FromNode,
  IdentifierNode,
  type OperationNode,
  OperatorNode,
  ReferenceNode,
  type SelectQueryNode,
  TableNode,
  UnaryOperationNode,
  ValueNode,
} from 'kysely'
import { ConfigurationError } from '../../../core/errors/configuration-error.ts'
import { type Truth, aliased, and, narrowed, operation } from '../nodes.ts'

/** Rows of another table that belong to a row of the list, of which there may be any number. */
export interface SqlRelation {
  /** `comment`, or `forum.comment` with its schema. */
  readonly table: string
  /** A column of that table, and the one of the list that it refers to: `['ticket', 'id']`. */
  readonly on: readonly [theirs: string, ours: string]
  /** Its columns that conditions may name. */
  readonly columns: readonly string[]
}

/** By the name that stands in front of the column: `comments.body`. */
export type SqlRelations = Readonly<Record<string, SqlRelation>>

/** The names of conditions on relations: `comments.body`. */
export type RelationNames<Relations extends SqlRelations> = [Relations] extends [never]
  ? never
  : {
      [Name in keyof Relations & string]: `${Name}.${Relations[Name]['columns'][number]}`
    }[keyof Relations & string]

export class Relation {
  readonly name: string
  readonly table: string
  /** The column of the list, as its query may name it. */
  readonly ours: string
  readonly columns: readonly string[]
  /** What the query calls it; no table of an application is called so. */
  readonly alias: string
  readonly #theirs: string
  readonly #from: FromNode

  constructor(name: string, { table, on, columns }: SqlRelation) {
    const [theirs, ours] = on
    const point = table.indexOf('.')
    this.name = name
    this.table = table.slice(point + 1)
    this.ours = ours
    this.columns = columns
    this.alias = `~${name}`
    this.#theirs = theirs
    const stored =
      point < 0
        ? TableNode.create(table)
        : TableNode.createWithSchema(table.slice(0, point), this.table)
    this.#from = FromNode.create([AliasNode.create(stored, IdentifierNode.create(this.alias))])
  }

  /** Of conditions on it. */
  get names(): readonly string[] {
    return this.columns.map((column) => `${this.name}.${column}`)
  }

  /** One of its columns by the name of a condition; `null`: the name is none of these. */
  column(text: string): OperationNode | null {
    const column = text.slice(this.name.length + 1)
    const isOurs = text.startsWith(`${this.name}.`) && this.columns.includes(column)
    return isOurs ? this.#reference(column) : null
  }

  /** All its rows. */
  query(): SelectQueryNode {
    const one = aliased(ValueNode.createImmediate(1), 'one')
    return { kind: 'SelectQueryNode', from: this.#from, selections: [one] }
  }

  /**
   * Is there a row that belongs to this one of the list, and for which this is true?
   *
   * @throws ConfigurationError the column of the list could be taken for one of this table
   */
  exists(ours: OperationNode, truth: Truth): Truth {
    if (!ReferenceNode.is(ours) || ours.table === undefined)
      throw new ConfigurationError(
        `The relation "${this.name}" needs the table of its column "${this.ours}": "ticket.${this.ours}", for instance.`,
      )
    const belongs = operation(this.#reference(this.#theirs), '=', ours)
    const found = narrowed(this.query(), and(belongs, truth))
    return UnaryOperationNode.create(OperatorNode.create('exists'), found)
  }

  #reference(column: string): OperationNode {
    return ReferenceNode.create(ColumnNode.create(column), TableNode.create(this.alias))
  }
}
