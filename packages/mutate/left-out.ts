import type { babel } from '@stryker-mutator/instrumenter'

type NodePath = babel.NodePath
type Node = NodePath['node']

/**
 * Why nothing in this node is mutated, or undefined:
 * - texts of several words are for people, and the description fixes none of them;
 * - a member of `style` or `life` chooses between answers, or lengths of time, that the description leaves open: the
 *   proof judges each of them as a latitude;
 * - a wrong option is refused when a reference is made, which no request can see.
 */
export function reasonToLeaveOut({ node }: NodePath): string | undefined {
  if (isProse(node)) return 'text for people'
  if (isChoice(node)) return 'choice of an option'
  if (node.type === 'IfStatement' && throwsOptionError(node.consequent)) return 'check of an option'
  return undefined
}

function isProse(node: Node): boolean {
  const text =
    node.type === 'StringLiteral'
      ? node.value
      : node.type === 'TemplateLiteral'
        ? node.quasis.map(({ value }) => value.raw).join('x')
        : ''
  return /\p{L}{2} \p{L}{2}/u.test(text)
}

/** A member of `style` or `life`, compared or not, or several of these with logical operators between them. */
function isChoice(node: Node): boolean {
  switch (node.type) {
    case 'MemberExpression':
      return isOptions(node.object)
    case 'UnaryExpression':
      return isChoice(node.argument)
    case 'BinaryExpression':
      return isChoice(node.left) || isChoice(node.right)
    case 'LogicalExpression':
      return isChoice(node.left) && isChoice(node.right)
    default:
      return false
  }
}

function isOptions(node: Node): boolean {
  if (node.type === 'MemberExpression') return isOptions(node.property)
  return node.type === 'Identifier' && (node.name === 'style' || node.name === 'life')
}

function throwsOptionError(node: Node): boolean {
  if (node.type === 'BlockStatement') return node.body.length === 1 && node.body.every(throwsOptionError)
  if (node.type !== 'ThrowStatement' || node.argument.type !== 'NewExpression') return false
  const { callee } = node.argument
  return callee.type === 'Identifier' && callee.name === 'OptionError'
}
