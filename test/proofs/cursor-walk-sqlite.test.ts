import { proveWalks } from './cursor-walk.ts'
import { DIALECTS } from './databases.ts'

proveWalks(DIALECTS[0]!)
