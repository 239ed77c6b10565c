import type { LabelledChange } from './corpus.ts'
import { answers, asks, documentOf, json, operation, reads } from './documents.ts'

const text = { type: 'string' }
const OK = { '200': { description: 'OK', content: json({ type: 'object' }) } }
const get = { responses: OK }

/** Paths, parameters, bodies, answers and the life cycle. */
export const operations = (): readonly LabelledChange[] => [
  ...addresses(),
  ...parameters(),
  ...written(),
  ...lists(),
  ...bodies(),
  ...responses(),
  ...described(),
  ...lifeCycle(),
]

function addresses(): readonly LabelledChange[] {
  const both = documentOf({ '/cities/': { get, post: get } })
  return [
    {
      title: 'a path is removed',
      before: documentOf({ '/a/': { get }, '/b/': { get } }),
      after: documentOf({ '/a/': { get } }),
      expected: ['breaking operation-removed'],
    },
    {
      title: 'a path is added',
      before: documentOf({ '/a/': { get } }),
      after: documentOf({ '/a/': { get }, '/b/': { get } }),
      expected: ['compatible operation-added'],
    },
    {
      title: 'a method is removed',
      before: both,
      after: documentOf({ '/cities/': { get } }),
      expected: ['breaking operation-removed'],
    },
    ...['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'].map((method) => ({
      title: `${method} is removed`,
      before: documentOf({ '/a/': { [method]: get }, '/b/': { get } }),
      after: documentOf({ '/b/': { get } }),
      expected: ['breaking operation-removed'],
    })),
    {
      title: 'a method is added',
      before: documentOf({ '/cities/': { get } }),
      after: both,
      expected: ['compatible operation-added'],
    },
    {
      title: 'a path loses its slash at the end',
      before: documentOf({ '/a/': { get } }),
      after: documentOf({ '/a': { get } }),
      expected: ['breaking operation-removed', 'compatible operation-added'],
    },
    {
      title: 'another server',
      before: documentOf({ '/a/': { get } }, { servers: [{ url: 'https://a.example' }] }),
      after: documentOf({ '/a/': { get } }, { servers: [{ url: 'https://b.example' }] }),
      expected: ['breaking server-removed', 'compatible server-added'],
    },
  ]
}

function parameters(): readonly LabelledChange[] {
  const name = { name: 'name', schema: text }
  const header = { name: 'X-Tenant', in: 'header', schema: text }
  const id = (schema: unknown) =>
    operation({ parameters: [{ name: 'id', in: 'path', required: true, schema }] }, '/cities/{id}/')
  return [
    {
      title: 'an optional parameter is added',
      before: asks(),
      after: asks(name),
      expected: ['compatible parameter-added'],
    },
    {
      title: 'a parameter of the query is written in capitals',
      before: asks(name),
      after: asks({ ...name, name: 'NAME' }),
      expected: ['breaking parameter-removed', 'compatible parameter-added'],
    },
    {
      title: 'a required parameter is added',
      before: asks(),
      after: asks({ ...name, required: true }),
      expected: ['breaking required-parameter-added'],
    },
    {
      title: 'a new required header',
      before: asks(),
      after: asks({ ...header, required: true }),
      expected: ['breaking required-parameter-added'],
    },
    {
      title: 'an optional header',
      before: asks(),
      after: asks(header),
      expected: ['compatible parameter-added'],
    },
    {
      title: 'an optional parameter becomes required',
      before: asks(name),
      after: asks({ ...name, required: true }),
      expected: ['breaking parameter-became-required'],
    },
    {
      title: 'a required parameter becomes optional',
      before: asks({ ...name, required: true }),
      after: asks(name),
      expected: ['compatible parameter-became-optional'],
    },
    {
      title: 'a required parameter of the path becomes a number',
      before: id(text),
      after: id({ type: 'integer' }),
      expected: ['breaking parameter-type-changed'],
    },
    {
      title: 'a parameter moves from the query to a header',
      before: asks(name),
      after: asks({ ...name, in: 'header' }),
      expected: ['breaking parameter-removed', 'compatible parameter-added'],
    },
    {
      title: 'a list of values is written otherwise',
      before: asks({ ...name, schema: { type: 'array', items: text } }),
      after: asks({ ...name, schema: { type: 'array', items: text }, explode: false }),
      expected: ['breaking parameter-style-changed'],
    },
    {
      title: 'a parameter may no longer be empty',
      before: asks({ ...name, allowEmptyValue: true }),
      after: asks(name),
      expected: ['breaking parameter-empty-value-refused'],
    },
    {
      title: 'a parameter may be empty',
      before: asks(name),
      after: asks({ ...name, allowEmptyValue: true }),
      expected: ['compatible parameter-empty-value-allowed'],
    },
    {
      title: 'a parameter loses a format',
      before: asks({ ...name, schema: { ...text, format: 'date' } }),
      after: asks(name),
      expected: ['compatible parameter-format-removed'],
    },
    {
      title: 'a parameter for all methods of a path becomes required',
      before: documentOf({ '/a/': { get, parameters: [{ ...name, in: 'query' }] } }),
      after: documentOf({ '/a/': { get, parameters: [{ ...name, in: 'query', required: true }] } }),
      expected: ['breaking parameter-became-required'],
    },
  ]
}

