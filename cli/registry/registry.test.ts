import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Certificates, makeCertificates } from '../certify/testing/certificate.ts'
import { replaceIn } from '../certify/testing/edits.ts'

let made: Certificates

beforeAll(async () => {
  made = await makeCertificates()
}, 300_000)
afterAll(() => made.commands.close())

test('a registry shows each certificate with the result of its verification', async () => {
  const dir = join(made.cwd, 'registry')
  for (const name of ['acme', 'bare', 'forged', 'keyless'])
    cpSync(name === 'bare' ? made.unsigned : made.signed, join(dir, name), { recursive: true })
  for (const name of ['acme', 'forged']) writeFileSync(join(dir, `${name}.pem`), made.ownPem)
  replaceIn(join(dir, 'forged', 'badge.svg'), /inside/, '<script>')
  const { code, said } = await made.commands.run(['registry', 'registry'])
  expect(said.split('\n').slice(0, 4)).toEqual([
    'acme: valid',
    'bare: not verified: the certificate is unsigned: anybody can have made it',
    'forged: not valid: badge.svg was changed: it has another digest',
    'keyless: not verified: the signature was not checked: no key given; add keyless.pem',
  ])
  expect(code).toBe(1)
  const page = readFileSync(join(dir, 'index.html'), 'utf8')
  expect(page).toContain('the reference implementation (<a href="acme/run-1/report.html">acme</a>)')
  expect(page).toContain('not valid: badge.svg was changed')
  expect(page).toContain('4 certificates of the Compute Platform API, 1 of them valid')
  expect(page.match(/<td>(claims )?conformant<\/td>/g)).toEqual([
    '<td>conformant</td>',
    '<td>claims conformant</td>',
    '<td>claims conformant</td>',
  ])
  expect(page).not.toContain('href="forged')
  expect(page).not.toMatch(/href="(bare|keyless)/)
  for (const [name, key] of [
    ['empty', 'none'],
    ['folder', null],
  ] as const) {
    mkdirSync(join(dir, name))
    if (key === null) mkdirSync(join(dir, `${name}.pem`))
    else writeFileSync(join(dir, `${name}.pem`), key)
  }
  expect(await made.commands.run(['registry', 'registry'])).toMatchObject({
    code: 1,
    said: expect.stringMatching(
      /\nempty: not valid: empty\.pem is not a public key in PEM .*\nfolder: not valid: folder\.pem is not a file\n.*page: /s,
    ),
  })
  for (const name of ['bare', 'forged', 'keyless', 'empty', 'folder', 'folder.pem'])
    rmSync(join(dir, name), { recursive: true })
  mkdirSync(join(dir, '.git'))
  expect(await made.commands.run(['registry', 'registry', '--out', 'page.html'])).toMatchObject({ code: 0 })
  expect(readFileSync(join(made.cwd, 'page.html'), 'utf8')).toContain('href="registry/acme/run-1/report.html"')
  expect(await made.commands.run(['registry', 'registry/acme'])).toMatchObject({ code: 2 })
  expect(await made.commands.run(['registry', 'none'])).toMatchObject({ code: 2 })
})
