import { html } from 'hono/html'
import { pluralize } from '../harness/common/pluralize.ts'
import { grid, renderPage } from './html-page.ts'
import { pageStyle } from './html-style.ts'
import { visible } from './sort.ts'

/** A certificate of a registry: what it claims, and how its verification ended. */
export interface RegisteredCertificate {
  /** The folder of the certificate in the registry. */
  readonly name: string
  /** Null if nothing can be read. */
  readonly claims: {
    readonly target: string
    readonly plumbline: string
    readonly clock: string
    readonly verdict: string
    readonly profiles: readonly string[]
    readonly notJudged: readonly { readonly profile: string }[]
    readonly finished: string
  } | null
  readonly faults: readonly string[]
  readonly unchecked: readonly string[]
}

const heads = ['target', 'certificate', 'verdict', 'profiles', 'not judged', 'clock', 'finished', 'plumbline']

/**
 * One page of certificates, whose folders are in `base` as seen from the page. The claims of one that is not valid are left out:
 * nobody stands behind them.
 */
export function renderRegistry(certificates: readonly RegisteredCertificate[], base: string): string {
  const parts = base.split(/[\\/]/).filter((part) => part !== '')
  const addressOf = (name: string) => [...parts, name, 'run-1', 'report.html'].map(encodeURIComponent).join('/')
  const valid = certificates.filter((one) => stateOf(one) === 'valid').length
  const body = html`<header>
<h1>Certificates of implementations</h1>
<p>${pluralize(certificates.length, 'certificate')} of the Compute Platform API, ${valid} of them valid when this page was written.</p>
</header>
<main>
${grid(
  'Certificates',
  heads,
  certificates.map((one) => row(one, addressOf(one.name))),
)}
</main>`
  return renderPage({ title: 'Certificates of implementations', style: pageStyle, body })
}

/** How the verification of a certificate ended: `valid` only if all of it was checked, its signature by a key included. */
export function stateOf({ faults: [fault], unchecked }: Pick<RegisteredCertificate, 'faults' | 'unchecked'>): string {
  if (fault !== undefined) return `not valid: ${fault}`
  return unchecked.length > 0 ? `not verified: ${unchecked.join('; ')}` : 'valid'
}

function row(certificate: RegisteredCertificate, address: string) {
  const { name, claims, faults, unchecked } = certificate
  const state = stateOf(certificate)
  const tone = faults.length > 0 ? 'bad' : unchecked.length > 0 ? 'part' : 'good'
  const outcome = html`<span class="verdict ${tone}">${visible(state)}</span>`
  // A report that was not derived again may hold any script.
  const link = state === 'valid' ? html`<a href="${address}">${name}</a>` : visible(name)
  if (claims === null || faults.length > 0) return [link, outcome, ...heads.slice(2).map(() => '')]
  const { verdict, profiles, notJudged: unjudgedProfiles, clock, finished, plumbline, target } = claims
  return [
    html`${visible(target)} (${link})`,
    outcome,
    visible(state === 'valid' ? verdict : `claims ${verdict}`),
    visible(profiles.join(', ')),
    visible(unjudgedProfiles.map(({ profile }) => profile).join(', ')),
    clock,
    visible(finished),
    visible(plumbline),
  ]
}
