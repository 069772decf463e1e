import { spawnSync } from 'node:child_process'
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { UsageError } from '../errors.ts'
import { codeOf, readFault } from '../records/output-folders.ts'
import type { Terminal } from '../terminal.ts'

/** Signs with Ed25519, by a key in a file or by a command. */
export interface Signer {
  readonly keyId: string
  /** Throws UsageError if the command fails, or if its signature is not of the key. */
  sign(bytes: Uint8Array): Uint8Array
}

interface SignerOptions {
  /** PEM file: the private key, or with `signWith` the public key of the command. */
  readonly key?: string
  /** A shell command that gets the bytes on standard input and writes the signature. */
  readonly signWith?: string
}

/** How long a signing command may take, real ms: it may wait for somebody to touch a token. */
const signingMs = 120_000

/** The signer that the flags name; null without any. It has signed once, so that a run does not end without a signature. */
export function signerOf({ key, signWith }: SignerOptions, terminal: Terminal): Signer | null {
  if (key === undefined) {
    if (signWith === undefined) return null
    throw new UsageError('--sign-with needs --key FILE: the public key, by which the signature is checked')
  }
  const typed = `--key ${key}`
  const text = textOf(resolve(terminal.cwd, key), typed)
  const privateKey = signWith === undefined ? privateKeyIn(text, typed) : null
  const publicKey = privateKey === null ? publicKeyIn(text, typed) : createPublicKey(privateKey)
  const signed = (bytes: Uint8Array) =>
    privateKey === null ? signedBy(signWith ?? '', bytes, terminal) : sign(null, bytes, privateKey)
  const signer = {
    keyId: keyIdOf(publicKey),
    sign(bytes: Uint8Array): Uint8Array {
      const signature = signed(bytes)
      if (verify(null, bytes, publicKey, signature)) return signature
      throw new UsageError(
        `--sign-with wrote ${signature.length} bytes that are not a signature of the key in ${key}; expected an Ed25519 signature, 64 bytes or their base64`,
      )
    },
  }
  signer.sign(Buffer.from('plumbline: a first signature, before the runs'))
  return signer
}

/** The public key in a file. Throws UsageError, which names it as it was `typed`, if the file holds another one. */
export function readPublicKey(name: string, { cwd }: Pick<Terminal, 'cwd'>, typed = `--key ${name}`): KeyObject {
  return publicKeyIn(textOf(resolve(cwd, name), typed), typed)
}

/** The name of a key in an envelope: SHA-256 of its SubjectPublicKeyInfo. */
export function keyIdOf(key: KeyObject): string {
  return `sha256:${createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')}`
}

function textOf(file: string, typed: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`${typed} cannot be read (${readFault(error)}); name a PEM file`)
  }
}

function privateKeyIn(text: string, typed: string): KeyObject {
  if (text.includes('PUBLIC KEY')) {
    throw new UsageError(`${typed} holds a public key; give the private one, or --sign-with COMMAND beside it`)
  }
  return ed25519(() => createPrivateKey(text), typed, 'private')
}

function publicKeyIn(text: string, typed: string): KeyObject {
  if (text.includes('PRIVATE KEY')) {
    throw new UsageError(`${typed} holds a private key; give the public one (openssl pkey -pubout)`)
  }
  return ed25519(() => createPublicKey(text), typed, 'public')
}

function ed25519(read: () => KeyObject, typed: string, kind: string): KeyObject {
  let key: KeyObject
  try {
    key = read()
  } catch {
    throw new UsageError(`${typed} is not a ${kind} key in PEM without a passphrase`)
  }
  if (key.asymmetricKeyType === 'ed25519') return key
  throw new UsageError(`${typed} is a key for ${key.asymmetricKeyType}; expected Ed25519`)
}

/** The signature that a command writes: 64 bytes, or their base64. */
function signedBy(command: string, bytes: Uint8Array, { cwd, environment }: Terminal): Uint8Array {
  const { status, signal, stdout, stderr, error } = spawnSync('sh', ['-c', command], {
    input: bytes,
    cwd,
    env: { ...environment },
    timeout: signingMs,
  })
  // With an error it may still have worked: it need not read all that it is given.
  if (status === 0) {
    return stdout.length === 64 ? stdout : Buffer.from(stdout.toString('latin1').trim(), 'base64')
  }
  const how = status === null ? (signal ?? codeOf(error)) : `code ${status}`
  const [said = ''] = String(stderr ?? '').split('\n')
  throw new UsageError(`--sign-with ended with ${how} and without a signature${said === '' ? '' : `: ${said}`}`)
}