/** What a name, a place and a style of a parameter mean. */
function written(): readonly LabelledChange[] {
  const id = { name: 'id', in: 'path', required: true, schema: text }
  const whole = { type: 'integer' }
  const at = (path: string, ...all: readonly object[]) => operation({ parameters: all }, path)
  const style = (place: string, members: object) =>
    asks({ name: 'a', in: place, schema: text, ...members })
  return [
    {
      title: 'a filter is removed that has the name of a parameter of the path',
      before: at('/cities/{id}/', id, { ...id, in: 'query', required: false }),
      after: at('/cities/{id}/', id),
      expected: ['breaking parameter-removed'],
    },
    {
      title: 'the first of two parameters of a path becomes a number',
      before: at('/a/{id}/{to}/', id, { ...id, name: 'to' }),
      after: at('/a/{id}/{to}/', { ...id, schema: whole }, { ...id, name: 'to' }),
      expected: ['breaking parameter-type-changed'],
    },
    ...['Accept', 'Content-Type', 'Authorization'].map((name) => ({
      title: `the header ${name} is named, which is described elsewhere`,
      before: asks(),
      after: asks({ name, in: 'header', required: true, schema: text }),
      expected: [],
    })),
    {
      title: 'a parameter stays deprecated',
      before: style('query', { deprecated: true }),
      after: style('query', { deprecated: true, style: 'form' }),
      expected: [],
    },
    {
      title: 'a parameter is no longer deprecated',
      before: style('query', { deprecated: true }),
      after: style('query', {}),
      expected: [],
    },
    ...[
      { place: 'cookie', members: { style: 'form', explode: true } },
      { place: 'header', members: { style: 'simple', explode: false } },
      { place: 'query', members: { allowReserved: false } },
      { place: 'query', members: { content: {} } },
      { place: 'query', members: { content: { 'application/json': null } } },
    ].map(({ place, members }) => ({
      title: `${JSON.stringify(members)} is said of a parameter in the ${place}`,
      before: style(place, { ...('content' in members && { content: members.content }) }),
      after: style(place, { ...members, title: undefined }),
      expected: [],
    })),
    {
      title: 'no parameters are written as a list of none',
      before: documentOf({ '/a/': { get } }),
      after: documentOf({ '/a/': { parameters: [], get: { ...get, parameters: [] } } }),
      expected: [],
    },
    {
      title: 'parameters that are no list',
      before: operation({ parameters: {} }),
      after: operation({ parameters: [] }),
      expected: [],
    },
  ]
}

