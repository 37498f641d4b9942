import { parseAst } from 'vitest/node'

/**
 * Returns the regular expressions in a TypeScript source: literals, and arguments of `new RegExp`. In arguments, constants
 * of the file and both results of a condition are known. Any other value counts as the word `x`, because it has to be
 * escaped text.
 */
export function readPatterns(text) {
  const nodes = collectNodes(parseAst(text, { lang: 'ts' }).body)
  const constants = new Map(
    nodes.flatMap(({ type, id, init }) => (type === 'VariableDeclarator' && init ? [[id.name, init]] : [])),
  )
  const line = ({ start }) => text.slice(0, start).split('\n').length
  return nodes.flatMap((node) => {
    if (node.regex) return [{ source: node.regex.pattern, flags: node.regex.flags, line: line(node) }]
    if (node.type !== 'NewExpression' || node.callee.name !== 'RegExp') return []
    const [source, flags] = node.arguments
    return textsOf(constants, source).map((each) => ({ source: each, flags: flags?.value ?? '', line: line(node) }))
  })
}

function collectNodes(value) {
  if (typeof value !== 'object' || value === null) return []
  return [...(typeof value.type === 'string' ? [value] : []), ...Object.values(value).flatMap(collectNodes)]
}

/** Returns the texts that an expression may have. */
function textsOf(constants, node) {
  const all = (nodes) => nodes.reduce((texts, each) => combine(texts, textsOf(constants, each)), [''])
  switch (node.type) {
    case 'Literal':
      return [String(node.value)]
    case 'TemplateLiteral':
      return joinTemplate(node, 'cooked', (each) => textsOf(constants, each))
    case 'TaggedTemplateExpression':
      return joinTemplate(node.quasi, 'raw', (each) => textsOf(constants, each))
    case 'BinaryExpression':
      return all([node.left, node.right])
    case 'ConditionalExpression':
      return [...textsOf(constants, node.consequent), ...textsOf(constants, node.alternate)]
    case 'Identifier':
      return constants.has(node.name) ? textsOf(constants, constants.get(node.name)) : ['x']
    default:
      return node.callee?.property?.name === 'join' && node.callee.object.type === 'ArrayExpression'
        ? all(node.callee.object.elements)
        : ['x']
  }
}

function joinTemplate({ quasis, expressions }, form, textsOfExpression) {
  return quasis.reduce(
    (texts, { value }, index) => {
      const before = index === 0 ? texts : combine(texts, textsOfExpression(expressions[index - 1]))
      return combine(before, [value[form]])
    },
    [''],
  )
}

const combine = (before, after) => before.flatMap((first) => after.map((second) => first + second))
