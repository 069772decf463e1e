import type { Defect } from '../types.ts'
import { type Change, defect, making } from './tools.ts'

/** Creations that change or drop values that they were given. */
export const createdValues: readonly Defect[] = [
  defect('long-variables-cut', 'pods.create.env-kept', 'kept', {
    says: 'Values of variables are cut after 1024 characters.',
    observed: '" long long long long" from character 1004 of 1024 at $.env.PLUMBLINE_LONG',
    change: variables((value) => value.slice(0, 1024)),
  }),
  defect('variables-composed', 'pods.create.env-kept', 'kept', {
    says: 'Letters in two parts are composed in the values of variables.',
    observed: '"\\u00e9 \\u6f22\\u5b57 \\ud83d\\ude80" at $.env.PLUMBLINE_LETTERS',
    change: variables((value) => value.normalize('NFC')),
  }),
  defect('variables-expanded', 'pods.create.env-kept', 'kept', {
    says: 'Names after a dollar sign in the values of variables are replaced by nothing.',
    observed: '"a\\\\b  %A% #c\\t;" at $.env.PLUMBLINE_SIGNS',
    change: variables((value) => value.replaceAll(/\$\w+/g, '')),
  }),
  defect('variable-comments-cut', 'pods.create.env-kept', 'kept', {
    says: 'Values of variables end before a number sign.',
    observed: '"a\\\\b $HOME %A%" at $.env.PLUMBLINE_SIGNS',
    change: variables((value) => value.replace(/ #.*/, '')),
  }),
  defect('variables-named-as-methods-lost', 'pods.create.env-kept', 'kept', {
    says: 'Variables whose names every object has are dropped.',
    observed: 'nothing at $.env.constructor',
    change: making((pod) => ({
      env: Object.fromEntries(Object.entries(pod.env).filter(([name]) => name === '__proto__' || !(name in {}))),
    })),
  }),
  defect('variable-of-the-prototype-lost', 'pods.create.env-kept', 'kept', {
    says: 'A variable with the name __proto__ is dropped.',
    observed: 'nothing at $.env.__proto__',
    change: making((pod) => ({
      env: Object.fromEntries(Object.entries(pod.env).filter(([name]) => name !== '__proto__')),
    })),
  }),
  defect('args-beyond-ascii-lost', 'pods.create.env-kept', 'kept', {
    says: 'Letters beyond ASCII become question marks in arguments.',
    observed: `"sh -c \\"echo 'a  b ???'\\" ${'long '.repeat(14)}long" from character 0 of 5027 at $.args`,
    change: making(({ args }) => ({ args: args.replaceAll(/[^ -~]/g, '?') })),
  }),
  defect('long-args-cut', 'pods.create.env-kept', 'kept', {
    says: 'Arguments are cut after 1024 characters.',
    observed: '"long long long long " from character 1004 of 1024 at $.args',
    change: making(({ args }) => ({ args: args.slice(0, 1024) })),
  }),
  defect('args-with-single-spaces', 'pods.create.env-kept', 'kept', {
    says: 'Arguments are written with single spaces, in quotes too.',
    observed: `"sh -c \\"echo 'a b \\u00e9\\ud83d\\ude80'\\" ${'long '.repeat(14)}lo" from character 0 of 5026 at $.args`,
    change: making(({ args }) => ({ args: args.replaceAll(/ +/g, ' ') })),
  }),
  defect('args-with-single-quotes', 'pods.create.env-kept', 'kept', {
    says: 'Double quotes in arguments become single ones.',
    observed: `"sh -c 'echo 'a  b \\u00e9\\ud83d\\ude80'' ${'long '.repeat(12)}lo" from character 0 of 5027 at $.args`,
    change: making(({ args }) => ({ args: args.replaceAll('"', "'") })),
  }),
  defect('udp-ports-opened-for-tcp', 'pods.create.env-kept', 'kept', {
    says: 'Every port that is not http is opened for tcp.',
    observed: '"5353/tcp" at $.ports[0]',
    change: making(({ ports }) => ({ ports: ports.map((port) => port.replace('udp', 'tcp')) })),
  }),
  defect('third-port-lost', 'pods.create.gpu', 'ports', {
    says: 'A pod gets no more than two ports.',
    observed: 'ports ["8022/tcp","80/http"]',
    change: making(({ ports }) => ({ ports: ports.slice(0, 2) })),
  }),
]

/** A creation changes the values of variables. */
function variables(change: (value: string) => string): Change {
  return making(({ env }) => ({
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, change(value)])),
  }))
}
