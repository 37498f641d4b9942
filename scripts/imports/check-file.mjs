import { posix } from 'node:path'
import { layerOf, mayImport } from './layers.mjs'
import { blankComments, findSpecifiers, lineAt } from './specifiers.mjs'

const FORBIDDEN_WORDS = [
  { pattern: /\blocaleCompare\b/g, message: 'localeCompare depends on the locale; compare with `<`' },
  { pattern: /\bMath\s*\.\s*random\b/g, message: 'Math.random makes results differ from run to run' },
  // The characters of a text are the same in every locale.
  { pattern: /\bIntl\b(?!\.Segmenter\('en'\))/g, message: 'Intl depends on the locale' },
  { pattern: /^export\s+default\b/gm, message: 'no default exports' },
  { pattern: /^export\s*\{[^}]*\bas\s+default\b/gm, message: 'no default exports' },
]

/**
 * Checks one source file. `path` is `<package>/<path below src>`, for example `compiler/plan/decide.ts`. Returns
 * violations as `{ line, message }` in order of lines.
 */
export function checkFile(path, text) {
  const layer = layerOf(path)
  if (layer === undefined) return [{ line: 1, message: 'no layer holds this file; see scripts/imports/layers.mjs' }]
  const source = blankComments(text)
  const imports = findSpecifiers(source).flatMap((found) => checkImport(path, layer, found))
  const found = [...imports, ...findWords(source), ...findNames(source, layer), ...findHiddenImports(source)]
  return found.sort((a, b) => a.line - b.line)
}

/** The files of our packages that a source imports, whether values or types. */
export function filesImportedBy(path, text) {
  const specifiers = findSpecifiers(blankComments(text)).map(({ specifier }) => specifier)
  return specifiers.filter(isFile).map((each) => resolveFile(path, each))
}

/** A file of another package of ours, in an import: `@kube-rules/compiler/internal/plan/plan`. */
const INTERNAL_FILE = /^@kube-rules\/(compiler|types)\/internal\/(.+)$/

function isFile(specifier) {
  return specifier.startsWith('.') || INTERNAL_FILE.test(specifier)
}

function resolveFile(path, specifier) {
  const [, folder, file] = INTERNAL_FILE.exec(specifier) ?? []
  return folder === undefined ? resolveRelative(path, specifier) : `${folder}/${file}.ts`
}

function checkImport(path, layer, { specifier, typeOnly, line }) {
  const relative = specifier.startsWith('.')
  if (relative && !specifier.endsWith('.js')) return [{ line, message: `'${specifier}' must end in .js` }]
  const target = isFile(specifier) ? resolveFile(path, specifier) : specifier
  if (mayImport(layer, target, typeOnly)) return []
  const place = target === specifier ? '' : ` (${target})`
  return [{ line, message: `${layer.name} may not import${typeOnly ? ' type from' : ''} '${specifier}'${place}` }]
}

function resolveRelative(path, specifier) {
  return posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts')
}

function findNames(source, { name, mayNotName }) {
  return mayNotName.flatMap((word) =>
    [...source.matchAll(new RegExp(`\\b${word}\\b`, 'g'))].map((match) => ({
      line: lineAt(source, match.index),
      message: `${name} may not name '${word}'`,
    })),
  )
}

const NAMED_IMPORTS = /^import\s+(?:type\s+)?\{([^}]*)\}/gm
const DECLARATION = /\b(?:const|let|function) (\w+)/g

/** Finds variables and functions that have the name of an import of their file. Does not find parameters. */
function findHiddenImports(source) {
  const items = [...source.matchAll(NAMED_IMPORTS)].flatMap(([, list]) => list.split(','))
  const imported = new Set(items.map((item) => item.trim().split(/\s+/).at(-1)))
  return [...source.matchAll(DECLARATION)]
    .filter(([, name]) => imported.has(name))
    .map(({ 1: name, index }) => ({ line: lineAt(source, index), message: `'${name}' hides the import of this name` }))
}

function findWords(source) {
  return FORBIDDEN_WORDS.flatMap(({ pattern, message }) =>
    [...source.matchAll(pattern)].map((match) => ({ line: lineAt(source, match.index), message })),
  )
}
