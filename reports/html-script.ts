/** Adds search, counts and copy buttons; without it all is visible, and the filters are CSS alone. */
export const pageScript = `
'use strict'
const search = document.getElementById('search')
const count = document.getElementById('count')
const rows = [...document.querySelectorAll('#rules li')].map((row) => ({ row, text: row.textContent.toLowerCase() }))
function update() {
  const words = search.value.toLowerCase().split(/\\s+/)
  for (const { row, text } of rows) row.hidden = !words.every((word) => text.includes(word))
  const shown = rows.filter(({ row }) => row.getClientRects().length > 0).length
  count.textContent = shown === 0 ? 'No rule matches.' : shown + ' of ' + rows.length + ' rules'
}
search.closest('p').hidden = false
document.getElementById('rules').addEventListener('input', update)
update()
for (const code of document.querySelectorAll('[data-copy]')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.setAttribute('aria-label', 'Copy ' + code.dataset.copy)
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(code.textContent)
      button.textContent = 'Copied'
    } catch {
      getSelection().selectAllChildren(code)
      button.textContent = 'Selected'
    }
    setTimeout(() => { button.textContent = 'Copy' }, 2000)
  })
  code.before(button)
}
function unfold() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  for (let at = target; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true
  if (target) target.scrollIntoView()
}
addEventListener('hashchange', unfold)
unfold()
addEventListener('beforeprint', () => { for (const card of document.querySelectorAll('details.card')) card.open = true })
`
