import type { ApiRequest } from './request.ts'

/** How a row is shown. */
export interface Serializer<in Row = never, out Output = unknown, in Request = ApiRequest> {
  readonly represent: (row: Row, request: Request) => Output
}

/** One input field, as OPTIONS tells it. */
export interface FieldInfo {
  readonly type: string
  readonly required: boolean
  readonly read_only: boolean
  readonly label: string
  readonly max_length?: number
}
