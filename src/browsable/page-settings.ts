import type { Layer } from '../contract/settings.ts'
import { FormParser } from '../parsing/form.ts'
import { MultiPartParser } from '../parsing/multipart.ts'
import { StaticHTMLRenderer } from '../rendering/static-html.ts'

/** What makes an endpoint an ordinary page: HTML in one version only, forms in, no OPTIONS. */
export const PAGE_SETTINGS = {
  renderers: [new StaticHTMLRenderer()],
  parsers: [new FormParser(), new MultiPartParser()],
  versioning: null,
  pagination: null,
  metadata: null,
  urlFormatOverride: null,
} as const satisfies Layer
