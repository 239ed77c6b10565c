import type { Settings } from '../contract/settings.ts'
import { FormParser } from '../parsing/form.ts'
import { MultiPartParser } from '../parsing/multipart.ts'
import { StaticHTMLRenderer } from '../rendering/static-html.ts'

/** The settings that pages do not share with endpoints of an API. */
export interface PageSettings extends Pick<
  Settings,
  'renderers' | 'parsers' | 'metadata' | 'urlFormatOverride'
> {
  readonly versioning: null
  readonly pagination: null
}

/** What makes an endpoint an ordinary page: HTML in one version only, forms in, no OPTIONS. */
export const PAGE_SETTINGS: PageSettings = {
  renderers: [new StaticHTMLRenderer()],
  parsers: [new FormParser(), new MultiPartParser()],
  versioning: null,
  pagination: null,
  metadata: null,
  urlFormatOverride: null,
}
