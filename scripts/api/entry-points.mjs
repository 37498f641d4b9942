import { readFileSync } from 'node:fs'

/** The packages that users import. */
const FOLDERS = ['packages/types', 'packages/compiler', 'packages/analyzer', 'packages/proxy-kit', 'packages/testing']

/**
 * Returns the entry points of a package, the root first: `{ name, report, folder, source, declarations }`. `name` is
 * what users import, `report` the name of its file in etc/. Patterns are internal, and have none.
 */
export function entryPointsOf({ name, exports }, folder) {
  return Object.entries(exports)
    .filter(([subpath, target]) => typeof target === 'object' && !subpath.includes('*'))
    .map(([subpath, target]) => ({
      name: name + subpath.slice(1),
      report: (name + subpath.slice(1)).replace(/^@[^/]*\//, '').replaceAll('/', '-'),
      folder,
      source: target['@kube-rules/source'].slice(2),
      declarations: target.types.slice(2),
    }))
}

/** The entry points of all packages. */
export const ENTRY_POINTS = FOLDERS.flatMap((folder) =>
  entryPointsOf(JSON.parse(readFileSync(new URL(`../../${folder}/package.json`, import.meta.url), 'utf8')), folder),
)
