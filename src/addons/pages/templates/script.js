// Improves pages that also work without it: it sends what plain forms cannot, and keeps all typed text.
;(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)]
  const words = () => document.querySelector('[data-words]')?.dataset ?? {}

  /** Shows the parts that need a script, and hides their substitutes. */
  const enhance = () => {
    document.documentElement.classList.add('js')
    for (const each of all('fieldset[data-scripted]')) each.disabled = false
    for (const each of all('[data-scripted][hidden]')) each.hidden = false
    // The browser's own suggestions would cover ours. Without a script, it keeps typed text for going back.
    for (const each of all('[data-list]')) each.autocomplete = 'off'
  }

  // The facts are outside of the form: a form has its fields as members, and a field may have any name.
  const tell = (box, text, login) => {
    const place = box.querySelector('[data-told]')
    place.textContent = text
    if (!login || !words().login) return
    const link = document.createElement('a')
    const looks = { target: '_blank', rel: 'noopener', textContent: words().logIn }
    place.append(' ', Object.assign(link, { href: words().login }, looks))
  }

  /** After a log-in in another tab, the token of this page is outdated. */
  let isStale = false
  const tokenOf = async () => {
    const { field, token } = words()
    if (!isStale || !field) return token
    const answer = await fetch(location.href, { headers: { Accept: 'text/html' } })
    return parse(await answer.text()).querySelector('[data-words]')?.dataset.token ?? token
  }

  const parse = (text) => new DOMParser().parseFromString(text, 'text/html')

  const bodyOf = (box, headers) => {
    const { raw, bare, encoding } = box.dataset
    if (bare !== undefined) return undefined
    if (raw !== undefined) {
      const { value } = box.querySelector('textarea')
      if (value) headers['Content-Type'] = box.querySelector('select').value
      return value || undefined
    }
    const data = new FormData(box.querySelector('form'))
    data.delete(words().field)
    return encoding.startsWith('multipart') ? data : new URLSearchParams(data)
  }

  const send = async (box, method) => {
    const headers = { Accept: 'text/html; q=1.0, */*' }
    tell(box, words().sending)
    box.setAttribute('aria-busy', 'true')
    try {
      const token = await tokenOf()
      if (token) headers[words().header] = token
      const options = { method, headers, body: bodyOf(box, headers) }
      const url = new URL(box.dataset.action, location.href)
      const answer = await fetch(url, options)
      const page = parse(await answer.text())
      const isPage = answer.headers.get('Content-Type')?.startsWith('text/html')
      const { status } = answer
      if (isPage && status < 500 && ![401, 403, 429].includes(status))
        return show(page, box, answer)
      // The page stays, with all typed text.
      isStale = true
      const reason = page.querySelector('[data-detail]')?.dataset.detail ?? ''
      tell(box, `${words().kept} (${status}) ${reason}`, status === 401 || status === 403)
    } catch {
      tell(box, words().unreachable)
    } finally {
      box.removeAttribute('aria-busy')
    }
  }

  /** Replaces the page by the answer, whose scripts do not run: this script goes on. */
  const show = (page, box, { ok }) => {
    const typed = box.querySelector('textarea')?.value
    const type = box.querySelector('select')?.value
    if (ok) history.pushState(null, '', location.href)
    document.title = page.title
    document.body.replaceWith(page.body)
    enhance()
    const again = document.getElementById(box.id)
    if (ok || !again) {
      scrollTo(0, 0)
      return document.querySelector('h1')?.focus()
    }
    again.closest('details')?.setAttribute('open', '')
    if (box.dataset.raw !== undefined) {
      again.querySelector('textarea').value = typed
      again.querySelector('select').value = type
    }
    ;(again.querySelector('[aria-invalid]') ?? again.querySelector('button')).focus()
  }

  document.addEventListener('submit', (event) => {
    const box = event.composedPath()[1]
    if (!box.dataset.method) return
    event.preventDefault()
    if (!box.hasAttribute('aria-busy'))
      void send(box, event.submitter?.dataset.method ?? box.dataset.method)
  })

  document.addEventListener('click', ({ target }) => {
    const button = target.closest?.('button')
    if (!button) return
    const { opens, closes, copies, adds } = button.dataset
    if (opens) document.getElementById(opens).showModal()
    if (closes !== undefined) button.closest('dialog').close()
    if (adds) add(document.getElementById(adds))
    if (copies) void copy(button, document.getElementById(copies).textContent)
  })

  const copy = async (button, text) => {
    await navigator.clipboard.writeText(text)
    const before = button.textContent
    button.textContent = words().copied
    setTimeout(() => (button.textContent = before), 2000)
  }

  /** Adds an item to a list. */
  const add = (input) => {
    const { value } = input
    if (!value) return input.focus()
    const label = document.createElement('label')
    const box = document.createElement('input')
    Object.assign(box, { type: 'checkbox', name: input.dataset.name, value, checked: true })
    label.append(box, ' ', value)
    input.closest('[data-items]').querySelector('[data-list-of]').append(label)
    input.value = ''
    input.focus()
  }

  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    const { form } = event.target
    if (form && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      HTMLFormElement.prototype.requestSubmit.call(form)
    } else if (event.target.dataset?.name) {
      event.preventDefault()
      add(event.target)
    }
  })

  /** Suggests rows of the API's own list, which is searched for the typed text. */
  let timer = 0
  const suggest = async (input) => {
    const { list, member } = input.dataset
    const url = new URL(list, location.href)
    const typed = input.value
    if (typed) url.searchParams.set(words().search, typed)
    const answer = await fetch(url, { headers: { Accept: 'application/json' } })
    if (!answer.ok || input.value !== typed) return
    const data = await answer.json()
    const rows = Array.isArray(data) ? data : (data.results ?? [])
    const options = rows.slice(0, 20).flatMap((row) => {
      const key = row?.[member]
      // Larger numbers are not exact.
      if (typeof key !== 'string' && !Number.isSafeInteger(key)) return []
      const texts = Object.entries(row).filter(
        ([name, text]) => name !== 'url' && name !== member && typeof text === 'string',
      )
      const named = texts.find(([name]) => /^(?:name|title|label|username)$/.test(name)) ?? texts[0]
      const option = document.createElement('option')
      option.value = key
      option.label = named ? named[1] : key
      return [option]
    })
    input.list?.replaceChildren(...options)
  }
  document.addEventListener('input', ({ target }) => {
    if (!target.dataset?.list) return
    clearTimeout(timer)
    timer = setTimeout(() => void suggest(target).catch(() => undefined), 200)
  })

  addEventListener('popstate', () => {
    location.reload()
  })
  enhance()
})()
