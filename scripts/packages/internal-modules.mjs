import { aliasOf, internalNamesOf, parseInternal } from './internal-names.mjs'

/** The entry point with the internal modules that other packages import. */
export const INTERNAL = '\0internal'

/** Reports whether a bundle imports a module from another package, or from the runtime, instead of containing it. */
export function isExternal(specifier) {
  return /^[a-z@#]/.test(specifier) && parseInternal(specifier) === undefined
}

/**
 * Replaces the imports of internal modules of other packages by imports of their entry point `./internal`, and provides
 * this entry point. `folder` is the package, and `locate` finds the file of a module.
 */
export function internalModules({ folder, valuesOnly, locate }) {
  const wanted = (exported) => [...exported].flatMap(([name, isValue]) => (isValue || !valuesOnly ? [name] : []))
  return {
    name: 'internal-modules',
    resolveId(specifier) {
      if (specifier === INTERNAL) return INTERNAL
      return parseInternal(specifier) === undefined ? undefined : `\0${specifier}`
    },
    load(id) {
      if (id === INTERNAL) {
        const lines = Array.from(internalNamesOf(folder), ([path, exported]) => {
          const list = wanted(exported).map((name) => `${name} as ${aliasOf({ folder, path }, name)}`)
          return `export { ${list.join(', ')} } from ${JSON.stringify(locate(path))}`
        })
        return lines.join('\n')
      }
      const internal = id.startsWith('\0') ? parseInternal(id.slice(1)) : undefined
      if (internal === undefined) return undefined
      const list = wanted(internalNamesOf(internal.folder).get(internal.path)).map(
        (name) => `${aliasOf(internal, name)} as ${name}`,
      )
      return `export { ${list.join(', ')} } from '@kube-rules/${internal.folder}/internal'`
    },
  }
}
