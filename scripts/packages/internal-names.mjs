import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'rolldown/experimental'
import { root } from './root.mjs'

/** The published packages that import internal modules of each other. */
const IMPORTERS = ['compiler', 'analyzer', 'testing', 'proxy-kit']

const SPECIFIER = /^@kube-rules\/([a-z-]+)\/internal\/(.+)$/

/** Splits the specifier of an internal module, such as `@kube-rules/compiler/internal/plan/plan`. */
export function parseInternal(specifier) {
  const [, folder, path] = specifier.match(SPECIFIER) ?? []
  return folder === undefined ? undefined : { folder, path }
}

/**
 * Returns the name of an export of an internal module in the entry point `./internal` of its package: its own, unless
 * another of these modules has an export with this name.
 */
export function aliasOf({ folder, path }, name) {
  const isUnique = [...internalNamesOf(folder)].every(([other, names]) => other === path || !names.has(name))
  return isUnique ? name : `${path.replace(/[^A-Za-z0-9]/g, '_')}$${name}`
}

/**
 * Returns what other packages import from the internal modules of a package: by path, each name, and whether it is
 * imported as a value.
 */
export function internalNamesOf(folder) {
  const names = INTERNAL_NAMES.get(folder) ?? findInternalNames(folder)
  INTERNAL_NAMES.set(folder, names)
  return names
}

const INTERNAL_NAMES = new Map()

function findInternalNames(folder) {
  const modules = new Map()
  for (const importer of IMPORTERS) {
    const source = join(root, 'packages', importer, 'src')
    const files = readdirSync(source, { recursive: true }).filter((file) => file.endsWith('.ts'))
    for (const { specifier, name, isType } of files.flatMap((file) => importsOf(join(source, file)))) {
      const internal = parseInternal(specifier)
      if (internal?.folder !== folder) continue
      const names = modules.get(internal.path) ?? new Map()
      modules.set(internal.path, names)
      for (const each of name === '*' ? valuesOf(join(root, 'packages', folder, 'src', `${internal.path}.ts`)) : [name])
        names.set(each, !isType || names.get(each) === true)
    }
  }
  return new Map([...modules].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function importsOf(file) {
  return parse(file).body.flatMap((node) => {
    if (node.source == null) return []
    const isTypeOnly = node.importKind === 'type' || node.exportKind === 'type'
    return (node.specifiers ?? []).map((each) => ({
      specifier: node.source.value,
      name: (each.imported ?? each.local ?? { name: '*' }).name,
      isType: isTypeOnly || each.importKind === 'type' || each.exportKind === 'type',
      ...(each.type === 'ImportNamespaceSpecifier' && { name: '*' }),
    }))
  })
}

/** Returns the values that a module declares and exports. */
function valuesOf(file) {
  return parse(file).body.flatMap(({ type, declaration }) => {
    if (type !== 'ExportNamedDeclaration' || declaration == null) return []
    if (declaration.type === 'VariableDeclaration') return declaration.declarations.map(({ id }) => id.name)
    return /^(Function|Class)Declaration$/.test(declaration.type) ? [declaration.id.name] : []
  })
}

function parse(file) {
  return parseSync(file, readFileSync(file, 'utf8')).program
}
