/** Forms of a sentence by the number in its `{count}`, named as in `Intl.PluralRules`. */
export interface PluralForms extends Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> {
  readonly other: string
}

/** A sentence with `{parameters}`. */
export type Template = string | PluralForms

/** Reads `{count} [byte|bytes]` as two sentences: for one, and for every other number. */
export function withForms<Key extends string>(
  sentences: Readonly<Record<Key, string>>,
): Readonly<Record<Key, Template>> {
  const templates: Record<string, Template> = { ...sentences }
  for (const [key, text] of Object.entries<string>(sentences)) {
    if (!text.includes('[')) continue
    const form = (at: number): string =>
      text.replace(/\[.*\]/, (both) => both.slice(1, -1).split('|')[at]!)
    templates[key] = { one: form(0), other: form(1) }
  }
  return templates as Readonly<Record<Key, Template>>
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
