import type { DescribedEndpoint } from '../../api/app.ts'
import type { Finding } from '../../contract/kernel.ts'
import type { Settings } from '../../contract/request.ts'
import { AllowAny } from '../../permissions/builtin.ts'
import { type Checks, type Diagnosis, type Examined, inEndpoints, setBy } from './finding.ts'

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
