// The mutations of each node of the syntax tree: `{ start, end, by }`, a source range and its replacement. Trees are
// ESTree's.

const OTHER_BOUND = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }
const NEGATED = { '===': '!==', '!==': '===' }
const ORDERED = new Set(['<', '<=', '>', '>=', '-', '/', '%', '**', '<<', '>>'])
const OTHER_METHOD = { some: 'every', every: 'some', min: 'max', max: 'min' }
const DISPENSABLE_METHODS = new Set(['filter', 'sort', 'toSorted', 'reverse', 'toReversed', 'trim', 'slice'])
const LOOPS = new Set(['ForOfStatement', 'ForInStatement', 'ForStatement', 'WhileStatement'])
const LEAVING = new Set(['ReturnStatement', 'ContinueStatement', 'ThrowStatement', 'BreakStatement'])
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

const replace = ({ start, end }, by) => ({ start, end, by })
const textOf = ({ start, end }, source) => source.slice(start, end)

/** The mutations by kind. */
export const MUTANTS_OF_NODE = { condition, bound, operand, element, string, statement, return: earlyReturn }

/** Negates conditions. */
function condition(node, _ancestors, source) {
  if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') {
    return [replace(node.test, `!(${textOf(node.test, source)})`)]
  }
  if (node.type === 'UnaryExpression' && node.operator === '!') {
    return [replace(node, textOf(node.argument, source))]
  }
  if (node.type === 'BinaryExpression' && node.operator in NEGATED) {
    return [otherOperator(node, NEGATED[node.operator], source)]
  }
  if (node.type === 'Literal' && typeof node.value === 'boolean') return [replace(node, String(!node.value))]
  return []
}

/** Changes bounds: `<` to `<=` and the like, increments numbers, removes the anchors of patterns. */
function bound(node, ancestors, source) {
  if (node.type === 'BinaryExpression' && node.operator in OTHER_BOUND) {
    return [otherOperator(node, OTHER_BOUND[node.operator], source)]
  }
  if (node.type !== 'Literal' || isKey(node, ancestors)) return []
  if (typeof node.value === 'number') return [replace(node, String(node.value + 1))]
  if (node.regex === undefined) return []
  const { pattern, flags } = node.regex
  return [pattern.replace(/^\^/, ''), pattern.replace(/\$$/, '')]
    .filter((other) => other !== pattern)
    .map((other) => replace(node, `/${other}/${flags}`))
}

/** Swaps or removes operands, exchanges `&&` and `||`, swaps arguments, removes or replaces a step of a call chain. */
function operand(node, _ancestors, source) {
  if (node.type === 'BinaryExpression' && ORDERED.has(node.operator)) return [swapped(node.left, node.right, source)]
  if (node.type === 'LogicalExpression') {
    const alone = [node.left, node.right].map((side) => replace(node, textOf(side, source)))
    if (node.operator === '??') return alone
    const [left, right] = [node.left, node.right].map((side) => `(${textOf(side, source)})`)
    return [...alone, replace(node, `(${left} ${node.operator === '&&' ? '||' : '&&'} ${right})`)]
  }
  if (node.type === 'ObjectExpression') {
    return neighbours(node.properties)
      .filter((pair) => pair.some(({ type }) => type === 'SpreadElement'))
      .map(([first, second]) => swapped(first, second, source))
  }
  return node.type === 'CallExpression' ? mutantsOfCall(node, source) : []
}

function mutantsOfCall({ callee, arguments: given, start, end }, source) {
  const mutants = given.length > 1 ? [swapped(given[0], given[1], source)] : []
  if (callee.type !== 'MemberExpression' || callee.computed) return mutants
  const { object, property } = callee
  if (property.name in OTHER_METHOD) mutants.push(replace(property, OTHER_METHOD[property.name]))
  if (DISPENSABLE_METHODS.has(property.name)) mutants.push({ start, end, by: textOf(object, source) })
  return mutants
}

/** Removes elements of lists and objects. */
function element(node) {
  const elements = node.type === 'ArrayExpression' ? node.elements : (node.properties ?? [])
  if (node.type !== 'ArrayExpression' && node.type !== 'ObjectExpression') return []
  return elements.map((item, index) => {
    const next = elements[index + 1]
    const previous = elements[index - 1]
    if (next !== undefined) return { start: item.start, end: next.start, by: '' }
    return { start: previous?.end ?? item.start, end: item.end, by: '' }
  })
}

/** Appends a character to strings, except for the strings of thrown errors, which a correct program never shows. */
function string(node, ancestors, source) {
  if (isKey(node, ancestors) || ancestors.some(isThrown)) return []
  if (node.type === 'Literal' && typeof node.value === 'string') {
    return [replace(node, `${textOf(node, source).slice(0, -1)}~'`)]
  }
  if (node.type !== 'TemplateElement' || node.value.raw === '') return []
  const at = source.indexOf(node.value.raw, node.start) + node.value.raw.length
  return [{ start: at, end: at, by: '~' }]
}

/** Removes statements. */
function statement(node) {
  const isCall = node.type === 'ExpressionStatement' && node.directive == null
  const isStep = node.type === 'ContinueStatement' || node.type === 'BreakStatement'
  const isPlainIf = node.type === 'IfStatement' && node.alternate === null && !leaves(node.consequent)
  return isCall || isStep || isPlainIf || LOOPS.has(node.type) ? [replace(node, '{}')] : []
}

/** Removes early returns, and adds one at the start of functions without a result. */
function earlyReturn(node, [parent]) {
  if (node.type === 'IfStatement' && node.alternate === null && leaves(node.consequent)) return [replace(node, '{}')]
  if (node.type !== 'BlockStatement' || !FUNCTIONS.has(parent?.type)) return []
  const [first] = node.body
  if (first === undefined || node.body.at(-1).type === 'ReturnStatement') return []
  return [{ start: first.start, end: first.start, by: 'if (true) return; ' }]
}

function leaves(consequent) {
  const last = consequent.type === 'BlockStatement' ? consequent.body.at(-1) : consequent
  return LEAVING.has(last?.type)
}

const isThrown = ({ type, callee }) => type === 'ThrowStatement' || callee?.name === 'invariant'

const isKey = (node, [parent]) => parent?.type === 'Property' && parent.key === node && !parent.computed

const neighbours = (list) => list.slice(1).map((item, index) => [list[index], item])

function otherOperator({ left, right }, operator, source) {
  return { start: left.start, end: right.end, by: `${textOf(left, source)} ${operator} ${textOf(right, source)}` }
}

function swapped(first, second, source) {
  const between = source.slice(first.end, second.start)
  return { start: first.start, end: second.end, by: textOf(second, source) + between + textOf(first, source) }
}
