import { deepEqual, equal } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'

/**
 * A page of another origin creates, reads, changes and deletes a pod of the API at `url`. `lines` is the log of the server: it
 * shows the preflights, which a page does not see.
 * @param browser a running browser of playwright-core.
 * @param har the file that gets what the page sent, as a HAR
 */
export async function createsPod(browser, url, lines, har) {
  const pages = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>a page of another origin</title>')
  }).listen(0, '127.0.0.1')
  await once(pages, 'listening')
  try {
    const context = await browser.newContext({ recordHar: { path: har, content: 'embed' } })
    const page = await context.newPage()
    await page.goto(`http://127.0.0.1:${pages.address().port}`)
    const seen = await page.evaluate(journey, url)
    equal(seen.name, 'renamed')
    deepEqual(seen.statuses, [201, 200, 200, 204])
    equal(typeof seen.rateLimit, 'string')
    const calls = lines.map((line) => line.split(' ', 2).join(' '))
    for (const call of ['POST /v2/pods', `PATCH /v2/pods/${seen.id}`])
      equal(calls[calls.indexOf(call) - 1], call.replace(/^\w+/, 'OPTIONS'), `no preflight before ${call}`)
    // Writes the HAR.
    await context.close()
  } finally {
    pages.close()
  }
}

/** Runs in the page. */
async function journey(url) {
  const headers = { authorization: 'Bearer plumbline-example-full', 'content-type': 'application/json' }
  const send = (method, path, body) => fetch(url + path, { method, headers, body: body && JSON.stringify(body) })
  const body = { name: 'page', image: 'alpine', cpu: { id: 'cpu3c', vcpuCount: 2 } }
  const created = await send('POST', '/v2/pods', body)
  const { id } = await created.json()
  const changed = await send('PATCH', `/v2/pods/${id}`, { name: 'renamed' })
  const read = await send('GET', `/v2/pods/${id}`)
  const { name } = await read.json()
  const deleted = await send('DELETE', `/v2/pods/${id}`)
  const statuses = [created, changed, read, deleted].map(({ status }) => status)
  return { id, name, statuses, rateLimit: created.headers.get('ratelimit') }
}
