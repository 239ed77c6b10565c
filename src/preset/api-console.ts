import { type OpenApiOptions, documentedVersions, openApi } from '../addons/openapi/endpoint.ts'
import { type ConsoleRoute, consoleEndpoints } from '../addons/pages/console.ts'
import type { Endpoint, Group } from '../core/app/group.ts'
import type { Permission } from '../core/ports/policies/permissions.ts'
import type { HasRoutes } from '../core/types/routes.ts'
import type { TypedSettings } from '../core/types/typed-settings.ts'

/** The content of the console, and its permissions. */
export interface ConsoleOptions extends Omit<OpenApiOptions, 'versionParam' | 'cacheControl'> {
  /** Permissions for the console and its documents. Each call needs those of its own endpoint. @default those of the group */
  readonly permissions?: readonly Permission[]
  /**
   * A folder with the files of Swagger UI 5, for those who do not want the package.
   * @default `static` of the installed package `@fastify/swagger-ui`
   */
  readonly files?: string
}

/**
 * A console for people who want to try the API, as endpoints for `serve`: Swagger UI with the OpenAPI document of each
 * version. Everything comes from this service: the page has a strict `Content-Security-Policy`, and asks no
 * other. A token is typed once, stays in the tab of the browser, and goes when it is forgotten or the tab is closed;
 * a session is used as it is. The files of Swagger UI are those of the package `@fastify/swagger-ui`, which the
 * application installs.
 *
 * @throws ConfigurationError the files of Swagger UI are not there; when the service starts
 * @example
 * const api = defineApi({ urls: defineUrls({ ...consoleUrls, hello: '/hello/' }) })
 * export default api.serve([...apiConsole(api, { title: 'Greetings' }), hello])
 */
export function apiConsole<S extends TypedSettings, R>(
  api: Group<S, R> & HasRoutes<R, ConsoleRoute>,
  { permissions, files, ...documents }: ConsoleOptions = {},
): readonly Endpoint<never>[] {
  return consoleEndpoints(api, {
    ...(permissions && { permissions }),
    ...(files !== undefined && { files }),
    ...(documents.title !== undefined && { title: documents.title }),
    document: openApi(documents),
    versions: documentedVersions(documents),
  })
}
