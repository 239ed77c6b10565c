/** A body that breaks before it is read (`error`), or that cannot be cancelled (`cancel`). */
export function brokenStream(how: 'error' | 'cancel'): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      if (how === 'error') controller.error(new Error('The source of the stream broke.'))
    },
    cancel() {
      throw new Error('The stream does not want to be cancelled.')
    },
  })
}
