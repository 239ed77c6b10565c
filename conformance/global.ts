/** What endpoints inherit (SERVICE §2), as an operator says it. */
export const GLOBAL_KEYS: Readonly<Record<string, unknown>> = {
  DEFAULT_AUTHENTICATION_CLASSES: ['SessionAuthentication', 'BasicAuthentication'],
  DEFAULT_PERMISSION_CLASSES: ['AllowAny'],
  DEFAULT_THROTTLE_CLASSES: [],
  DEFAULT_THROTTLE_RATES: {
    anon: '4/min',
    user: '3/min',
    contacts: '2/min',
    uploads: '5/hour',
    burst: '2/min',
    sustained: '3/hour',
    unlimited: null,
  },
  NUM_PROXIES: null,
  DEFAULT_PAGINATION_CLASS: 'PageNumberPagination',
  PAGE_SIZE: 25,
  DEFAULT_VERSIONING_CLASS: null,
  DEFAULT_RENDERER_CLASSES: ['JSONRenderer', 'HTMLRenderer'],
  DEFAULT_PARSER_CLASSES: ['JSONParser', 'FormParser', 'MultiPartParser'],
  DEFAULT_METADATA_CLASS: 'SimpleMetadata',
  ALLOWED_HOSTS: ['*'],
  // The process plays the web server in front, too (SERVICE §1.2).
  REMOTE_USER_SOURCE: { header: 'X-Front-Remote-User', proxies: ['127.0.0.0/8', '::1'] },
  LOGIN_URL: '/login/',
  LOGIN_REDIRECT_URL: '/auth/session/any/',
}
