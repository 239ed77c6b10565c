// Shows the document of a version in Swagger UI, and sends calls with what the visitor typed once.
const root = document.querySelector('.console')
const at = (id) => document.getElementById(id)
const form = document.querySelector('.credentials')

/** The storage key belongs to this console; session storage belongs to the tab. */
const KEPT = `console ${location.pathname}`

const kept = () => JSON.parse(sessionStorage.getItem(KEPT) ?? 'null')

const load = async () => {
  const answer = await fetch(root.dataset.document, { headers: { Accept: 'application/json' } })
  if (!answer.ok) throw new Error(`${answer.status}`)
  return answer.json()
}

/**
 * The address to try a version whose host is another, as calls from here would go to another origin; `null`: this one. Paths of
 * this host lose their `servers`, which do not know the port.
 */
const elsewhere = ({ paths }) => {
  const named = Object.values(paths).filter(({ servers }) => servers)
  const here = named.filter(({ servers: [server] }) => nameOf(server) === location.hostname)
  for (const path of here) delete path.servers
  if (named.length === 0 || here.length > 0) return null
  const place = new URL(location.href)
  place.hostname = nameOf(named[0].servers[0])
  return place.href
}

const nameOf = ({ url, variables }) => {
  const filled = url.replaceAll(/\{(\w+)\}/g, (_, name) => variables[name].default)
  return new URL(filled, location.href).hostname
}

/** The schemes whose credentials can be typed: browsers send cookies themselves, and hide them from scripts. */
const schemesOf = ({ components }) =>
  Object.entries(components.securitySchemes ?? {})
    .filter(
      ([, { type, in: place, name }]) =>
        type === 'http' ||
        (type === 'apiKey' && place === 'header' && name !== root.dataset.header),
    )
    .toSorted(([, one], [, other]) => isBasic(one) - isBasic(other))

/**
 * Removes the alternative without credentials, which Swagger UI would show as logged in, and chooses values that have no
 * alternative, such as the version of this document.
 */
const sendable = ({ paths }) => {
  for (const operation of Object.values(paths).flatMap(Object.values)) {
    const { security, parameters = [] } = operation
    if (security) operation.security = security.filter((one) => Object.keys(one).length > 0)
    for (const { schema } of parameters)
      if (schema?.enum?.length === 1) [schema.default] = schema.enum
  }
}

const isBasic = ({ scheme }) => scheme?.toLowerCase() === 'basic'

/** The form for credentials, for the schemes of a document. */
const credentials = (schemes, ui) => {
  const known = new Map(schemes)
  const select = at('scheme')
  select.append(...schemes.map(([name]) => new Option(name)))
  select.closest('p').hidden = schemes.length < 2
  form.hidden = schemes.length === 0

  const chosen = () => {
    const scheme = known.get(select.value)
    const basic = scheme !== undefined && isBasic(scheme)
    const label = document.querySelector('label[for=secret]')
    at('username').closest('p').hidden = !basic
    at('username').required = basic
    label.textContent = basic ? label.dataset.password : label.dataset.token
  }

  const use = ({ name, username, secret }) => {
    const scheme = known.get(name)
    if (scheme === undefined) return
    const { 'x-keyword': keyword } = scheme
    if (isBasic(scheme)) ui.preauthorizeBasic(name, username, secret)
    else ui.preauthorizeApiKey(name, keyword ? `${keyword} ${secret}` : secret)
  }

  const tell = () => {
    const told = at('told')
    const isUsed = kept() !== null
    told.textContent = isUsed ? told.dataset.with : told.dataset.without
    told.classList.toggle('is-used', isUsed)
    at('forget').hidden = !isUsed
  }

  const forget = () => {
    const name = kept()?.name
    sessionStorage.removeItem(KEPT)
    if (known.has(name)) ui.authActions.logout([name])
  }

  select.addEventListener('change', chosen)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    forget()
    const given = { name: select.value, username: at('username').value, secret: at('secret').value }
    sessionStorage.setItem(KEPT, JSON.stringify(given))
    use(given)
    at('secret').value = ''
    tell()
  })
  at('forget').addEventListener('click', () => {
    forget()
    tell()
    at('secret').focus()
  })
  const before = kept()
  if (before !== null && known.has(before.name)) {
    select.value = before.name
    at('username').value = before.username
    use(before)
  }
  chosen()
  tell()
}

const SAFE = /^(?:GET|HEAD|OPTIONS)$/i

/** Typed credentials replace the session; without them, the session counts, with its CSRF token. */
const prepared = (request) => {
  request.credentials = kept() === null ? 'same-origin' : 'omit'
  const { header, token } = root.dataset
  if (kept() === null && token && !SAFE.test(request.method)) request.headers[header] = token
  return request
}

/** The padlocks lead to the page's form instead of a dialogue of Swagger UI. */
const ownPage = ({ React: { createElement } }) => ({
  components: {
    // This layout leaves out the main part and the other elements that the page already has.
    ConsoleLayout: ({ getComponent }) =>
      createElement(
        'div',
        { className: 'swagger-ui' },
        ...['errors', 'InfoContainer', 'operations', 'Models'].map((name) =>
          createElement(getComponent(name, true), { key: name }),
        ),
      ),
  },
  statePlugins: {
    auth: {
      wrapActions: {
        showDefinitions: () => (definitions) => {
          if (definitions) (form.hidden ? root : at('secret')).focus()
          return { type: 'own_form' }
        },
      },
    },
  },
})

/** A shadow root separates the styles of Swagger UI from those of the page. */
const shadow = () => {
  const inside = at('console').attachShadow({ mode: 'open' })
  const node = document.createElement('div')
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet' })
  return new Promise((resolve, reject) => {
    Object.assign(link, { href: root.dataset.style, onload: () => resolve(node), onerror: reject })
    inside.append(link, node)
  })
}

const show = async () => {
  const [spec, domNode] = await Promise.all([load(), shadow()])
  const place = elsewhere(spec)
  if (place !== null) return location.replace(place)
  sendable(spec)
  const ui = SwaggerUIBundle({
    spec,
    domNode,
    layout: 'ConsoleLayout',
    plugins: [ownPage],
    validatorUrl: null,
    queryConfigEnabled: false,
    persistAuthorization: false,
    deepLinking: false,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    requestInterceptor: prepared,
    onComplete: () => credentials(schemesOf(spec), ui),
  })
}

try {
  await show()
} catch (error) {
  at('failed').hidden = false
  throw error
} finally {
  at('console').removeAttribute('aria-busy')
}
