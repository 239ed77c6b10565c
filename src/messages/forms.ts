/** Forms of a sentence by the number in its `{count}`, named as in `Intl.PluralRules`. */
export interface PluralForms extends Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> {
  readonly other: string
}

/** A sentence with `{parameters}`. */
export type Template = string | PluralForms

const FORMS = /\[(.*)\|(.*)\]/

/** Reads `{count} [byte|bytes]` as two sentences: for one, and for every other number. */
export function withForms<Key extends string>(
  sentences: Readonly<Record<Key, string>>,
): Readonly<Record<Key, Template>> {
  const templates = Object.entries<string>(sentences).map(([key, text]) => {
    const [one, other] = ['$1', '$2'].map((form) => text.replace(FORMS, form))
    return [key, one === other ? text : { one, other }]
  })
  return Object.fromEntries(templates) as Readonly<Record<Key, Template>>
}

/** The form of a template for the number in `{count}`. */
export function formOf(
  template: Template,
  { count }: Readonly<Record<string, unknown>>,
  select: (count: number) => keyof PluralForms,
): string {
  if (typeof template === 'string') return template
  return template[select(Number(count))] ?? template.other
}

/** Replaces each `{parameter}` once: values are not searched for parameters. */
export function fillIn<Value>(
  text: string,
  values: Readonly<Record<string, Value>>,
  show: (value: Value) => string,
): string {
  if (!text.includes('{')) return text
  return text.replace(PARAMETER, (place, name: string) =>
    Object.hasOwn(values, name) ? show(values[name]!) : place,
  )
}

/** The names between braces. */
export function parametersOf(template: string): string[] {
  return [...template.matchAll(PARAMETER)].map(([, name]) => name!)
}

const PARAMETER = /\{(\w*)\}/g
