import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { derivedFiles } from '../../shared/certificate/contents.ts'
import { envelopeFile } from '../../shared/certificate/files.ts'
import { judgedRuns } from '../../shared/certificate/verify.ts'
import { createCommands, textOf } from '../../shared/testing/commands.ts'
import { restate } from './statement.ts'

const pem = { privateKeyEncoding: { type: 'pkcs8', format: 'pem' }, publicKeyEncoding: { type: 'spki', format: 'pem' } }

/** The words of a command that makes a small certificate. */
export const certify = ['certify', '--target', 'target.yaml', '--profile', 'inside', '--seed', '7', '--quiet']

export type Certificates = Awaited<ReturnType<typeof makeCertificates>>

/** A small certificate of the served reference, on its controlled clock: signed, and the same unsigned. */
export async function makeCertificates() {
  const commands = createCommands('certificate')
  const { cwd } = commands
  const own = generateKeyPairSync('ed25519', pem as never) as unknown as Record<'privateKey' | 'publicKey', string>
  const [signed, copy, unsigned] = ['acme', 'copy', 'unsigned'].map((name) => join(cwd, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(join(cwd, 'own.key'), own.privateKey)
  writeFileSync(join(cwd, 'own.pem'), own.publicKey)
  commands.start(['serve', '--port', '0', '--clock', 'control', '--print-target', 'target.yaml'])
  await textOf(join(cwd, 'target.yaml'), 'clock:')
  const output = await commands.run([...certify, '--out', 'acme', '--key', 'own.key'])
  cpSync(signed, unsigned, { recursive: true })
  rmSync(join(unsigned, envelopeFile))
  const { runs } = await judgedRuns(unsigned)
  for (const [name, text] of derivedFiles(runs, false)) writeFileSync(join(unsigned, name), text)
  restate(unsigned, null)
  return {
    commands,
    cwd,
    /** The output of the command that made it. */
    output,
    signed,
    unsigned,
    /** Where a test puts one that it changes. */
    copy,
    /** Public key of the signer, in PEM. */
    ownPem: own.publicKey,
    publicKey: createPublicKey(own.publicKey),
    /** Private key of somebody else. */
    stranger: generateKeyPairSync('ed25519').privateKey,
  }
}
