import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

test('a signal that came before the command line took over ends the process', () => {
  const source = `
    import { endOnSignals } from ${JSON.stringify(new URL('interrupt.ts', import.meta.url).href)}
    process.on('SIGTERM', () => {})
    process.kill(process.pid, 'SIGTERM')
    endOnSignals()
    setTimeout(() => {}, 10_000)`
  expect(spawnSync(process.execPath, ['--input-type=module', '--eval', source], { encoding: 'utf8' })).toMatchObject({
    status: 130,
    stderr: expect.stringContaining('plumbline: interrupted; nothing was created\n'),
  })
})
