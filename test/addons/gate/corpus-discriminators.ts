import type { Json, LabelledChange } from './corpus.ts'
import {
  answers,
  breaksBoth,
  breaksReaders,
  breaksSenders,
  object,
  reads,
  type Labels,
} from './documents.ts'

const text = { type: 'string' }
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
/** Nothing but the discriminator tells these apart. */
const ANIMALS: Json = {
  Cat: object({ kind: text, name: text }),
  Dog: object({ kind: text, name: text, owner: text }),
  Cow: object({ kind: text }),
}
const oneOf = [ref('Cat'), ref('Dog')]
const by = (propertyName: string, mapping?: Json) => ({
  discriminator: { propertyName, ...(mapping && { mapping }) },
})
const named = { cat: '#/components/schemas/Cat', dog: 'Dog' }

function both(
  title: string,
  [before, after]: readonly [unknown, unknown],
  { sent, got }: Labels,
  [old, now]: readonly [Json, Json] = [ANIMALS, ANIMALS],
): readonly LabelledChange[] {
  return [
    {
      title: `what is sent: ${title}`,
      before: reads(before, old),
      after: reads(after, now),
      expected: sent.map((label) => label.replace(' ', ' request-')),
    },
    {
      title: `what is got: ${title}`,
      before: answers(before, old),
      after: answers(after, now),
      expected: got.map((label) => label.replace(' ', ' response-')),
    },
  ]
}

/** By what programs tell the branches of a schema apart. */
export const discriminators = (): readonly LabelledChange[] => [
  ...both(
    'a discriminator is added',
    [{ anyOf: oneOf }, { anyOf: oneOf, ...by('kind') }],
    breaksSenders('discriminator-added'),
  ),
  ...both(
    'a discriminator is removed',
    [{ anyOf: oneOf, ...by('kind') }, { anyOf: oneOf }],
    breaksReaders('discriminator-removed'),
  ),
  ...both(
    'a discriminator looks at another property',
    [
      { oneOf, ...by('kind') },
      { oneOf, ...by('name') },
    ],
    breaksBoth('discriminator-changed'),
  ),
  ...both(
    'a branch without a name comes beside those of a discriminator',
    [
      { anyOf: oneOf, ...by('kind', named) },
      {
        anyOf: [...oneOf, object({ kind: text, wool: { type: 'boolean' } })],
        ...by('kind', named),
      },
    ],
    breaksReaders('alternative-added'),
  ),
  ...both(
    'a discriminator gets another name for a branch',
    [
      { oneOf, ...by('kind', named) },
      { oneOf, ...by('kind', { ...named, puppy: 'Dog' }) },
    ],
    breaksReaders('discriminator-value-added'),
  ),
  ...both(
    'a discriminator loses one of the names of a branch',
    [
      { oneOf, ...by('kind', { ...named, puppy: 'Dog' }) },
      { oneOf, ...by('kind', named) },
    ],
    breaksSenders('discriminator-value-removed'),
  ),
  ...both(
    'a value of a discriminator means another branch',
    [
      { oneOf, ...by('kind', named) },
      { oneOf, ...by('kind', { cat: 'Dog', dog: 'Cat' }) },
    ],
    breaksBoth('discriminator-changed'),
  ),
  ...both(
    'schemas that a discriminator knows by their names are renamed',
    [
      { oneOf, ...by('kind') },
      { oneOf: [ref('Cat'), ref('Hound')], ...by('kind') },
    ],
    {
      sent: ['breaking discriminator-value-removed', 'compatible discriminator-value-added'],
      got: ['compatible discriminator-value-removed', 'breaking discriminator-value-added'],
    },
    [ANIMALS, { ...ANIMALS, Hound: ANIMALS['Dog'] }],
  ),
  ...both(
    'schemas that a discriminator maps are renamed',
    [
      { oneOf, ...by('kind', named) },
      { oneOf: [ref('Cat'), ref('Hound')], ...by('kind', { ...named, dog: 'Hound' }) },
    ],
    { sent: [], got: [] },
    [ANIMALS, { ...ANIMALS, Hound: ANIMALS['Dog'] }],
  ),
  ...both(
    'the names of schemas are written into the mapping',
    [
      { oneOf, ...by('kind') },
      { oneOf, ...by('kind', { Cat: 'Cat', Dog: 'Dog' }) },
    ],
    { sent: [], got: [] },
  ),
  ...both(
    'a branch that a discriminator tells apart is added',
    [
      { oneOf, ...by('kind') },
      { oneOf: [...oneOf, ref('Cow')], ...by('kind') },
    ],
    {
      sent: ['compatible alternative-added', 'compatible discriminator-value-added'],
      got: ['breaking alternative-added', 'breaking discriminator-value-added'],
    },
  ),
  ...both(
    'a branch that a discriminator tells apart is removed',
    [
      { oneOf: [...oneOf, ref('Cow')], ...by('kind') },
      { oneOf, ...by('kind') },
    ],
    {
      sent: ['breaking alternative-removed', 'breaking discriminator-value-removed'],
      got: ['compatible alternative-removed', 'compatible discriminator-value-removed'],
    },
  ),
  ...both(
    'two branches that a discriminator tells apart get a property',
    [
      { oneOf, ...by('kind', named) },
      { oneOf, ...by('kind', named) },
    ],
    { sent: ['compatible property-added'], got: ['compatible property-added'] },
    [
      ANIMALS,
      {
        Cat: object({ kind: text, name: text, age: text }, { required: ['kind', 'name'] }),
        Dog: object(
          { kind: text, name: text, owner: text, age: text },
          {
            required: ['kind', 'name', 'owner'],
          },
        ),
      },
    ],
  ),
  ...both(
    'a schema of which others are made gets one more of them',
    [ref('Animal'), ref('Animal')],
    breaksReaders('discriminator-value-added'),
    [
      { ...ANIMALS, Animal: object({ kind: text }, by('kind', { cat: 'Cat' })) },
      { ...ANIMALS, Animal: object({ kind: text }, by('kind', { cat: 'Cat', dog: 'Dog' })) },
    ],
  ),
]
