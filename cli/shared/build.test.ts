import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const dir = mkdtempSync(join(tmpdir(), 'plumbline-build-'))
const cwd = join(dir, 'linked')
mkdirSync(join(dir, 'real'))
symlinkSync('real', cwd)

const write = (name: string, text: string) => writeFileSync(join(cwd, name), text)

function build() {
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, '..', '..', 'scripts', 'build.mjs')],
    {
      cwd,
      env: { ...process.env, PWD: cwd },
      encoding: 'utf8',
    },
  )
  return { status, stdout, made: readdirSync(join(cwd, 'dist')).sort() }
}

test('a build is without comments; what no source makes is gone after it, and stays after one that failed', () => {
  write(
    'tsconfig.build.json',
    '{"compilerOptions": {"outDir": "dist", "rootDir": ".", "types": []}, "include": ["*.ts"]}',
  )
  write('kept.ts', '// A reason.\nexport function kept() { return 1 }\n')
  write('given-up.ts', 'export const old = 1\n')
  expect(build()).toEqual({ status: 0, stdout: '', made: ['given-up.js', 'kept.js'] })
  expect(readFileSync(join(cwd, 'dist', 'kept.js'), 'utf8')).toBe('export function kept(){return 1}')
  rmSync(join(cwd, 'given-up.ts'))
  write('kept.ts', 'export const kept: string = 1\n')
  const failed = build()
  expect(failed).toMatchObject({ made: ['given-up.js', 'kept.js'], stdout: expect.stringContaining('kept.ts(1,14)') })
  expect(failed.status).not.toBe(0)
  write('kept.ts', 'export const kept = 2\n')
  expect(build()).toEqual({ status: 0, stdout: '', made: ['kept.js'] })
})
