import { CORE_SCHEMA, loadAll, mergeTag, YAMLException } from 'js-yaml'
import { systemReason } from '../errors.js'

/** With merge keys (`<<: *defaults`), which people write, though YAML 1.2 has none. */
const SCHEMA = CORE_SCHEMA.withTags(mergeTag)

/**
 * The documents of YAML text; an empty document is null. Fails with one line that says document, line and column,
 * each counted from 1.
 */
export function parseYaml(text: string): readonly unknown[] {
  try {
    return loadAll(text, { schema: SCHEMA })
  } catch (error) {
    throw new Error(describe(error, text))
  }
}

function describe(error: unknown, text: string): string {
  if (!(error instanceof YAMLException)) return systemReason(error)
  if (!error.mark) return error.reason
  const { line, column, position } = error.mark
  return `document ${documentNumber(text, position)}, line ${line + 1}, column ${column + 1}: ${error.reason}`
}

/** A `---` at the very beginning opens the first document, every other one the next. */
function documentNumber(text: string, position: number): number {
  const [before = '', ...documents] = text.slice(0, position).split(/^---(?=\s|$)/m)
  const hasContent = before.split('\n').some((line) => !/^\s*(?:[#%]|$)/.test(line))
  return Math.max(1, documents.length + (hasContent ? 1 : 0))
}
