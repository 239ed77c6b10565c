import type { Metadata } from '../contract/request.ts'

/** What OPTIONS answers by default (M1): name, description, media types, and input fields where known. */
export class SimpleMetadata implements Metadata {
  static readonly options: readonly string[] = []

  describe(endpoint: Parameters<Metadata['describe']>[0]): object {
    const { title: name, description, renderers, parsers, actions } = endpoint
    return {
      name,
      description,
      renders: renderers.map(({ mediaType }) => mediaType),
      parses: parsers.map(({ mediaType }) => mediaType),
      ...(actions && { actions }),
    }
  }
}
