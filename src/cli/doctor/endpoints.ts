import type { DescribedEndpoint } from '../../api/app.ts'
import { BasicAuthentication } from '../../authentication/basic.ts'
import { RemoteUserAuthentication } from '../../authentication/remote-user.ts'
import { SessionAuthentication } from '../../authentication/session.ts'
import type { Finding } from '../../contract/kernel.ts'
import type { Settings } from '../../contract/request.ts'
import { AllowAny } from '../../permissions/builtin.ts'
import { hasScheme } from './connections.ts'
import {
  type Checks,
  type Diagnosis,
  type Examined,
  inEndpoints,
  inService,
  setBy,
} from './finding.ts'

/** What endpoints let their clients do. */
export const endpointChecks: Checks = {
  'open-writes': (app) =>
    inEndpoints(app, isOpenToWrites, ['permissions'], {
      message: 'Every client can write here, because no layer of the endpoint says who may.',
      fix: 'Set permissions; where everyone may write, say new AllowAny() at the endpoint or its group.',
    }),
}

const WRITES = ['post', 'put', 'patch', 'delete'] as const
/** Layers that cannot know what an endpoint does. */
const OUTER = new Set(['defaults', 'api', 'colophon.json', 'environment', 'configuration'])

/** A permission that an endpoint, its group or a behaviour names is meant; that of an outer layer may not be. */
function isOpenToWrites({ settings, provenance, behaviours }: DescribedEndpoint): boolean {
  const isOpen = settings.permissions.every((each) => each instanceof AllowAny)
  if (!isOpen || !OUTER.has(provenance.permissions)) return false
  return WRITES.some((verb) => behaviours[verb] && behaviours[verb].permissions === undefined)
}

/** Of each kind that lists report, and this room's own, the settings that decide. */
const DECIDED_BY: Readonly<Record<string, readonly (keyof Settings)[]>> = {
  'missing-page-size': ['pagination', 'pageSize'],
  'whole-list': ['pagination', 'maxPageSize'],
  'unlimited-offset': ['pagination', 'maxOffset'],
  'uncapped-search': ['pagination', 'filters'],
}

export const LIST_KINDS: readonly string[] = Object.keys(DECIDED_BY)

/** What behaviours report by themselves, such as lists: one finding for all endpoints with the same sentence. */
export function behaviourFindings(app: Examined): readonly Diagnosis[] {
  const found = app.endpoints.flatMap((endpoint) =>
    findingsOf(endpoint).map((finding) => ({ endpoint, finding })),
  )
  return [...Map.groupBy(found, ({ finding }) => finding.message).values()].map((same) => {
    const { finding } = same[0]!
    const endpoints = [...new Set(same.map(({ endpoint }) => endpoint))]
    const settings = setBy(app, endpoints, DECIDED_BY[finding.kind] ?? [])
    return { ...finding, endpoints: endpoints.map(({ name }) => name), settings }
  })
}

function findingsOf({ settings, behaviours }: DescribedEndpoint): readonly Finding[] {
  return Object.values(behaviours).flatMap((behaviour) => {
    const found = behaviour.findings?.(settings) ?? []
    const isWhole = (each: Finding): boolean => each.kind === 'whole-list'
    if (!found.some(isWhole)) return found
    // A style that would have pages if it knew their size is not what is wrong.
    const sized = behaviour.findings!({ ...settings, pageSize: settings.pageSize ?? 1 })
    return sized.some(isWhole) ? found : [NO_SIZE, ...sized]
  })
}

const NO_SIZE: Finding = {
  kind: 'missing-page-size',
  message: 'There is a style of pages and no size for them, so one request reads all rows.',
  fix: 'Set PAGE_SIZE, or a page size of the style itself.',
}

/** What browsers send by themselves, and for which pages. */
export const browserChecks: Checks = {
  'insecure-cookies': (app) => {
    const open = (['sessionCookieSecure', 'csrfCookieSecure'] as const).filter(
      (setting) => app.service[setting] === false,
    )
    return inService(app, open.length > 0 && hasSessions(app), open, {
      message: 'Browsers send the cookies of a login without https too, where they can be read.',
      fix: 'Set SESSION_COOKIE_SECURE and CSRF_COOKIE_SECURE to "auto" or true.',
    })
  },
  'cross-site-sessions': (app) => {
    const isSent = app.service.sessionCookieSamesite === 'None' && hasSessions(app)
    return inService(app, isSent, ['sessionCookieSamesite'], {
      message: 'Browsers send the session with requests that pages of any other site make.',
      fix: 'Set SESSION_COOKIE_SAMESITE to "Lax", and serve pages that need the session from the same site.',
    })
  },
  'wide-csrf-origins': (app) => {
    const wide = app.service.csrfTrustedOrigins.filter(isWide)
    const isUsed = app.endpoints.some((endpoint) => hasScheme(endpoint, ...SENT_BY_BROWSERS))
    return inService(app, wide.length > 0 && isUsed, ['csrfTrustedOrigins'], {
      message: `Pages that are not yours may pass the check of origins, because it admits ${wide.join(', ')}.`,
      fix: 'Set CSRF_TRUSTED_ORIGINS to exact origins with https://.',
    })
  },
  'wide-cors': (app) =>
    inEndpoints(app, ({ settings }) => admitsWideWithCredentials(settings), ['cors'], {
      message: 'Pages that are not yours may read answers in the name of a user who visits them.',
      fix: 'List exact origins with https:// in CORS, or leave "credentials" out.',
    }),
}

/** Other hosts, other ports, or http, where an attacker on the way can make a page of any host. */
function isWide(origin: string): boolean {
  return !/^https:\/\/[^*]+$/i.test(origin)
}

/** Without credentials a page learns what every program can ask for; a function is not known before it is asked. */
function admitsWideWithCredentials({ cors }: Settings): boolean {
  return cors?.credentials === true && Array.isArray(cors.origins) && cors.origins.some(isWide)
}

const SENT_BY_BROWSERS = [SessionAuthentication, BasicAuthentication, RemoteUserAuthentication]

function hasSessions(app: Examined): boolean {
  return app.endpoints.some((endpoint) => hasScheme(endpoint, SessionAuthentication))
}
