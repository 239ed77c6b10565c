import { api } from './api.ts'
import * as room0 from './room-0.ts'
import * as room1 from './room-1.ts'
import * as room2 from './room-2.ts'
import * as room3 from './room-3.ts'
import * as room4 from './room-4.ts'
import * as room5 from './room-5.ts'
import * as room6 from './room-6.ts'
import * as room7 from './room-7.ts'
import * as room8 from './room-8.ts'
import * as room9 from './room-9.ts'
import * as room10 from './room-10.ts'
import * as room11 from './room-11.ts'
import * as room12 from './room-12.ts'
import * as room13 from './room-13.ts'
import * as room14 from './room-14.ts'
import * as room15 from './room-15.ts'
import * as room16 from './room-16.ts'
import * as room17 from './room-17.ts'
import * as room18 from './room-18.ts'
import * as room19 from './room-19.ts'

export const app = api.serve([
  ...room0.endpoints,
  ...room1.endpoints,
  ...room2.endpoints,
  ...room3.endpoints,
  ...room4.endpoints,
  ...room5.endpoints,
  ...room6.endpoints,
  ...room7.endpoints,
  ...room8.endpoints,
  ...room9.endpoints,
  ...room10.endpoints,
  ...room11.endpoints,
  ...room12.endpoints,
  ...room13.endpoints,
  ...room14.endpoints,
  ...room15.endpoints,
  ...room16.endpoints,
  ...room17.endpoints,
  ...room18.endpoints,
  ...room19.endpoints,
])
