// Rows of other tables that belong to a row of the list: conditions on them ask whether there is one.
import {
  AliasNode,
  FromNode,
  IdentifierNode,
  JoinNode,
  type OperationNode,
  OperatorNode,
  ReferenceNode,
  SelectAllNode,
  type SelectQueryNode,
  SelectionNode,
  TableNode,
  UnaryOperationNode,
  ValueNode,
} from 'kysely'
import { ConfigurationError } from '../../../core/errors/configuration-error.ts'
import {
  type RelationScope,
  theirColumn,
} from '../../../resources/serializers/tenant-references.ts'
import { type Truth, columnOf, withAlias, and, withWhere, operation, toNode } from '../nodes.ts'

/** Rows of another table that belong to a row of the list, of which there may be any number. */
export interface SqlRelation<Scope = RelationScope> {
  /** `comment`, or `forum.comment` with its schema. */
  readonly table: string
  /** A column of that table, and the one of the list that it refers to: `['ticket', 'id']`. */
  readonly on: readonly [theirs: string, ours: string]
  /** Its columns that conditions may name. */
  readonly columns: readonly string[]
  /**
   * In a list with a scope, only rows with the same values in the same columns are seen. Where a column has another name,
   * say it: `{ clinic: 'clinic_id' }`. `null` lets rows of every tenant be seen.
   *
   * @default the columns of the list's scope
   */
  readonly scope?: Scope
}

/**
 * The column and value of a relation's rows for those of a scope; `null`: none. @throws ConfigurationError they have no such
 * column
 */
type ScopeOfRelation = (
  ours: string,
  value: unknown,
) => readonly [theirs: string, value: unknown] | null

/** A scope, as another library names its columns. */
export type KnownScope = RelationScope | ScopeOfRelation

/** A relation with facts that its declaration does not have. */
export interface KnownRelation extends SqlRelation<KnownScope> {
  /** Only these rows of the table. */
  readonly rows?: OperationNode | undefined
  /** A row of the list has one of them at most: lists can be ordered by it. */
  readonly isOne?: boolean
}

/** By the name that stands in front of the column: `comments.body`. */
export type SqlRelations = Readonly<Record<string, SqlRelation>>

/** The names of conditions on relations: `comments.body`. */
export type RelationNames<
  Relations extends Readonly<Record<string, Pick<SqlRelation, 'columns'>>>,
> = [Relations] extends [never]
  ? never
  : {
      [Name in keyof Relations & string]: `${Name}.${Relations[Name]['columns'][number]}`
    }[keyof Relations & string]

export class Relation {
  readonly name: string
  readonly table: string
  /** The column of the list, as the query of the list may name it. */
  readonly ours: string
  readonly columns: readonly string[]
  /** The name of the table in the query, which no table of an application has. */
  readonly alias: string
  /** Has a row of the list one of them at most? */
  readonly isOne: boolean
  readonly #theirs: string
  readonly #from: FromNode
  readonly #scope: KnownScope | undefined

  constructor(name: string, { table, on, columns, scope, rows, isOne = false }: KnownRelation) {
    const [theirs, ours] = on
    const point = table.indexOf('.')
    this.name = name
    this.table = table.slice(point + 1)
    this.ours = ours
    this.columns = columns
    this.alias = `~${name}`
    this.isOne = isOne
    this.#theirs = theirs
    this.#scope = scope
    const stored =
      point < 0
        ? TableNode.create(table)
        : TableNode.createWithSchema(table.slice(0, point), this.table)
    const node = AliasNode.create(rows ?? stored, IdentifierNode.create(this.alias))
    this.#from = FromNode.create([node])
  }

  /** The names of conditions on the relation. */
  get names(): readonly string[] {
    return this.columns.map((column) => this.nameOf(column))
  }

  nameOf(column: string): string {
    return `${this.name}.${column}`
  }

  /** Any column of the table by the name of a condition. */
  reference(text: string): OperationNode {
    return this.#reference(text.slice(this.name.length + 1))
  }

  /** The values that rows of the relation must have, where rows of the list have these values. */
  within(values: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
    const scope = this.#scope
    if (scope === null) return []
    const pair: ScopeOfRelation =
      typeof scope === 'function'
        ? scope
        : (ours, value) => {
            const theirs = theirColumn(ours, scope)
            return theirs === null ? null : [theirs, value]
          }
    return Object.entries(values).flatMap(([ours, value]) => {
      const known = pair(ours, value)
      return known === null ? [] : [known]
    })
  }

  /** @throws ConfigurationError the table has not all of them */
  checkScope(columns: readonly string[], known: readonly string[]): void {
    const lacking = columns.find((column) => !known.includes(column))
    if (lacking === undefined) return
    throw new ConfigurationError(
      `The relation "${this.name}" has no column "${lacking}", by which its list has a scope. Say which it is (scope: { ${lacking}: '…' }), or that any row may be seen (scope: null, or { ${lacking}: null }).`,
    )
  }

  /** A query of all rows of the relation, with their columns where these are asked for. */
  query(selected: 'one' | 'all' = 'one'): SelectQueryNode {
    const one = withAlias(ValueNode.createImmediate(1), 'one')
    const all = SelectionNode.create(SelectAllNode.create())
    return {
      kind: 'SelectQueryNode',
      from: this.#from,
      selections: [selected === 'one' ? one : all],
    }
  }

  /**
   * Is there a row that belongs to this one of the list, and for which this is true?
   *
   * @throws ConfigurationError the column of the list could be taken for one of this table
   */
  exists(ours: OperationNode, truth: Truth): Truth {
    this.#checkOurs(ours)
    const belongs = operation(this.#reference(this.#theirs), '=', ours)
    const found = withWhere(this.query(), and(belongs, truth))
    return UnaryOperationNode.create(OperatorNode.create('exists'), found)
  }

  /**
   * A join of the one row that belongs to a row of the list. Its columns have names of their own, so that a name alone stays
   * clear.
   */
  beside(ours: OperationNode, truth: Truth): JoinNode {
    this.#checkOurs(ours)
    const columns = [...new Set([this.#theirs, ...this.columns])]
    const selections = columns.map((each) => withAlias(this.#reference(each), this.nameOf(each)))
    const rows = { ...withWhere(this.query(), truth), selections }
    const node = AliasNode.create(rows, IdentifierNode.create(this.alias))
    const on = operation(this.#reference(this.nameOf(this.#theirs)), '=', ours)
    return JoinNode.createWithOn('LeftJoin', node, toNode(on))
  }

  #checkOurs(ours: OperationNode): void {
    if (!ReferenceNode.is(ours) || ours.table === undefined)
      throw new ConfigurationError(
        `The relation "${this.name}" needs the table of its column "${this.ours}": "ticket.${this.ours}", for instance.`,
      )
  }

  #reference(column: string): OperationNode {
    return columnOf(this.alias, column)
  }
}
