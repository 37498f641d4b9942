import { inner, lineAt } from './prose.mjs'
import { tokensOf } from './tokens.mjs'
import { VERBS } from './verbs.mjs'

const EXPORTED_FUNCTION =
  /^\s*export (?:async )?(?:function\*? ?(\w+)|const (\w+)(?:: [^=\n]+)? = (?:async )?(?:<[^(\n]*>)?(?:\([^=]*\)(?:: [^=\n]+)?|\w+) =>)/

/**
 * Returns the exported functions of a source with a docstring that does not begin with a verb in the third person
 * (`Returns`). Functions without a docstring are left out.
 */
export function findDocstrings(path, source) {
  return tokensOf(source)
    .filter(({ kind, text }) => kind === 'comment' && text.startsWith('/**'))
    .flatMap(({ text, start, end }) => {
      const name = exportedAt(source.slice(end, end + 500))
      if (name === undefined || startsWithVerb(text)) return []
      return [{ path, line: lineAt(source, start), message: `${name}: ${inner(text).slice(0, 60)}` }]
    })
}

function exportedAt(code) {
  const match = EXPORTED_FUNCTION.exec(code)
  return match?.[1] ?? match?.[2]
}

function startsWithVerb(docstring) {
  const [first = ''] = inner(docstring).split(/[\s,.;:]/)
  return VERBS.has(first)
}
