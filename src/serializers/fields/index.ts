export { bigInteger, integer } from './integer.ts'
export { text } from './text.ts'
