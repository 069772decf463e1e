import { Agent, type buildConnector, type Dispatcher, EnvHttpProxyAgent } from 'undici'

/** Hosts of this machine: a server under test is often one, and no proxy reaches it. */
const direct = 'localhost,.localhost,127.0.0.1,[::1],::1'

/**
 * Connections of a transport, over the proxies that HTTP_PROXY and HTTPS_PROXY name unless NO_PROXY or this machine has the
 * host. Lower-case names come first, as with curl.
 * @param tls of the target, for connections through a proxy
 */
export function openAgent(options: Agent.Options, tls: buildConnector.BuildOptions): Dispatcher {
  const [http, https, none = ''] = ['http_proxy', 'https_proxy', 'no_proxy'].map(variable)
  if (http === undefined && https === undefined) return new Agent(options)
  return new EnvHttpProxyAgent({
    ...options,
    requestTls: tls,
    ...(http === undefined ? {} : { httpProxy: http }),
    ...(https === undefined ? {} : { httpsProxy: https }),
    noProxy: `${none},${direct}`,
  })
}

function variable(name: string): string | undefined {
  return process.env[name] || process.env[name.toUpperCase()] || undefined
}
