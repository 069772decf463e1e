import { tmpdir } from 'node:os'
import { createColors } from 'picocolors'
import { expect, test } from 'vitest'
import { referenceTarget } from '../../proof/instance.ts'
import { exitCodes } from '../../results/types.ts'
import type { Terminal } from '../terminal.ts'
import { runSession } from './session.ts'

test.each<[string, () => Promise<void>, number, RegExp]>([
  [
    'that fails is told, and the load does not end with 0',
    async () => {
      throw new Error('EROFS')
    },
    exitCodes.incomplete,
    /^plumbline: jobs of the load may still wait \(EROFS\); npx plumbline sweep r\w+ removes them$/,
  ],
  ['that succeeds says nothing', async () => {}, exitCodes.conformant, /^$/],
])('a tidying %s', async (_, tidy, code, said) => {
  const err: string[] = []
  const terminal: Terminal = {
    out: () => {},
    err: (text) => void err.push(text),
    environment: {},
    cwd: tmpdir(),
    live: false,
    color: false,
    colors: createColors(false),
  }
  const options = { target: 't.yaml', only: [], maxRequests: 1, maxSeconds: 1, windowScale: 1, quiet: true }
  const target = referenceTarget('http://127.0.0.1:9', 'real')
  const selection = { profiles: [], selected: [], claimed: new Set<string>(), leftOut: new Map() } as const
  const conduct = async () => new Map()
  expect(await runSession({ kind: 'smoke', options, target, selection, terminal, conduct, tidy })).toBe(code)
  expect(err.join('\n')).toMatch(said)
})