function lists(): readonly LabelledChange[] {
  const filter = { name: 'country', schema: text }
  const size = (schema: object) =>
    asks({ name: 'page_size', schema: { type: 'integer', minimum: 1, ...schema } })
  const ordering = (...names: readonly string[]) =>
    asks({ name: 'ordering', explode: false, schema: { type: 'array', items: { enum: names } } })
  return [
    {
      title: 'a filter is removed',
      before: asks(filter),
      after: asks(),
      expected: ['breaking parameter-removed'],
    },
    {
      title: 'a filter is added',
      before: asks(),
      after: asks(filter),
      expected: ['compatible parameter-added'],
    },
    {
      title: 'the maximum of page_size is lowered',
      before: size({ maximum: 100 }),
      after: size({ maximum: 50 }),
      expected: ['breaking parameter-maximum-lowered'],
    },
    {
      title: 'the maximum of page_size is raised',
      before: size({ maximum: 50 }),
      after: size({ maximum: 100 }),
      expected: ['compatible parameter-maximum-raised'],
    },
    {
      title: 'the size of a page that asks for none changes',
      before: size({ default: 20 }),
      after: size({ default: 50 }),
      expected: ['breaking parameter-default-changed'],
    },
    {
      title: 'a name of ordering is removed',
      before: ordering('name', '-name', 'area', '-area'),
      after: ordering('name', '-name'),
      expected: ['breaking parameter-enum-value-removed'],
    },
    {
      title: 'a name that was known of an open list is gone',
      before: asks({
        name: 'ordering',
        schema: { type: 'string', 'x-extensible-enum': ['a', 'b'] },
      }),
      after: asks({ name: 'ordering', schema: { type: 'string', 'x-extensible-enum': ['a'] } }),
      expected: ['breaking parameter-enum-value-removed'],
    },
    {
      title: 'a name is added to an open list',
      before: asks({ name: 'ordering', schema: { type: 'string', 'x-extensible-enum': ['a'] } }),
      after: asks({
        name: 'ordering',
        schema: { type: 'string', 'x-extensible-enum': ['a', 'b'] },
      }),
      expected: ['compatible parameter-enum-value-added'],
    },
    {
      title: 'a name of ordering is added',
      before: ordering('name', '-name'),
      after: ordering('name', '-name', 'area', '-area'),
      expected: ['compatible parameter-enum-value-added'],
    },
    {
      title: 'pages by number become pages by cursor',
      before: asks({ name: 'page', schema: { type: 'integer' } }),
      after: asks({ name: 'cursor', schema: text }),
      expected: ['breaking parameter-removed', 'compatible parameter-added'],
    },
    {
      title: 'choices of a filter are fewer',
      before: asks({ ...filter, schema: { enum: ['de', 'fr'] } }),
      after: asks({ ...filter, schema: { enum: ['de'] } }),
      expected: ['breaking parameter-enum-value-removed'],
    },
  ]
}

function bodies(): readonly LabelledChange[] {
  const post = (requestBody: object | undefined) =>
    documentOf({ '/a/': { post: { ...(requestBody && { requestBody }), responses: OK } } })
  const content = json({ type: 'object' })
  const form = { 'application/x-www-form-urlencoded': { schema: { type: 'object' } } }
  return [
    {
      title: 'a body that is required',
      before: post(undefined),
      after: post({ required: true, content }),
      expected: ['breaking required-request-body-added'],
    },
    {
      title: 'a body that may be left out',
      before: post(undefined),
      after: post({ content }),
      expected: ['compatible request-body-added'],
    },
    {
      title: 'no body is read any more',
      before: post({ content }),
      after: post(undefined),
      expected: ['breaking request-body-removed'],
    },
    {
      title: 'a body may no longer be left out',
      before: post({ content }),
      after: post({ required: true, content }),
      expected: ['breaking request-body-became-required'],
    },
    {
      title: 'a body may be left out',
      before: post({ required: true, content }),
      after: post({ content }),
      expected: ['compatible request-body-became-optional'],
    },
    {
      title: 'forms are no longer read',
      before: post({ content: { ...content, ...form } }),
      after: post({ content }),
      expected: ['breaking request-media-type-removed'],
    },
    {
      title: 'forms are read, too',
      before: post({ content }),
      after: post({ content: { ...content, ...form } }),
      expected: ['compatible request-media-type-added'],
    },
    {
      title: 'the schema of a body is taken away',
      before: reads({ type: 'string' }),
      after: documentOf({
        '/cities/': {
          post: {
            requestBody: { required: true, content: { 'application/json': {} } },
            responses: { '201': { description: 'Created' } },
          },
        },
      }),
      expected: ['compatible request-type-widened', 'compatible request-became-nullable'],
    },
  ]
}

