import type { Field } from '../declaration.ts'
import { fieldOf } from '../fields/field-of.ts'
import { DOES_NOT_EXIST } from './reader.ts'

/** A key that is as the address says it. NUL is in no key: some databases cannot even be asked for one. */
export function asInAddress(): Field<string, string, string> {
  return fieldOf<string, string, string>(
    {
      type: 'string',
      read: (key) => (typeof key === 'string' && !key.includes('\0') ? key : DOES_NOT_EXIST),
    },
    undefined,
  )
}
