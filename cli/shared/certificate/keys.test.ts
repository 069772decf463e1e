import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createColors } from 'picocolors'
import { expect, test } from 'vitest'
import type { Terminal } from '../terminal.ts'
import { readPublicKey, signerOf } from './keys.ts'

const cwd = mkdtempSync(join(tmpdir(), 'plumbline-keys-'))
const terminal: Terminal = {
  ...{ out() {}, err() {}, cwd, live: false, color: false, colors: createColors(false) },
  environment: { PATH: process.env.PATH, NODE: process.execPath },
}
const pem = { type: 'pkcs8', format: 'pem' } as const
const spki = { type: 'spki', format: 'pem' } as const
const own = generateKeyPairSync('ed25519', { publicKeyEncoding: spki, privateKeyEncoding: pem })
const other = generateKeyPairSync('ed25519', { publicKeyEncoding: spki, privateKeyEncoding: pem })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048, publicKeyEncoding: spki, privateKeyEncoding: pem })
const files = { own: own.privateKey, 'own.pub': own.publicKey, other: other.privateKey, rsa: rsa.privateKey, text: 'x' }
for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)

/** A command that signs with a key; `form` is an expression over the signature. */
function command(key: string, form: string): string {
  const program = `const { readFileSync } = require('fs'); const s = require('crypto').sign(null, readFileSync(0), readFileSync('${key}')); process.stdout.write(${form})`
  return `"$NODE" -e "${program}"`
}

test('a key in a file signs', () => {
  expect(signerOf({ key: 'own' }, terminal)?.sign(Buffer.from('x'))).toHaveLength(64)
  expect(signerOf({}, terminal)).toBeNull()
})

test.each(['s', "s.toString('base64')", "s.toString('base64') + '\\n'"])('a command may write %s', (form) => {
  const signer = signerOf({ key: 'own.pub', signWith: command('own', form) }, terminal)
  const bytes = Buffer.from('x')
  expect(Buffer.from(signer?.sign(bytes) ?? [])).toEqual(
    Buffer.from(signerOf({ key: 'own' }, terminal)?.sign(bytes) ?? []),
  )
  expect(signer?.keyId).toBe(signerOf({ key: 'own' }, terminal)?.keyId)
})

test.each([
  [{ signWith: 'true' }, '--sign-with needs --key FILE: the public key'],
  [{ key: 'none' }, '--key none cannot be read (there is no such file); name a PEM file'],
  [{ key: 'text' }, '--key text is not a private key in PEM without a passphrase'],
  [{ key: 'own.pub' }, '--key own.pub holds a public key; give the private one, or --sign-with COMMAND beside it'],
  [{ key: 'rsa' }, '--key rsa is a key for rsa; expected Ed25519'],
  [{ key: 'own', signWith: 'true' }, '--key own holds a private key; give the public one'],
  [
    { key: 'own.pub', signWith: 'echo no token >&2; exit 3' },
    '--sign-with ended with code 3 and without a signature: no token',
  ],
  [{ key: 'own.pub', signWith: 'true' }, '--sign-with wrote 0 bytes that are not a signature of the key in own.pub'],
  [
    { key: 'own.pub', signWith: command('other', 's') },
    '--sign-with wrote 64 bytes that are not a signature of the key',
  ],
])('%j is refused', (options, message) => {
  expect(() => signerOf(options, terminal)).toThrow(message)
})

test('a private key is not given to verify', () => {
  expect(() => readPublicKey('own', terminal)).toThrow('holds a private key')
})