function responses(): readonly LabelledChange[] {
  const giving = (all: object) => documentOf({ '/a/': { get: { responses: all } } })
  const error = { description: 'No', content: json({ type: 'object' }) }
  const created = { '201': OK['200'] }
  const headers = (members: object) => giving({ '200': { ...OK['200'], headers: members } })
  const total = { schema: { type: 'integer' } }
  const page = { 'text/html': {} }
  const media = (content: object) => giving({ '200': { description: 'OK', content } })
  return [
    {
      title: 'a new value where `default` is the only answer',
      before: giving({ default: { description: 'OK', content: json({ enum: ['a'] }) } }),
      after: giving({ default: { description: 'OK', content: json({ enum: ['a', 'b'] }) } }),
      expected: ['breaking response-enum-value-added'],
    },
    {
      title: 'a new value where `default` stands for errors',
      before: giving({ ...OK, default: { description: 'No', content: json({ enum: ['a'] }) } }),
      after: giving({ ...OK, default: { description: 'No', content: json({ enum: ['a', 'b'] }) } }),
      expected: ['compatible response-enum-value-added'],
    },
    {
      title: 'a new error status beside `default`',
      before: giving({ ...OK, default: { description: 'No', content: json({ type: 'string' }) } }),
      after: giving({
        ...OK,
        '429': error,
        default: { description: 'No', content: json({ type: 'string' }) },
      }),
      expected: ['compatible response-error-status-added'],
    },
    {
      title: '`default` is written as the errors that there are, one of them otherwise',
      before: giving({ ...OK, default: { description: 'No', content: json({ type: 'string' }) } }),
      after: giving({ ...OK, '429': error }),
      expected: ['breaking response-type-changed', 'compatible response-error-status-removed'],
    },
    {
      title: 'a success is written beside `default`, otherwise',
      before: giving({ default: { description: 'OK', content: json({ type: 'string' }) } }),
      after: giving({
        ...OK,
        default: { description: 'OK', content: json({ type: 'string' }) },
      }),
      expected: ['breaking response-type-changed'],
    },
    {
      title: 'a header with a list is written otherwise',
      before: headers({ Tags: { schema: { type: 'object' } } }),
      after: headers({ Tags: { schema: { type: 'object' }, explode: true } }),
      expected: ['breaking response-header-style-changed'],
    },
    {
      title: 'a header becomes JSON',
      before: headers({ Total: total }),
      after: headers({ Total: { content: json(total.schema) } }),
      expected: ['breaking response-header-style-changed'],
    },
    {
      title: 'a new error status',
      before: giving(OK),
      after: giving({ ...OK, '409': error }),
      expected: ['compatible response-error-status-added'],
    },
    {
      title: 'an error that no longer happens',
      before: giving({ ...OK, '409': error }),
      after: giving(OK),
      expected: ['compatible response-error-status-removed'],
    },
    {
      title: '200 becomes 201',
      before: giving(OK),
      after: giving(created),
      expected: ['breaking response-status-removed', 'breaking response-status-added'],
    },
    {
      title: 'another success beside 200',
      before: giving(OK),
      after: giving({ ...OK, '202': { description: 'Later' } }),
      expected: ['breaking response-status-added'],
    },
    {
      title: 'one success of two is gone',
      before: giving({ ...OK, ...created }),
      after: giving(OK),
      expected: ['breaking response-status-removed'],
    },
    {
      title: 'a redirect',
      before: giving(OK),
      after: giving({ ...OK, '307': { description: 'There' } }),
      expected: ['breaking response-status-added'],
    },
    {
      title: 'an answer to conditional requests',
      before: giving(OK),
      after: giving({ ...OK, '304': { description: 'Not modified' } }),
      expected: ['compatible response-status-added'],
    },
    {
      title: 'the body of an answer is gone',
      before: giving(OK),
      after: giving({ '200': { description: 'OK' } }),
      expected: ['breaking response-media-type-removed'],
    },
    {
      title: 'an answer gets a body',
      before: giving({ '200': { description: 'OK' } }),
      after: giving(OK),
      expected: ['compatible response-media-type-added'],
    },
    {
      title: 'a media type is removed',
      before: media({ ...json({}), ...page }),
      after: media(json({})),
      expected: ['breaking response-media-type-removed'],
    },
    {
      title: 'a media type is added',
      before: media(json({})),
      after: media({ ...json({}), ...page }),
      expected: ['compatible response-media-type-added'],
    },
    {
      title: 'errors in another media type',
      before: giving({ ...OK, '400': error }),
      after: giving({
        ...OK,
        '400': {
          ...error,
          content: { 'application/problem+json': { schema: { type: 'object' } } },
        },
      }),
      expected: ['breaking response-media-type-removed', 'compatible response-media-type-added'],
    },
    {
      title: 'a header is removed',
      before: headers({ 'X-Total': total }),
      after: headers({}),
      expected: ['breaking response-header-removed'],
    },
    {
      title: 'a header is added',
      before: headers({}),
      after: headers({ 'X-Total': total }),
      expected: ['compatible response-header-added'],
    },
    {
      title: 'a header that always came may be missing',
      before: headers({ 'X-Total': { ...total, required: true } }),
      after: headers({ 'X-Total': total }),
      expected: ['breaking response-header-became-optional'],
    },
    {
      title: 'a header becomes text',
      before: headers({ 'X-Total': total }),
      after: headers({ 'X-Total': { schema: text } }),
      expected: ['breaking response-header-type-changed'],
    },
    {
      title: 'a header has a new value',
      before: headers({ 'X-Total': { schema: { enum: ['a'] } } }),
      after: headers({ 'X-Total': { schema: { enum: ['a', 'b'] } } }),
      expected: ['breaking response-header-enum-value-added'],
    },
    {
      title: 'the first schema of an answer',
      before: media({ 'application/json': {} }),
      after: media(json({ type: 'object' })),
      expected: ['compatible response-type-narrowed', 'compatible response-no-longer-nullable'],
    },
    {
      title: 'a new code of an error',
      before: giving({
        ...OK,
        '400': { description: 'No', content: json({ properties: { code: { enum: ['a'] } } }) },
      }),
      after: giving({
        ...OK,
        '400': { description: 'No', content: json({ properties: { code: { enum: ['a', 'b'] } } }) },
      }),
      expected: ['compatible response-enum-value-added'],
    },
  ]
}

