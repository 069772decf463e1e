import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { RunOptions } from '../harness/run/options.ts'
import { startChild } from './child.ts'

test.each<[does: string, body: string, silentMs: number, end: object]>([
  ['ends', 'process.exit(3)', 60_000, { code: 3, signal: null, said: '' }],
  ['stands still', 'for (;;);', 900, { code: null, signal: 'SIGKILL', said: 'nothing for 0.9 s, so it was killed' }],
])('a process that %s is ended', async (_, body, silentMs, end) => {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-child-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const module = join(folder, 'child.cjs')
  writeFileSync(module, body)
  const options = {} as RunOptions
  const { ended } = startChild({ options, environment: process.env, onProgress() {}, module, silentMs })
  expect(await ended).toEqual({ ...end, inOrder: false })
})
