import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Where a build of the library is, from the folder of all packages. */
export function rootOf(packages) {
  return join(packages, 'analyzer/dist/index.js')
}

/**
 * Loads the verbs of the built library, and the additional exports of its subpaths by name. `hosts` is the subpath
 * `verify`; `conntrack` is internal, `findStaleConnections` is of `plan`.
 */
export async function loadLibrary(packages) {
  const loadFrom = (name) => (path) => import(pathToFileURL(join(packages, name, 'dist', path)).href)
  const [compiler, analyzer] = [loadFrom('compiler'), loadFrom('analyzer')]
  const both = async (name) => ({ ...(await compiler(name)), ...(await analyzer(name)) })
  const [verbs, iptables, ipset, ipvs, conntrack, { findStaleConnections }, hosts] = await Promise.all([
    both('index.js'),
    ...['iptables', 'ipset', 'ipvs'].map((name) => both(`entries/${name}.js`)),
    Promise.all(['dataplane/conntrack/print.js', 'targets/shared/conntrack-filter.js'].map(compiler)).then((parts) =>
      Object.assign({}, ...parts),
    ),
    compiler('entries/plan.js'),
    analyzer('entries/verify.js'),
  ])
  return { ...verbs, iptables, ipset, ipvs, conntrack, findStaleConnections, hosts }
}
