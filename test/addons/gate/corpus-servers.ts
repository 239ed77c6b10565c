import type { Json, LabelledChange } from './corpus.ts'
import { documentOf, operation } from './documents.ts'

const get = { responses: { '200': { description: 'OK' } } }
const at = (...servers: readonly Json[]): Json => documentOf({ '/a/': { get } }, { servers })
const versions = (members: Json): Json =>
  at({
    url: 'https://{version}.example.com',
    variables: { version: { default: 'v1', ...members } },
  })
const V1 = { url: 'https://v1.example.com' }
const V2 = { url: 'https://v2.example.com' }

/** So many values: more than a thousand are compared as they stand. */
const values = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `v${index + 1}`)

/** Where the service is: variables of servers, and servers of one operation. */
export const servers = (): readonly LabelledChange[] => [
  {
    title: 'an operation without servers of its own has those of all',
    before: documentOf({ '/a/': { get: { ...get, servers: [] } } }, { servers: [V1] }),
    after: at(V1),
    expected: [],
  },
  {
    title: 'a variable of a server loses a value',
    before: versions({ enum: ['v1', 'v2'] }),
    after: versions({ enum: ['v1'] }),
    expected: ['breaking server-removed'],
  },
  {
    title: 'a variable of a server gets a value',
    before: versions({ enum: ['v1'] }),
    after: versions({ enum: ['v1', 'v2'] }),
    expected: ['compatible server-added'],
  },
  {
    title: 'a variable of a server loses the last of 1000 values',
    before: versions({ enum: values(1000) }),
    after: versions({ enum: values(999) }),
    expected: ['breaking server-removed'],
  },
  {
    title: 'a variable of a server gets one more than 99 values',
    before: versions({ enum: values(99) }),
    after: versions({ enum: values(100) }),
    expected: ['compatible server-added'],
  },
  {
    title: 'a variable of a server loses the last of 1002 values',
    before: versions({ enum: values(1002) }),
    after: versions({ enum: values(1001) }),
    expected: ['breaking server-removed', 'compatible server-added'],
  },
  {
    title: 'more than 1000 values of a variable come in another order',
    before: versions({ enum: values(1001) }),
    after: versions({ enum: values(1001).toReversed() }),
    expected: [],
  },
  {
    title: 'a variable of a server with more than 1000 values takes anything',
    before: versions({ enum: values(1001) }),
    after: versions({}),
    expected: ['compatible server-added'],
  },
  {
    title: 'a variable of a server that took anything takes two values',
    before: versions({}),
    after: versions({ enum: ['v1', 'v2'] }),
    expected: ['breaking server-removed'],
  },
  {
    title: 'a variable of a server takes anything',
    before: versions({ enum: ['v1', 'v2'] }),
    after: versions({}),
    expected: ['compatible server-added'],
  },
  {
    title: 'another value stands for a variable of a server that is left out',
    before: versions({ enum: ['v1', 'v2'] }),
    after: versions({ enum: ['v1', 'v2'], default: 'v2' }),
    expected: ['breaking server-default-changed'],
  },
  {
    title: 'another value stands for a variable that takes anything',
    before: versions({}),
    after: versions({ default: 'v2' }),
    expected: ['breaking server-default-changed'],
  },
  {
    title: 'a variable of a server is renamed',
    before: versions({ enum: ['v1', 'v2'] }),
    after: at({
      url: 'https://{release}.example.com',
      variables: { release: { enum: ['v1', 'v2'], default: 'v1' } },
    }),
    expected: [],
  },
  {
    title: 'the values of a variable are written as servers',
    before: versions({ enum: ['v1', 'v2'] }),
    after: at(V1, V2),
    expected: [],
  },
  {
    title: 'the description of a variable changes',
    before: versions({ enum: ['v1'], description: 'The version.' }),
    after: versions({ enum: ['v1'], description: 'Which version it is.' }),
    expected: [],
  },
  {
    title: 'an operation moves to a server of its own',
    before: operation({}, '/a/', { servers: [V1] }),
    after: operation({ servers: [V2] }, '/a/', { servers: [V1] }),
    expected: ['breaking server-removed', 'compatible server-added'],
  },
  {
    title: 'an operation gets one more server',
    before: operation({ servers: [V1] }),
    after: operation({ servers: [V1, V2] }),
    expected: ['compatible server-added'],
  },
  {
    title: 'a path moves to a server of its own',
    before: documentOf({ '/a/': { get } }, { servers: [V1] }),
    after: documentOf({ '/a/': { get, servers: [V2] } }, { servers: [V1] }),
    expected: ['breaking server-removed', 'compatible server-added'],
  },
  {
    title: 'an operation says the server of its path itself',
    before: documentOf({ '/a/': { get, servers: [V2] } }, { servers: [V1] }),
    after: documentOf({ '/a/': { get: { ...get, servers: [V2] } } }, { servers: [V1] }),
    expected: [],
  },
]
