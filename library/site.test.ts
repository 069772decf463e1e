import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { beforeAll, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const site = mkdtempSync(join(tmpdir(), 'plumbline-site-'))
let written: { readonly status: number | null; readonly said: string }

beforeAll(() => {
  const typedoc = join(root, 'packages/site/node_modules/typedoc/bin/typedoc')
  const args = [typedoc, '--out', site, '--logLevel', 'Warn']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: join(root, 'packages/site'),
    encoding: 'utf8',
  })
  written = { status, said: stdout + stderr }
})

it('every exported name has a comment, and every file that a page names exists', () => {
  expect(written).toEqual({ status: 0, said: '' })
})

it('every link of the site ends at a page and at an anchor of it', () => {
  const pages = globSync('**/*.html', { cwd: site })
  const anchors = new Map(pages.map((page) => [join(site, page), anchorsOf(textOf(page))]))
  const links = pages.flatMap((page) => linksOf(textOf(page)).map((link) => ({ page, link })))
  const dead = links.filter(({ page, link }) => {
    const [path = '', anchor = ''] = link.split('#')
    const target = path === '' ? join(site, page) : resolve(site, dirname(page), path)
    const file = existsSync(target) && statSync(target).isDirectory() ? join(target, 'index.html') : target
    if (!existsSync(file)) return true
    return anchor !== '' && anchors.get(file)?.has(anchor) === false
  })
  expect(links.length).toBeGreaterThan(pages.length)
  expect(dead).toEqual([])
})

it('every page of the documentation is a page of the site', () => {
  const documents = globSync('docs/*.md', { cwd: root }).map((file) => file.replace('/', '_').replace(/md$/, 'html'))
  expect(globSync('*.html', { cwd: join(site, 'documents') })).toEqual(expect.arrayContaining(documents))
})

it('every export of package.json has types and is on the site', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  const { entryPoints } = JSON.parse(readFileSync(join(root, 'packages/site/typedoc.json'), 'utf8')) as Settings
  const modules = Object.entries(exports).filter(([name]) => name !== './package.json')
  expect(modules.map(([, { types, default: run }]) => [types, run])).toEqual(
    entryPoints
      .map((file) => file.replace('../../', './dist/').replace(/\.ts$/, ''))
      .map((file) => [`${file}.d.ts`, `${file}.js`]),
  )
})

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string }>>
}

interface Settings {
  readonly entryPoints: readonly string[]
}

function textOf(page: string): string {
  return readFileSync(join(site, page), 'utf8')
}

function anchorsOf(html: string): ReadonlySet<string> {
  return new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id))
}

/** The links within the site. */
function linksOf(html: string): string[] {
  return [...html.matchAll(/ href="([^"]+)"/g)]
    .map(([, link = '']) => decodeURIComponent(link.replaceAll('&amp;', '&')))
    .filter((link) => !/^\w+:/.test(link))
}
