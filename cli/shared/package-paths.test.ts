import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { packageFolder, programIn } from './package-paths.ts'

const folder = mkdtempSync(join(tmpdir(), 'plumbline-path-'))
const [empty, own, other] = ['empty', 'own', 'other'].map((name) => join(folder, name)) as [string, string, string]

beforeAll(() => {
  for (const name of [empty, own, other]) mkdirSync(name)
  symlinkSync(join(packageFolder, 'bin', 'plumbline.js'), join(own, 'plumbline'))
  writeFileSync(join(other, 'plumbline'), '')
})

test.each<[says: string, path: string[], more: NodeJS.ProcessEnv, program: string]>([
  ['the program on PATH', [empty, own, other], {}, 'plumbline'],
  ['another program of that name before it', [other, own], {}, 'node bin/plumbline.js'],
  ['no program on PATH', [empty], {}, 'node bin/plumbline.js'],
  ['a PATH that npm has changed', [own], { npm_command: 'exec' }, 'node bin/plumbline.js'],
])('the command with %s', (_, path, more, program) => {
  expect(programIn({ PATH: path.join(delimiter), ...more })).toBe(program)
})
