import { RolldownMagicString } from 'rolldown'
import { parseSync } from 'rolldown/experimental'

/**
 * Marks the initializers of the constants of a module as free of side effects, which they are (`sideEffects: false`).
 * A bundler drops a module that nobody imports, but of a module that contains many it drops only what it knows to be
 * without effect: not calls, and not reads of fields.
 */
export function pureConstants() {
  return {
    name: 'pure-constants',
    transform: {
      filter: { id: /\/src\/.*\.ts$/ },
      handler(code, id) {
        const text = new RolldownMagicString(code)
        for (const { start, end } of parseSync(id, code).program.body.flatMap(impureInitializersOf)) {
          text.appendLeft(start, '/* @__PURE__ */ (() => (')
          text.appendRight(end, '))()')
        }
        return text.hasChanged() ? { code: text } : undefined
      },
    },
  }
}

function impureInitializersOf(statement) {
  const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
  if (declaration?.type !== 'VariableDeclaration' || declaration.kind !== 'const') return []
  return declaration.declarations.flatMap(({ init }) => (init == null || PURE.test(init.type) ? [] : [init]))
}

/** The kinds of expressions that every bundler knows to be without effect. */
const PURE = /^(Literal|Identifier|ArrowFunctionExpression|FunctionExpression)$/
