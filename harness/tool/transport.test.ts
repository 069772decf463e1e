import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import type { FileSection } from '../../target/section.ts'
import type { DeployPlane } from '../../target/types.ts'
import { jsonOf } from '../exchange/exchange.ts'
import { deployOf, writeDeploy } from '../planes/deploy/section.ts'
import { withTool } from './transport.ts'
import type { ProjectTree } from './types.ts'

/** A command of one line, in the language that is here anyway. */
function node(line: string, ...words: readonly string[]): readonly string[] {
  return [process.execPath, '-e', line, ...words]
}

const quiet = node('', '{project}', '{package}', '{name}', '{from}', '{to}')
const unused = () => expect.fail('nothing is sent over HTTP')

function section(given: Partial<FileSection<'deploy'>>, environment: Record<string, string> = {}): DeployPlane {
  const faults: string[] = []
  const fault = (_: unknown, message: string) => void faults.push(message)
  const read = deployOf(
    { build: quiet, deploy: quiet, list: quiet, remove: quiet, ...given },
    { environment, ruleIds: [], fault },
  )
  expect(faults).toEqual([])
  return read
}

const tree: ProjectTree = {
  project: { name: 'app', endpoints: [], dependencies: [], exclude: [] },
  files: { 'main.py': 'pass\n', 'data.bin': { bytes: 3_000_000 } },
}

async function ask(plane: DeployPlane, address: string, body?: object) {
  const bytes = body === undefined ? null : new TextEncoder().encode(JSON.stringify(body))
  const request = { method: 'POST', url: `command:${address}`, headers: [], body: bytes }
  const { status, body: answer } = await withTool(unused, plane)(request)
  return { status, json: jsonOf(answer) }
}

test('a build gets the project in a folder of its own, and what it leaves is read', async () => {
  const before = readdirSync(tmpdir()).filter((name) => name.startsWith('plumbline-deploy-'))
  const pack = `const { execFileSync } = require('node:child_process')
    const [project, file] = process.argv.slice(1)
    require('node:fs').writeFileSync(project + '/manifest.json', '{}')
    console.log(project); execFileSync('tar', ['-czf', file, '-C', project, '.'])`
  const { json } = await ask(section({ build: node(pack, '{project}', '{package}') }), 'build', tree)
  expect(json).toMatchObject({
    exit: 0,
    stdout: 'FOLDER/app\n',
    package: {
      format: 'tar.gz',
      paths: ['data.bin', 'main.py', 'manifest.json', 'project.json'],
      texts: { 'main.py': 'pass\n', 'manifest.json': '{}' },
    },
  })
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith('plumbline-deploy-'))).toEqual(before)
})

test('a command gets the variables of the target file and no other secret', async () => {
  process.env.PLUMBLINE_TEST_SECRET = 'plumbline-example-secret'
  const list = node('console.log(JSON.stringify([{ name: "env", id: Object.keys(process.env).join() }]))')
  const { json } = await ask(
    section({ list, environment: { OWN: `\${OWN_KEY}` } }, { OWN_KEY: 'own-key-1234' }),
    'list',
  )
  delete process.env.PLUMBLINE_TEST_SECRET
  const [{ endpoint }] = (json as { endpoints: [{ endpoint: string }] }).endpoints
  expect(endpoint.split(',')).toEqual(expect.arrayContaining(['OWN', 'PATH']))
  expect(endpoint).not.toContain('PLUMBLINE_TEST_SECRET')
})

test.each<[says: string, given: Partial<FileSection<'deploy'>>, address: string, message: RegExp]>([
  [
    'that does not end',
    { remove: node('setTimeout(() => {}, 60_000)', '{name}'), limit: '500ms' },
    'remove/a',
    /did not end within deploy.limit, 500ms/,
  ],
  [
    'that does not exist',
    { remove: ['no-such-tool', '{name}'] },
    'remove/a',
    /no-such-tool \(deploy.remove\) could not be started/,
  ],
  [
    'that lists no JSON',
    { list: node('console.log("none")') },
    'list',
    /must print a JSON array .*; it printed "none\\n"/,
  ],
])('a command %s is no response', async (_, given, address, message) => {
  await expect(ask(section(given), address)).rejects.toThrow(message)
})

test('a removal that fails is no success, and an endpoint that is not listed is not found', async () => {
  const plane = section({ remove: node('process.exit(3)', '{name}'), list: node('console.log("[]")') })
  expect(await ask(plane, 'remove/a')).toMatchObject({ status: 500, json: { exit: 3 } })
  expect(await ask(plane, 'list/a')).toMatchObject({ status: 404 })
})

test('a section is written so that it reads the same', () => {
  const plane = section({ call: quiet, limit: '2m', preinstalled: 'numpy', worker: true, environment: { A: 'b' } })
  expect(section(writeDeploy(plane) as unknown as FileSection<'deploy'>)).toEqual(plane)
})
