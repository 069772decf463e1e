// biome-ignore-all lint/suspicious/noTemplateCurlyInString: target files name their variables so.
import type { Target } from '../../target/types.ts'
import { TargetFileError } from '../error.ts'
import { parseTarget, type Reading } from '../load.ts'

/** The environment of the target files in tests. */
export const environment = {
  API_KEY: 'secret-full',
  SECOND_API_KEY: 'secret-second',
  RESTRICTED_API_KEY: 'secret-restricted',
  EXPIRED_API_KEY: 'secret-expired',
  STRANGER_API_KEY: 'secret-stranger',
  PODS_URL: 'https://api.example.com/',
  EMPTY: '',
  SPACED: 'a b',
  GATEWAY_KEY: 'gateway-key-5071',
  HOOK_URL: 'https://hooks.test/break/s3cr3t-path/',
  HOOK_LINE: './break.sh --token s3cr3t-line',
  HOOK_OPTION: '/opt/break --token=s3cretValue-0815',
  HOOK_HEADER: "curl -H 'Authorization: Bearer s3cretValue-0815'",
  HOOK_LOGIN: 'https://user:s3cretValue-0815@hooks.test',
  HOOK_WORDS: './break-it.sh dataCenterId createdAt PROVISIONING plumbline auth.pods.missing',
  HOOK_TOKEN: 's3cr3t-word',
  HOOK_SHORT: 's3cr3t',
}

/** Reads a target file. */
export function parse(text: string, clausesOf: Reading['clausesOf'] = () => []): Target {
  return parseTarget(text, { file: 'target.yaml', environment, clausesOf })
}

/** A whole file from the lines of its sections; what is not given is as in the smallest file. */
export function file({ pods = 'https://api.example.com', keys = '{full: "${API_KEY}"}', more = '' } = {}): string {
  return `plumbline: 1\npods: ${pods}\nkeys: ${keys}\n${more}`
}

/** The sentences with which a target file is refused. */
export function refusal(text: string, clausesOf?: Reading['clausesOf']): string {
  try {
    parse(text, clausesOf)
  } catch (error) {
    if (error instanceof TargetFileError) return error.message
    throw error
  }
  return 'no refusal'
}
