// Small faults for a source, one at a time: the replacements that each operator makes of a node of the syntax tree.
import { parseAst } from 'rolldown/parseAst'

/** A change of a text: the part from `start` to `end` becomes `to`. */
export interface Mutant {
  readonly file: string
  readonly start: number
  readonly end: number
  readonly to: string
  readonly operator: string
  /** The number of the function around it in the file; −1 outside of all. */
  readonly within: number
}

/** A function, and the position of its first statement or its expression. */
export interface FunctionPlace {
  readonly start: number
  readonly end: number
  readonly isBlock: boolean
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}
type Change = readonly [operator: string, from: { start: number; end: number }, to: string]

const SWAPPED: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '==': ['!='],
  '!=': ['=='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
  '??=': ['='],
  '||=': ['='],
}
const METHODS: Readonly<Record<string, string>> = {
  toLowerCase: 'toUpperCase',
  toUpperCase: 'toLowerCase',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
}
/** Calls that a mutant can replace by their receiver. */
const PASSED = new Set(['filter', 'trim', 'toReversed', 'reverse', 'slice', 'toSorted', 'sort'])
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])
/** TypeScript's wrappers of expressions. */
const WRAPPERS = new Set([
  'TSAsExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression',
  'TSParameterProperty',
])
/** Nodes without code at run time, or without code that a test could be about. */
const SKIPPED_KEYS = new Set([
  'type',
  'start',
  'end',
  'typeAnnotation',
  'typeParameters',
  'typeArguments',
  'returnType',
  'implements',
  'superTypeArguments',
  'source',
  'decorators',
  'directive',
])

/** All functions of a source, and all changes after which it still parses. */
export function mutantsOf(
  file: string,
  text: string,
): { readonly functions: readonly FunctionPlace[]; readonly mutants: readonly Mutant[] } {
  const functions: FunctionPlace[] = []
  const mutants: Mutant[] = []
  const visit = (node: Node, within: number): void => {
    const inner = FUNCTIONS.has(node.type) && isNode(node['body']) ? functions.length : within
    if (inner !== within) functions.push(placeOf(node['body'] as Node))
    // The result of an arrow function is part of it; the rest of a function belongs to the one around it.
    const place = node.type === 'ArrowFunctionExpression' ? inner : within
    for (const [operator, { start, end }, to] of changesTo(node, text))
      mutants.push({ file, start, end, to, operator, within: place })
    for (const child of childrenOf(node)) visit(child, inner)
  }
  visit(parseAst(text, { lang: 'ts' }) as unknown as Node, -1)
  return {
    functions,
    // Each mutant is parsed, so the list is made only on demand.
    get mutants() {
      return mutants.filter((mutant) => {
        const is = mutated(text, mutant)
        return is !== text && parses(is)
      })
    },
  }
}

/** The text with the change. */
export function mutated(text: string, { start, end, to }: Mutant): string {
  return text.slice(0, start) + to + text.slice(end)
}

function placeOf(body: Node): FunctionPlace {
  return { start: body.start, end: body.end, isBlock: body.type === 'BlockStatement' }
}

function parses(text: string): boolean {
  try {
    parseAst(text, { lang: 'ts' })
    return true
  } catch {
    return false
  }
}

function isNode(value: unknown): value is Node {
  return typeof (value as Node | null)?.type === 'string'
}

function childrenOf(node: Node): readonly Node[] {
  if (node.type.startsWith('TS') && !WRAPPERS.has(node.type)) return []
  if (node.type === 'ImportDeclaration') return []
  return Object.entries(node)
    .filter(([key]) => !SKIPPED_KEYS.has(key) && !(key === 'key' && node['computed'] === false))
    .flatMap(([, value]) => value as Node | readonly Node[])
    .filter(isNode)
}

function changesTo(node: Node, text: string): readonly Change[] {
  const of = (part: unknown): string => text.slice((part as Node).start, (part as Node).end)
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'AssignmentExpression':
      return operatorChanges(node, text)
    case 'ConditionalExpression':
      return [
        ['branch', node, `(${of(node['consequent'])})`],
        ['branch', node, `(${of(node['alternate'])})`],
      ]
    case 'IfStatement':
      return ['true', 'false'].map((to) => ['condition', node['test'] as Node, to])
    case 'WhileStatement':
      return [['condition', node['test'] as Node, 'false']]
    case 'ForStatement':
      return node['test'] === null ? [] : [['condition', node['test'] as Node, 'false']]
    case 'UnaryExpression':
      return ['!', '-'].includes(String(node['operator']))
        ? [['unary', node, `(${of(node['argument'])})`]]
        : []
    case 'UpdateExpression':
      return [
        [
          'update',
          node,
          of(node).includes('++') ? of(node).replace('++', '--') : of(node).replace('--', '++'),
        ],
      ]
    case 'ExpressionStatement':
      return isRemovable(node['expression'] as Node) ? [['statement', node, ';']] : []
    case 'ReturnStatement':
      return isNode(node['argument']) ? [['return', node['argument'], 'undefined']] : []
    case 'ArrowFunctionExpression':
      return (node['body'] as Node).type === 'BlockStatement'
        ? []
        : [['return', node['body'] as Node, 'undefined']]
    case 'Literal':
      return literalChanges(node)
    case 'TemplateLiteral':
      return of(node).length > 2 ? [['text', node, '``']] : []
    case 'ArrayExpression':
      return (node['elements'] as unknown[]).length > 0 ? [['array', node, '[]']] : []
    case 'CallExpression':
      return callChanges(node, text)
    case 'MemberExpression':
      return node['optional'] === true ? optionalChange(node, text) : []
    default:
      return []
  }
}

function operatorChanges(node: Node, text: string): readonly Change[] {
  const [left, right] = [node['left'] as Node, node['right'] as Node]
  const operator = String(node['operator'])
  const at = text.indexOf(operator, left.end)
  if (at === -1 || at > right.start) return []
  const place = { start: at, end: at + operator.length }
  return (SWAPPED[operator] ?? []).map((to): Change => ['operator', place, to])
}

/** All expressions but the call of a parent's constructor, without which nothing works. */
function isRemovable(expression: Node): boolean {
  const callee = expression['callee'] as Node | undefined
  return callee?.type !== 'Super' && expression.type !== 'Literal'
}

function literalChanges(node: Node): readonly Change[] {
  const { value } = node
  if (typeof value === 'boolean') return [['boolean', node, String(!value)]]
  if (typeof value === 'number') return [['number', node, String(value + 1)]]
  if (typeof value === 'string') return [['text', node, value === '' ? "'mutated'" : "''"]]
  return []
}

function callChanges(node: Node, text: string): readonly Change[] {
  const callee = node['callee'] as Node
  const property = callee['property'] as Node | undefined
  if (callee.type !== 'MemberExpression' || callee['computed'] === true || !property) return []
  const name = String(property['name'])
  const receiver = callee['object'] as Node
  if (Object.hasOwn(METHODS, name)) return [['method', property, METHODS[name]!]]
  return PASSED.has(name) ? [['method', node, text.slice(receiver.start, receiver.end)]] : []
}

function optionalChange(node: Node, text: string): readonly Change[] {
  const at = text.indexOf('?.', (node['object'] as Node).end)
  if (at === -1 || at >= node.end) return []
  return [['optional', { start: at, end: at + 2 }, node['computed'] === true ? '' : '.']]
}
