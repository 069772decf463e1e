import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { listening } from '../../../harness/testing/listening.ts'

/** The name of the gateway, which only the proxy knows. */
const host = 'gateway.test'

/**
 * A network as companies have it: a proxy, and behind it a TLS gateway that takes only clients with a certificate and
 * its own header, and serves `base` below a path. The PEM files are written into `folder`.
 */
export async function openPrivateNetwork(base: string, folder: string, header: readonly [name: string, value: string]) {
  const ca = await generate([{ name: 'commonName', value: 'test authority' }], {
    extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
  })
  const signed = (name: string) =>
    generate([{ name: 'commonName', value: name }], {
      ca: { key: ca.private, cert: ca.cert },
      extensions: [
        {
          name: 'subjectAltName',
          altNames: [
            { type: 2, value: host },
            { type: 7, ip: '::1' },
          ],
        },
      ],
    })
  const [server, client] = [await signed(host), await signed('client')]
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries({ ca: ca.cert, client: client.cert, key: client.private }))
    writeFileSync(join(folder, `${name}.pem`), text)

  const tls = { key: server.private, cert: server.cert, ca: ca.cert, requestCert: true, rejectUnauthorized: true }
  const gateway = createTlsServer(tls, (incoming, outgoing) => {
    const { method, url = '', headers } = incoming
    if (headers[header[0].toLowerCase()] !== header[1] || !url.startsWith('/base/')) {
      outgoing.writeHead(403).end('the gateway refuses')
      return
    }
    const passed = request(
      base + url.slice('/base'.length),
      { method, headers: { ...headers, host: '' } },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(outgoing)
      },
    )
    incoming.pipe(passed)
  })
  const direct = new URL(await listening(gateway, '::1'))

  const tunnels: string[] = []
  const proxy = createServer((_, response) => response.writeHead(400).end())
  proxy.on('connect', ({ url = '' }, socket) => {
    tunnels.push(url)
    const upstream = connect(Number(direct.port), '::1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(upstream).pipe(socket)
    })
    for (const one of [socket, upstream]) one.on('error', () => upstream.destroy())
  })
  return {
    /** The address that only the proxy reaches, and the one without it. */
    addresses: { proxied: `https://${host}/base`, direct: `https://${direct.host}/base` },
    proxy: await listening(proxy),
    /** Hosts that the proxy was asked for. */
    tunnels,
  }
}
