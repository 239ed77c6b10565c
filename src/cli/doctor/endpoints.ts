import type { DescribedEndpoint } from '../../api/app.ts'
import { AllowAny } from '../../permissions/builtin.ts'
import { type Checks, inEndpoints } from './finding.ts'

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
