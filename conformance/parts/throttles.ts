import {
  AnonRateThrottle,
  type RateThrottleOptions,
  ScopedRateThrottle,
  UserRateThrottle,
} from 'colophon'
import type { Admission, Throttle } from 'colophon/types'
import type { Request } from '../request.ts'

/** Always refuses, and knows no time to wait. */
class Refusing implements Throttle {
  admit(): Admission {
    return { allowed: false, wait: null }
  }
}

/** Refuses what has the header `X-Wait`: the seconds to wait, or empty where they are unknown. */
class HeaderThrottle implements Throttle {
  admit(request: Request): Admission {
    const wait = request.header('x-wait')
    if (wait === null) return { allowed: true }
    return { allowed: false, wait: wait === '' ? null : Number(wait) }
  }
}

type Make = (options: RateThrottleOptions) => Throttle

/** The throttles of SERVICE §6, by name. */
export const throttles: Readonly<Record<string, Make>> = {
  AnonRateThrottle: (options) => new AnonRateThrottle(options),
  UserRateThrottle: (options) => new UserRateThrottle(options),
  ScopedRateThrottle: (options) => new ScopedRateThrottle(options),
  Refusing: () => new Refusing(),
  HeaderThrottle: () => new HeaderThrottle(),
}
