// Asks the browser for a passkey, and sends the form with its answer.
const form = document.querySelector('form[data-passkey]')
const { passkey, kind, header, known, suggest, unable, failed } = form.dataset
const field = (name) => form.querySelector(`[name=${name}]`)
const told = form.querySelector('[role=status]')
const { PublicKeyCredential: Key } = window
const read = `parse${kind === 'create' ? 'Creation' : 'Request'}OptionsFromJSON`
let underway

const use = async (mediation) => {
  underway?.abort()
  const { signal } = (underway = new AbortController())
  const token = form.querySelector('[data-token]').value
  const headers = {
    Accept: 'application/json',
    'Content-Type': 'application/json',
    [header]: token,
  }
  const body = JSON.stringify(known === undefined ? {} : { known: true })
  const answer = await fetch(passkey, { method: 'POST', headers, body, signal })
  const { options, detail } = await answer.json()
  if (!answer.ok) throw new Error(detail)
  const made = await navigator.credentials[kind]({
    publicKey: Key[read](options),
    signal,
    mediation,
  })
  field('passkey').value = JSON.stringify(made)
  form.submit()
}

if (Key?.[read]) {
  form.querySelector('p[hidden]').hidden = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    told.textContent = ''
    void use().catch(() => (told.textContent = failed))
  })
  // The browser suggests passkeys in the field of the name.
  if (suggest !== undefined && (await Key.isConditionalMediationAvailable?.()))
    await use('conditional').catch(() => {})
} else told.textContent = unable