/** Statuses that stand for one another, components, and what people read. */
function described(): readonly LabelledChange[] {
  const giving = (all: object, rest: object = {}) =>
    documentOf({ '/a/': { get: { responses: all } } }, { components: rest })
  const error = (schema: object) => ({ description: 'No', content: json(schema) })
  const ok = { description: 'OK', content: json(text), headers: { 'X-A': { schema: text } } }
  const words = {
    parameter: (description: string) => asks({ name: 'a', schema: text, description }),
    body: (description: string) => operation({ requestBody: { description } }),
    answer: (description: string) => giving({ '200': { description } }),
    header: (description: string) =>
      giving({ '200': { headers: { 'X-A': { schema: text, description } } } }),
  }
  const media = (members: object) => ({ 'application/json': { schema: text, ...members } })
  return [
    ...Object.entries(words).map(([title, described_]) => ({
      title: `the description of one ${title} changes`,
      before: described_('a'),
      after: described_('b'),
      expected: ['documentation description-changed'],
    })),
    ...['example', 'examples'].flatMap((name) => [
      {
        title: `${name} of what is got change`,
        before: giving({ '200': { content: media({ [name]: 1 }) } }),
        after: giving({ '200': { content: media({ [name]: 2 }) } }),
        expected: ['documentation response-examples-changed'],
      },
      {
        title: `${name} of what is sent change`,
        before: operation({ requestBody: { content: media({ [name]: 1 }) } }),
        after: operation({ requestBody: { content: media({ [name]: 2 }) } }),
        expected: ['documentation request-examples-changed'],
      },
    ]),
    {
      title: 'a media type of which nothing is known',
      before: giving({ '200': { content: { 'text/html': null } } }),
      after: giving({ '200': { content: { 'text/html': {} } } }),
      expected: [],
    },
    {
      title: 'answers of which nothing is known',
      before: documentOf({ '/a/': { get: {} } }),
      after: giving({}),
      expected: [],
    },
    {
      title: 'one error of a hundred is written, otherwise',
      before: giving({ ...OK, '4XX': error(text) }),
      after: giving({ ...OK, '404': error({ type: 'integer' }) }),
      expected: ['breaking response-type-changed'],
    },
    {
      title: 'errors are written as their hundred, otherwise',
      before: giving({ ...OK, '404': error(text) }),
      after: giving({ ...OK, '4XX': error({ type: 'integer' }) }),
      expected: ['breaking response-type-changed', 'compatible response-error-status-added'],
    },
    {
      title: 'another hundred of errors is written',
      before: giving({ ...OK, '4XX': error(text) }),
      after: giving({ ...OK, '500': error(text) }),
      expected: [
        'compatible response-error-status-added',
        'compatible response-error-status-removed',
      ],
    },
    {
      title: 'an answer and its header stand in their places',
      before: giving(
        { '200': { $ref: '#/components/responses/ok' } },
        {
          responses: { ok: { ...ok, headers: { 'X-A': { $ref: '#/components/headers/a' } } } },
          headers: { a: { schema: text } },
        },
      ),
      after: giving({ '200': ok }),
      expected: [],
    },
    {
      title: 'an answer of a hundred stands in its place',
      before: giving(
        { '2XX': { $ref: '#/components/responses/ok' } },
        { responses: { ok }, headers: {} },
      ),
      after: giving(
        { '200': { ...ok, headers: { 'X-A': { $ref: '#/components/headers/a' } } } },
        {
          headers: { a: { schema: text } },
        },
      ),
      expected: [],
    },
    {
      title: 'a new value of `default`, beside which success is written now',
      before: giving({ default: error({ enum: ['a'] }) }),
      after: giving({ '200': error({ enum: ['a'] }), default: error({ enum: ['a', 'b'] }) }),
      expected: ['breaking response-enum-value-added'],
    },
  ]
}

