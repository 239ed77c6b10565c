import type { Incoming, VersioningFacts, Settings } from '../contract/request.ts'
import { NotAcceptable } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'
import { type AllowedVersions, BaseVersioning, type DefaultVersion } from './base-versioning.ts'
import type { VersionCarrier } from '../types/documents.ts'

/**
 * The version is a parameter of the media type that was accepted:
 * `Accept: application/json; version=v2` (V20–V28). Of several ranges only the one that won counts.
 * A version that is not allowed is 406. Links do not show the version; every answer varies by `Accept`.
 *
 * @example
 * defineApi({ urls, versioning: new AcceptHeaderVersioning(), allowedVersions: ['v1', 'v2'] })
 */
export class AcceptHeaderVersioning<
  const W extends AllowedVersions = AllowedVersions,
  const D extends DefaultVersion = DefaultVersion,
> extends BaseVersioning<string, W, D> {
  declare readonly '~refusesUnversioned'?: true
  override readonly invalidVersionMessage: string | Message = Message.of('not_acceptable.version')

  override determineVersion(request: Incoming): string | null {
    return this.allowed(this.find(request), request)
  }

  find(request: Incoming): string | null {
    // I11: asked for, so that `Vary` tells it also where there is only one renderer.
    request.header('accept')
    const { parameters } = request.accepted
    const param = this.versionParam(request).toLowerCase()
    return Object.hasOwn(parameters, param) ? parameters[param]! : null
  }

  carriers(settings: Settings): readonly VersionCarrier[] {
    return [{ in: 'accept', name: this.versionParam({ settings }) }]
  }

  check(facts: VersioningFacts): string | null {
    if (this.versionParam(facts).toLowerCase() !== 'q') return null
    return 'needs a VERSION_PARAM other than "q", which is the weight of a media type.'
  }

  protected override invalidVersion(): Error {
    return new NotAcceptable(this.invalidVersionMessage)
  }
}
