import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { defaultKeys } from '../../reference/auth/accounts.ts'
import { createCommands } from '../shared/testing/commands.ts'
import { openPrivateNetwork } from '../shared/testing/private-network.ts'

const gatewayKey = 'gateway-key-5071'
const { cwd, start, serve, close } = createCommands('network')
let network: Awaited<ReturnType<typeof openPrivateNetwork>>
const certificate = 'certificate: {cert: pem/client.pem, key: pem/key.pem}'
const headers = `headers: {X-Gateway-Key: "\${GATEWAY_KEY}"}`
const all = `{ca: pem/ca.pem, ${certificate}, ${headers}}`

beforeAll(async () => {
  const { url } = await serve([])
  network = await openPrivateNetwork(new URL(url).origin, join(cwd, 'pem'), ['X-Gateway-Key', gatewayKey])
})

afterAll(() => {
  network.close()
  close()
})

/** Judges one rule of the pod plane at an address with this `network`. */
async function check(address: 'proxied' | 'direct', given: string) {
  network.tunnels.length = 0
  const name = `target-${address}.yaml`
  const lines = ['plumbline: 1', `pods: ${network.addresses[address]}`, `network: ${given}`, `keys: {full: "\${KEY}"}`]
  writeFileSync(join(cwd, name), lines.join('\n'))
  const more = ['--only', 'pods.list.contains', '--out', address]
  const environment = { KEY: defaultKeys.full, GATEWAY_KEY: gatewayKey, HTTPS_PROXY: network.proxy }
  return start(['check', '--target', name, ...more], environment).ended
}

test.each(['proxied', 'direct'] as const)('a %s gateway with certificates and a header is judged', async (address) => {
  const { code, said } = await check(address, all)
  expect({ code, said }).toMatchObject({ code: 0, said: expect.stringContaining('conformant: core') })
  expect(network.tunnels.length > 0).toBe(address === 'proxied')
  expect((await start(['replay', address]).ended).code).toBe(0)
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