function lifeCycle(): readonly LabelledChange[] {
  const sunset = (date: string | null) =>
    operation({ deprecated: true, ...(date !== null && { 'x-sunset': date }) })
  const bare = answers({ type: 'object' })
  return [
    {
      title: 'an end is announced that has come',
      before: sunset(null),
      after: sunset('2020-01-01'),
      expected: ['breaking sunset-earlier'],
    },
    {
      title: 'an operation is deprecated',
      before: operation({}),
      after: operation({ deprecated: true }),
      expected: ['compatible operation-deprecated'],
    },
    {
      title: 'an operation is no longer deprecated',
      before: operation({ deprecated: true }),
      after: operation({}),
      expected: ['compatible operation-no-longer-deprecated'],
    },
    {
      title: 'an end is announced',
      before: sunset(null),
      after: sunset('2997-06-01'),
      expected: ['compatible sunset-announced'],
    },
    {
      title: 'the end comes earlier',
      before: sunset('2997-06-01'),
      after: sunset('2997-03-01'),
      expected: ['breaking sunset-earlier'],
    },
    {
      title: 'the end comes later',
      before: sunset('2997-03-01'),
      after: sunset('2997-06-01'),
      expected: ['compatible sunset-later'],
    },
    {
      title: 'an operation is removed before its end',
      before: sunset('2999-01-01'),
      after: documentOf({}),
      expected: ['breaking operation-removed'],
    },
    {
      title: 'an operation is removed after its end',
      before: sunset('2020-01-01'),
      after: documentOf({}),
      expected: ['compatible operation-retired'],
    },
    {
      title: 'an operation gets another id',
      before: operation({ operationId: 'cityList' }),
      after: operation({ operationId: 'listCities' }),
      expected: ['documentation operation-id-changed'],
    },
    ...['summary', 'description', 'externalDocs', 'tags'].map((name) => ({
      title: `${name} of an operation changes`,
      before: operation({ [name]: ['Cities'] }),
      after: operation({ [name]: ['All cities'] }),
      expected: ['documentation description-changed'],
    })),
    ...['title', 'description'].map((name) => ({
      title: `the ${name} of the service changes`,
      before: bare,
      after: { ...bare, info: { ...(bare['info'] as object), [name]: 'Of the world.' } },
      expected: ['documentation description-changed'],
    })),
  ]
}
