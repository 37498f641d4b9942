import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Where a build of the library is, from the folder of all packages. */
export function rootOf(packages) {
  return join(packages, 'analyzer/dist/index.js')
}

/**
 * Loads the verbs of the built library, and the additional exports of its subpaths by name. `patches` is the subpath
 * `diff`, `hosts` is `verify`; `staleConnections` is of `plan`.
 */
export async function loadLibrary(packages) {
  const loadFrom = (name) => (path) => import(pathToFileURL(join(packages, name, 'dist', path)).href)
  const [compiler, analyzer] = [loadFrom('compiler'), loadFrom('analyzer')]
  const both = async (name) => ({ ...(await compiler(name)), ...(await analyzer(name)) })
  const [verbs, iptables, ipset, ipvs, conntrack, patches, { staleConnections }, hosts] = await Promise.all([
    both('index.js'),
    ...['iptables', 'ipset', 'ipvs'].map((name) => both(`entries/${name}.js`)),
    ...['conntrack', 'diff', 'plan'].map((name) => compiler(`entries/${name}.js`)),
    analyzer('entries/verify.js'),
  ])
  return { ...verbs, iptables, ipset, ipvs, conntrack, patches, staleConnections, hosts }
}
