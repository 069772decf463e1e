import type { Resolved } from './secrets.ts'

/** A base address without its trailing slash, or why it is invalid. Plain http is for this machine, unless allowed. */
export function readAddress(text: string, { plainHttp }: { readonly plainHttp: boolean }): Resolved {
  if (!URL.canParse(text)) return { fault: 'expected an http or https address, such as https://api.example.com' }
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { fault: `expected an http or https address, not ${url.protocol}` }
  }
  if (url.username !== '' || url.password !== '')
    return { fault: 'expected an address without a user name or password' }
  if (/[?#]/.test(text)) return { fault: 'expected an address without a query or fragment' }
  if (url.protocol === 'http:' && !plainHttp && !isLoopback(url.hostname)) {
    return {
      fault: `http to ${url.hostname} would show the keys to the network: use https, or set pods.allowPlainHttp: true`,
    }
  }
  return { value: url.href.replace(/\/+$/, '') }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host)
}
