import { createPrivateKey, X509Certificate } from 'node:crypto'
import { type Resolved, resolveText } from '../target/secrets.ts'
import type { FileSection } from '../target/section.ts'
import type { Network, PlaneSection } from '../target/types.ts'
import { type Path, type Surroundings, take } from '../target/values.ts'

type Given = FileSection<'network'>

/** Input of reading a section that names files. */
export interface FileSurroundings extends Surroundings {
  /** The text of a file by its path relative to the target file, or why it cannot be read. */
  readonly readFile: (path: string) => Resolved
}

/** The section `network`, with its PEM files read. */
export function networkOf({ ca, certificate, headers }: Given = {}, around: FileSurroundings): Network {
  const pem = (file: string, what: string, isValid: (text: string) => unknown, ...path: string[]): string => {
    const resolved = take(resolveText(file, around.environment), ['network', ...path], around.fault)
    const text = resolved === null ? null : take(around.readFile(resolved), ['network', ...path], around.fault)
    if (text === null) return ''
    try {
      isValid(text)
    } catch {
      around.fault(['network', ...path], `network.${path.join('.')}: expected a PEM file with ${what}`)
    }
    return text
  }
  const isCertificate = (text: string) => new X509Certificate(text)
  return {
    ca: ca === undefined ? null : pem(ca, 'certificates', isCertificate, 'ca'),
    certificate:
      certificate === undefined
        ? null
        : {
            cert: pem(certificate.cert, 'a certificate', isCertificate, 'certificate', 'cert'),
            key: pem(certificate.key, 'a private key without a passphrase', createPrivateKey, 'certificate', 'key'),
          },
    headers: headersOf(headers, around),
  }
}

/** Headers that requests of rules set, or that HTTP sets itself. */
const reserved =
  /^(accept|accept-encoding|authorization|connection|content-length|content-type|host|traceparent|transfer-encoding|user-agent)$/i

/** The headers that `network` adds to each request. */
function headersOf(given: Given['headers'] = {}, { environment, fault }: Surroundings): Record<string, string> {
  const read = Object.entries(given).flatMap(([name, text]): [string, string][] => {
    const path: Path = ['network', 'headers', name]
    if (reserved.test(name)) fault(path, `${path.join('.')}: Plumbline sets this header itself; leave it out`)
    const value = take(resolveText(text, environment), path, fault)
    if (value === null) return []
    if (/[^\t\x20-\x7e]/.test(value)) fault(path, `${path.join('.')}: contains a character that a header cannot carry`)
    return [[name, value]]
  })
  return Object.fromEntries(read)
}

/** A section whose requests carry the headers of `network`. A deployment tool and the probe of a pod have no address of the API. */
export function withHeaders(section: PlaneSection, { headers }: Network): PlaneSection {
  return section.url === null || Object.keys(headers).length === 0 ? section : { ...section, headers }
}
