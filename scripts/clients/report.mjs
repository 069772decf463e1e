import { deepEqual, equal, ok } from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { renderHtml } from '../../reports/html.ts'
import { hostileResults, manyFailures, sampleLoad, sampleResults } from '../../reports/testing/sample.ts'

/** Filters of the index that are tried. */
const filters = ['#verdict-failed', '#verdict-passed', '#area-pods']

/**
 * Looks at reports of 0, 1 and 60 failures and of a hostile target, narrow and wide, light and dark, with and without its
 * script: axe finds nothing, nothing is wider than the screen, the page loads nothing and keeps its policy. The reports are
 * written to `folder`.
 */
export async function readsReports(browser, axe, folder) {
  const one = await sampleResults()
  const rules = one.rules.filter(({ verdict }) => verdict === 'passed')
  const none = { ...one, rules, counts: { passed: rules.length }, known: [], verdict: passed, load: sampleLoad }
  const many = await manyFailures(60)
  const reports = { none, one, many, hostile: await hostileResults() }
  mkdirSync(folder, { recursive: true })
  for (const [name, results] of Object.entries(reports)) {
    const file = join(folder, `${name}.html`)
    writeFileSync(file, renderHtml(results))
    for (const width of [390, 1400]) {
      for (const colorScheme of ['light', 'dark']) {
        const say = `${name} at ${width}, ${colorScheme}`
        await looksRight(browser, { axe, say, width, colorScheme, file })
      }
    }
  }
  await worksWithoutScript(browser, join(folder, 'many.html'))
}

const passed = { word: 'conformant', exit: 0, line: 'conformant: core (1 of 1 must rules verified, 0 unclaimed)' }

async function looksRight(browser, { axe, say, width, colorScheme, file }) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme })
  const page = await context.newPage()
  const loaded = []
  const errors = []
  page.on('request', (request) => loaded.push(request.url()))
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('dialog', (dialog) => errors.push(`dialog: ${dialog.message()}`))
  // The policy of the page would refuse a script tag.
  await page.addInitScript(axe)
  await page.goto(pathToFileURL(file).href)
  await expectAccessible(page, say)
  // A filter only hides rules, so that one width and the longest list are enough.
  if (width === 390 && file.endsWith('many.html')) {
    for (const filter of filters) {
      await page.locator(filter).check({ force: true })
      await expectAccessible(page, `${say}, ${filter}`)
    }
    await page.locator('#verdict-all').check({ force: true })
  }
  await page.locator('#search').fill('no such rule')
  equal(await page.locator('#count').textContent(), 'No rule matches.', say)
  await page.locator('#search').fill('')
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true
  })
  // Sixty unfolded cards take axe minutes, and are like the one of the others.
  if (!file.endsWith('many.html')) await expectAccessible(page, `${say}, unfolded`)
  const widest = await page.evaluate(() => document.documentElement.scrollWidth)
  ok(widest <= width, `${say}: the page is ${widest} wide`)
  await expectSides(page, width, say)
  deepEqual(errors, [], say)
  deepEqual(loaded, [pathToFileURL(file).href], say)
  await context.close()
}

/** Expected is beside observed if there is room, otherwise above it. */
async function expectSides(page, width, say) {
  if ((await page.locator('.expected').count()) === 0) return
  const [expected, observed] = await Promise.all(
    ['.expected', '.observed'].map((side) => page.locator(side).first().boundingBox()),
  )
  equal(expected.y === observed.y, width > 768, `${say}: expected at ${expected.y}, observed at ${observed.y}`)
}

async function expectAccessible(page, say) {
  const found = await page.evaluate(async () => (await globalThis.axe.run({ resultTypes: ['violations'] })).violations)
  const lines = found.map(({ id, nodes }) => `${id}: ${nodes[0].html} ${nodes[0].failureSummary}`)
  deepEqual(lines, [], say)
}

/** All rules are visible and the filters work; the search, which needs the script, is not offered. */
async function worksWithoutScript(browser, file) {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(pathToFileURL(file).href)
  const visible = () => page.locator('#rules li:visible').count()
  const all = await visible()
  equal(all, await page.locator('#rules li').count())
  equal(await page.locator('#search').isVisible(), false)
  await page.locator('#verdict-failed').check({ force: true })
  equal(await visible(), await page.locator('#rules li.v-failed').count())
  ok((await visible()) < all)
  await context.close()
}
