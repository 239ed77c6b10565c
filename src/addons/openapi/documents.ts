import type { BaseApp } from '../../core/app/app.ts'
import { oncePer } from '../../core/std/once.ts'
import type { DocumentInfo } from '../../core/types/documents.ts'
import { type OpenApiDocument, type DocumentSubject, documentOf, versionsOf } from './document.ts'

/** The part of an application that documents read. */
export type DocumentedApp = Pick<BaseApp, 'describe' | 'service'> & Partial<Pick<BaseApp, 'about'>>

/** The choice of a document, with facts about the service, which come before those of the api (`about`). */
export interface OpenApiDocumentOptions extends DocumentInfo {
  /** @default the newest, in the list that most endpoints have; of a service without versions, its only document */
  readonly version?: string | null
  /** Scheme and host that the service is reached at. @default `PUBLIC_URL`, else the place of the document */
  readonly origin?: string
  /** Has each object an example, made of its schema? @default true */
  readonly examples?: boolean
}

/**
 * The OpenAPI 3.1 document of one version of an application, as plain JSON. Nothing is asked of databases, and no handler
 * is run.
 *
 * @throws RangeError no endpoint has this version
 * @example
 * const document = openApiDocument(app, { version: 'v2' })
 * await writeFile('v2.json', JSON.stringify(document, null, 2))
 */
export function openApiDocument(
  app: DocumentedApp,
  { version, origin, examples, ...info }: OpenApiDocumentOptions = {},
): OpenApiDocument {
  const subject = subjectOf(app)
  const versions = versionsOf(subject)
  const wanted = version === undefined ? (versions.at(-1) ?? null) : version
  if (wanted !== null && !versions.includes(wanted)) {
    const all =
      versions.length === 0 ? 'The service has none.' : `There are: ${versions.join(', ')}.`
    throw new RangeError(`No endpoint has the version "${wanted}". ${all}`)
  }
  const place = origin ?? subject.origin
  return documentOf({ ...subject, origin: place }, wanted, { ...app.about, ...info }, examples)
}

/**
 * The documents of all versions of an application, by version; of a service without versions, one under `null`.
 *
 * @example
 * for (const [version, document] of openApiDocuments(app)) save(`${version}.json`, document)
 */
export function openApiDocuments(
  app: DocumentedApp,
  options: Omit<OpenApiDocumentOptions, 'version'> = {},
): ReadonlyMap<string | null, OpenApiDocument> {
  const versions = versionsOf(subjectOf(app))
  const all = versions.length === 0 ? [null] : versions
  return new Map(all.map((version) => [version, openApiDocument(app, { ...options, version })]))
}

const subjectOf = oncePer((app: DocumentedApp): DocumentSubject => {
  const { publicUrl, allowedHosts } = app.service
  return { endpoints: app.describe(), origin: publicUrl, hosts: allowedHosts }
})
