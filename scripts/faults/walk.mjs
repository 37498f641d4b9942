/** Wrappers of TypeScript around an expression; every other node of TypeScript is gone when the code runs. */
const TYPED_EXPRESSIONS = new Set([
  'TSAsExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
])

const WITHOUT_CODE = new Set(['ImportDeclaration', 'ExportAllDeclaration', 'ExportSpecifier'])

const isNode = (value) => typeof value?.type === 'string'

/** Calls `visit(node, ancestors)` for each node that runs, outermost first; `ancestors` begin with the nearest. */
export function walk(node, visit, ancestors = []) {
  if (WITHOUT_CODE.has(node.type) || (node.type.startsWith('TS') && !TYPED_EXPRESSIONS.has(node.type))) return
  visit(node, ancestors)
  for (const child of Object.values(node).flat().filter(isNode)) walk(child, visit, [node, ...ancestors])
}
