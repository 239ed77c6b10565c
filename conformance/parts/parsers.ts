import { FormParser, JSONParser, MultiPartParser, type Parser } from 'colophon'

/** The parsers of SERVICE §2, by name. */
export const parsers: Readonly<Record<string, Parser>> = {
  json: new JSONParser(),
  form: new FormParser(),
  multipart: new MultiPartParser(),
}
