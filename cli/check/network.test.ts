import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { defaultKeys } from '../../reference/auth/accounts.ts'
import { loadTarget } from '../../target-file/load.ts'
import { createPlaneShell } from '../fuzz/plane-shell.ts'
import { createCommands } from '../shared/testing/commands.ts'
import { openPrivateNetwork } from '../shared/testing/private-network.ts'

const gatewayKey = 'gateway-key-5071'
const { cwd, run, start, serve, close } = createCommands('network')
let network: Awaited<ReturnType<typeof openPrivateNetwork>>
const certificate = 'certificate: {cert: pem/client.pem, key: pem/key.pem}'
const headers = `headers: {X-Gateway-Key: "\${GATEWAY_KEY}"}`
const all = `{ca: pem/ca.pem, ${certificate}, ${headers}}`

beforeAll(async () => {
  const { url } = await serve([])
  network = await openPrivateNetwork(new URL(url).origin, join(cwd, 'pem'), ['X-Gateway-Key', gatewayKey])
})

afterAll(close)

/** Judges one rule of the pod plane at an address with this section `network`. */
async function check(address: 'proxied' | 'direct', given: string, { addresses } = network, rule = 'pods.create.cpu') {
  network.tunnels.length = 0
  const name = `target-${address}.yaml`
  const lines = ['plumbline: 1', `pods: ${addresses[address]}`, `network: ${given}`, `keys: {full: "\${KEY}"}`]
  writeFileSync(join(cwd, name), lines.join('\n'))
  const words = ['check', '--target', name, '--only', rule, '--out', address]
  const environment = { KEY: defaultKeys.full, GATEWAY_KEY: gatewayKey, HTTPS_PROXY: network.proxy }
  // HTTPS_PROXY is read from the process, so a proxied check needs its own.
  return address === 'proxied' ? start(words, environment).ended : run(words, environment)
}

test.each(['proxied', 'direct'] as const)('a %s gateway with certificates and a header is judged', async (address) => {
  const { code, said } = await check(address, all)
  expect({ code, said }).toMatchObject({ code: 0, said: expect.stringContaining('conformant: core') })
  expect(network.tunnels.length > 0).toBe(address === 'proxied')
  expect((await run(['replay', address])).code).toBe(0)
  // The bundle holds neither the gateway's key nor the client's.
  const texts = readdirSync(join(cwd, address), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
  for (const secret of [gatewayKey, 'PRIVATE KEY', defaultKeys.full]) expect(texts.join('')).not.toContain(secret)
  expect(texts.join('')).toContain('«network.headers.X-Gateway-Key»')
})

test.each<[string, string, RegExp, number]>([
  [
    'without the authority',
    `{${certificate}, ${headers}}`,
    /could not connect \(the certificate of the target is from an unknown authority; name the file .* network\.ca\)/,
    5,
  ],
  ['without a certificate of the client', `{ca: pem/ca.pem, ${headers}}`, /could not connect|ended before/, 5],
  ['without the header', `{ca: pem/ca.pem, ${certificate}}`, /403/, 2],
  ['with a file that is missing', '{ca: none.pem}', /network\.ca: .*none\.pem cannot be read \(ENOENT\)/, 2],
  [
    'with a file that is no certificate',
    '{ca: target-direct.yaml}',
    /network\.ca: expected a PEM file with certificates/,
    2,
  ],
  [
    'with a header of its own',
    '{headers: {Authorization: x}}',
    /network\.headers\.Authorization: Plumbline sets this header/,
    2,
  ],
])('a gateway %s is named in a sentence', async (_, given, message, exit) => {
  const { code, said } = await check('direct', given)
  expect(said).toMatch(message)
  expect(code).toBe(exit)
})

test('doctor --fix asks over the private network of a file', async () => {
  await check('direct', all)
  const environment = { KEY: defaultKeys.full, GATEWAY_KEY: gatewayKey }
  const { code, said } = await start(['doctor', '--fix', '--target', 'target-direct.yaml'], environment).ended
  expect({ code, said }).toMatchObject({ code: 0, said: expect.stringContaining('nothing to add was seen') })
})

// Writes other PEM files in the place of those before, so it is the last.
test('the lines of a finding and of a walk use the files and the headers', async () => {
  const { url } = await serve(['--defect', 'catalog-404'])
  const other = await openPrivateNetwork(new URL(url).origin, join(cwd, 'pem'), ['X-Gateway-Key', gatewayKey])
  const { code } = await check('direct', all, other, 'pods.catalog.cpus')
  expect(code).toBe(1)
  const { rules } = JSON.parse(readFileSync(join(cwd, 'direct', 'results.json'), 'utf8'))
  const { curl } = rules.find(({ id }: { id: string }) => id === 'pods.catalog.cpus')
  const environment = { KEY: defaultKeys.full, GATEWAY_KEY: gatewayKey }
  const shell = createPlaneShell(loadTarget(join(cwd, 'target-direct.yaml'), environment), 'pods')
  const listing = shell.curl(shell.request('listCpuFlavors'), '-si')
  const walk = [...shell.exports(), listing]
  const ofSubshell = [...walk.slice(0, -1), `POD=$(${walk.at(-1)}); echo "$POD"; echo went on`]
  for (const lines of [curl, walk, ofSubshell]) {
    const env = {
      PATH: process.env.PATH,
      KEY: defaultKeys.full,
      NETWORK_CA: 'pem/ca.pem',
      NETWORK_CERTIFICATE_CERT: 'pem/client.pem',
      NETWORK_CERTIFICATE_KEY: 'pem/key.pem',
      NETWORK_HEADERS_X_GATEWAY_KEY: gatewayKey,
    }
    const run = (more: object) =>
      new Promise<string>((done) => {
        const options = { cwd, env: { ...env, ...more } }
        execFile('bash', ['-c', lines.join('\n')], options, (_, out, err) => done(out + err))
      })
    expect(await run({})).toContain('HTTP/1.1 404 Not Found')
    const refused = await run({ NETWORK_CA: '' })
    expect(refused).toContain('NETWORK_CA: set it to the file of network.ca (your target file)')
    expect(refused).not.toContain('went on')
  }
})
