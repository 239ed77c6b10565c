import { FormParser, JSONParser, MultiPartParser } from 'colophon'
import type { Parser } from 'colophon/types'

/** The parsers of SERVICE §2, by name. */
export const parsers: Readonly<Record<string, Parser>> = {
  json: new JSONParser(),
  form: new FormParser(),
  multipart: new MultiPartParser(),
}
