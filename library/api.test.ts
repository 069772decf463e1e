import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

it('every exported name has a comment, which the API page shows', () => {
  const typedoc = join(root, 'packages/api/node_modules/typedoc/bin/typedoc')
  const args = [typedoc, '--emit', 'none', '--logLevel', 'Warn']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: join(root, 'packages/api'),
    encoding: 'utf8',
  })
  expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' })
})

it('every export of package.json has types and is on the page', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  const { entryPoints } = JSON.parse(readFileSync(join(root, 'packages/api/typedoc.json'), 'utf8')) as Settings
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
