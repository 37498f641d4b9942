/** TypeScript wrappers around an expression; all other TypeScript nodes do not exist at run time. */
const TYPED_EXPRESSIONS = new Set([
  'TSAsExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
])

const WITHOUT_CODE = new Set(['ImportDeclaration', 'ExportAllDeclaration', 'ExportSpecifier'])

const isNode = (value) => typeof value?.type === 'string'

/**
 * Calls `visit(node, ancestors)` for each node that exists at run time, outermost first; `ancestors` start with the
 * nearest.
 */
export function walk(node, visit, ancestors = []) {
  if (WITHOUT_CODE.has(node.type) || (node.type.startsWith('TS') && !TYPED_EXPRESSIONS.has(node.type))) return
  visit(node, ancestors)
  for (const child of Object.values(node).flat().filter(isNode)) walk(child, visit, [node, ...ancestors])
}
