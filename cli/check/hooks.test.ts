import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { listening } from '../../harness/testing/listening.ts'
import { createCommands } from '../shared/testing/commands.ts'

const commands = createCommands('hooks')
const { cwd } = commands
const key = 'plumbline-example-full'
const word = 'word-of-the-hook-4711'
const path = '/path-of-the-hook-0815'
/** The error output of a failed command becomes part of the reason. */
const complaining = 'console.error("no host for " + process.argv[1]); process.exit(7)'
let hooks: string

beforeAll(async () => {
  const served = await commands.serve(['--clock', 'control', '--defect', 'exited-stop-accepted'])
  const target = parse(readFileSync(join(cwd, served.target), 'utf8'))
  const statuses = {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: target files name their variables so.
    EXITED: { actions: [], hook: '${HOOK_URL}' },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: target files name their variables so.
    ERROR: { hook: [process.execPath, '-e', complaining, '${HOOK_WORD}', '${HOOK_FIELD}'] },
  }
  writeFileSync(join(cwd, 'hooked.yaml'), stringify({ ...target, pods: { ...target.pods, statuses } }))
  hooks = await listening(stopping(target.pods.url))
})

afterAll(commands.close)

test('what a hook takes from the environment is in nothing that is written', { timeout: 120_000 }, async () => {
  const environment = { HOOK_URL: `${hooks}${path}`, HOOK_WORD: word, HOOK_FIELD: 'createdAt' }
  const rules = ['--only', 'pods.action.exited.stop', '--only', 'pods.action.error.start']
  const checked = await commands.start(['check', '--target', 'hooked.yaml', ...rules, '--out', 'out'], environment)
    .ended
  expect(checked.code).toBe(1)
  const names = readdirSync(join(cwd, 'out'))
  expect(names).toEqual(['evidence.ndjson', 'junit.xml', 'report.html', 'results.json'])
  const written = names.map((name) => readFileSync(join(cwd, 'out', name), 'utf8'))
  expect(written[0]).toContain('"hook":{"url":"«hook.EXITED»"}')
  for (const text of [checked.said, ...written]) {
    expect(text).not.toContain(word)
    expect(text).not.toContain(path)
  }
  expect(checked.said).toContain('ended with exit code 7: no host for «hook.ERROR»')
  expect(checked.said).toContain('# the run called the hook of EXITED for this pod')
  const replayed = await commands.run(['replay', 'out', '--out', 'again'])
  expect(replayed.code).toBe(1)
  expect(readFileSync(join(cwd, 'again', 'results.json'))).toEqual(readFileSync(join(cwd, 'out', 'results.json')))
})

/** A server that stops the pod of each hook, once that runs. */
function stopping(base: string): Server {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { pod } = JSON.parse(text) as { pod: string }
    const body = JSON.stringify({ action: 'stop' })
    const { status } = await fetch(`${base}/v2/pods/${pod}/action`, { method: 'POST', headers, body })
    response.writeHead(status === 200 ? 204 : 500).end()
  })
}
