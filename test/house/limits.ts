// Every limit that keeps the sources readable, with its reason. A change that does not fit changes the code, not a limit.

/** The lines that a reader can take in at once. */
export const LONGEST_FILE = 300

/** Files that tell one story from beginning to end, which is easier to follow in one place: the story of each. */
export const STORIES: Readonly<Record<string, string>> = {
  'src/accounts/audited-stores.ts':
    'a change of an account, from the rights of the actor to its entry in the audit trail',
  'src/accounts/tables/stores.ts':
    'users, tokens and sessions as rows: each statement, and how its rows are read',
  'src/accounts/tokens.ts': 'tokens, from the key that a client has to what is kept of it',
  'src/addons/admin/behaviours.ts': 'what the endpoints of the administration do',
  'src/addons/admin/tokens.ts':
    'tokens in the administration: what is done to them, and how people see them',
  'src/addons/client/exchange.ts':
    'a request of the client with its retries, deadlines and redirects',
  'src/addons/gate/documents.ts': 'what changed between two documents',
  'src/addons/gate/keywords.ts': 'what a change of each keyword of a schema means to clients',
  'src/addons/gate/operations.ts': 'what changed between two operations',
  'src/addons/gate/schemas.ts': 'what changed between two schemas, from keywords to alternatives',
  'src/addons/openapi/judge.ts': 'whether an answer fits its document',
  'src/addons/openapi/operation.ts':
    'one operation of a document, from its parameters to its errors',
  'src/addons/operations/metrics.ts':
    'numbers about requests, from the observer to the text of Prometheus',
  'src/addons/pages/page-facts.ts':
    'what a page may ask about the request that it answers, and what it may offer',
  'src/addons/pages/shown-text.ts': 'how a value is shown to people',
  'src/core/messages/english.ts': 'every sentence that a client reads, in English',
  'src/core/messages/german.ts': 'every sentence that a client reads, in German',
  'src/core/parsing/multipart.ts': 'a body of parts, from its boundary to its files',
  'src/core/pipeline/context.ts': 'the request, as policies and handlers see it',
  'src/core/pipeline/kernel.ts': 'the story of a request, and how an endpoint is compiled for it',
  'src/core/serving/exchange.ts':
    'a server of node:http: connections and their turns, requests, and the bytes of answers',
  'src/core/std/file-content.ts': 'what kind of file some bytes are, and how large an image',
  'src/core/urls/links.ts': 'links of a request, and the route of a link',
  'src/policies/pagination/cursor.ts': 'cursor pagination, from the parameter to the links',
  'src/policies/pagination/page-number.ts': 'numbered pages: their size, their count, their place',
  'src/policies/throttling/credential-limits.ts':
    'wrong credentials, from the guess to the refusal',
  'src/policies/throttling/guarded-counters.ts':
    'counters while their store is away, and when it is back',
  'src/policies/versioning/schemes.ts': 'where the version travels, in requests and in links',
  'src/resources/endpoints/download.ts': 'a download: its source, its range, its headers',
  'src/resources/resource/resource.ts': 'a resource, from its options to its endpoints',
  'src/resources/serializers/fields/dates.ts':
    'days, times, instants and durations, read and shown in every form',
  'src/resources/serializers/fields/numbers.ts': 'numbers of all kinds, with every digit',
  'src/resources/serializers/read-object.ts': 'how a body is read, member by member',
  'src/resources/serializers/serializer.ts':
    'a serializer, from its fields to the rows that it shows',
  'src/storage/mysql/migrations.ts':
    'how tables change on MySQL, and the routines that count there',
  'src/storage/sql/migrations/column-kinds.ts':
    'columns that a migration declares, by kind and database',
  'src/storage/sql/migrations/steps.ts': 'the steps of a migration, and what is wrong with them',
  'src/storage/sql/migrations/run-migrations.ts':
    'a run of migrations, from what is missing to the statements',
  'src/storage/sql/query/list-query.ts':
    'the query of a list by names: its fields, conditions and orders',
  'src/storage/sql/seek.ts': 'the statement that continues behind a position',
  'src/storage/sql/table/sql-table.ts': 'a table, from its types to the statements that change it',
  'src/storage/sqlite/driver.ts': 'SQLite, from the database to its file',
  'src/tools/cli/account-commands.ts': 'users and their tokens on the command line',
  'src/tools/cli/client/schemas.ts': 'the types of a client, from the schemas of a document',
  'src/tools/cli/processes/supervisors.ts':
    'processes that look after a served program: by its files, or in several workers',
  'src/tools/cli/endpoint-commands.ts': 'what the command line tells about endpoints',
  'src/tools/testing/client.ts': 'a client, a request and a clock for tests',
}
export const LONGEST_STORY = 700

/** Names that two files of src may export, with the reason. Other names have one meaning, so that a search finds it. */
export const SHARED_NAMES: Readonly<Record<string, string>> = {
  ApiError: 'the answer of an error: thrown in a service, and what a client gets of it',
  Rows: 'rows of a table in a service, and those that a client walks over',
  list: 'the handler of a list, and `field.list`',
}

/** The most files that a reader can see at a glance. */
export const MOST_FILES_IN_A_FOLDER = 16

/** Of a hundred files, so many may have one importer: such a file often belongs into it, but some are independent. */
export const MOST_WITH_ONE_IMPORTER_OF_100 = 15

/** The most files that a request of a list may enter, and the most times that it may go back into a file that it left. */
export const WALK: { readonly files: number; readonly returns: number } = { files: 26, returns: 26 }
