// The least that is a header of an image.
export const bytes = (...values: readonly number[]): Uint8Array => new Uint8Array(values)

const ascii = (text: string): number[] => [...text].map((one) => one.charCodeAt(0))
const big = (value: number, size: number): number[] =>
  Array.from({ length: size }, (_, at) => Math.floor(value / 256 ** (size - 1 - at)) % 256)
const little = (value: number, size: number): number[] => big(value, size).toReversed()

export const PNG = (width: number, height: number): Uint8Array =>
  bytes(
    0x89,
    ...ascii('PNG\r\n\x1a\n'),
    ...big(13, 4),
    ...ascii('IHDR'),
    ...big(width, 4),
    ...big(height, 4),
    8,
    6,
    0,
    0,
    0,
  )

export const GIF = (width: number, height: number): Uint8Array =>
  bytes(...ascii('GIF89a'), ...little(width, 2), ...little(height, 2), 0, 0, 0)

/** With a preview, a fill byte and a table before the frame, as cameras write it. */
export const JPEG = (width: number, height: number): Uint8Array =>
  bytes(
    0xff,
    0xd8,
    0xff,
    0xe1,
    ...big(6, 2),
    1,
    2,
    3,
    4,
    0xff,
    0xff,
    0xc4,
    ...big(3, 2),
    0,
    0xff,
    0xc2,
    ...big(17, 2),
    8,
    ...big(height, 2),
    ...big(width, 2),
    3,
  )

const webp = (chunk: string, content: readonly number[]): Uint8Array =>
  bytes(
    ...ascii('RIFF'),
    ...little(content.length + 12, 4),
    ...ascii(`WEBP${chunk}`),
    ...little(content.length, 4),
    ...content,
  )

export const WEBP = {
  lossy: (width: number, height: number): Uint8Array =>
    webp('VP8 ', [0, 0, 0, 0x9d, 0x01, 0x2a, ...little(width, 2), ...little(height, 2)]),
  lossless: (width: number, height: number): Uint8Array =>
    webp('VP8L', [0x2f, ...little(width - 1 + (height - 1) * 2 ** 14, 4)]),
  extended: (width: number, height: number): Uint8Array =>
    webp('VP8X', [0, 0, 0, 0, ...little(width - 1, 3), ...little(height - 1, 3)]),
}

export const PDF = bytes(...ascii('%PDF-1.7\n'))
export const SVG = bytes(...ascii('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'))
