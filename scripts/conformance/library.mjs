import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Returns the URL of a built package, relative to the folder of all packages. */
export function rootOf(packages) {
  return join(packages, 'analyzer/dist/index.js')
}

/**
 * Loads the functions of the built library: those of both roots, and by name those of the subpaths `ipvs` and `verify`
 * (`hosts`), `findStaleConnections` of `plan`, and internal ones of subsystems.
 */
export async function loadLibrary(packages) {
  const loadFrom = (name) => (path) => import(pathToFileURL(join(packages, name, 'dist', path)).href)
  const [compiler, analyzer] = [loadFrom('compiler'), loadFrom('analyzer')]
  const all = async (load, paths) => Object.assign({}, ...(await Promise.all(paths.map(load))))
  const [fromCompiler, fromAnalyzer, ipvs, iptables, ipset, conntrack, { findStaleConnections }, hosts] =
    await Promise.all([
      compiler('index.js'),
      analyzer('index.js'),
      compiler('entries/ipvs.js'),
      all(compiler, ['dataplane/iptables/chains.js', 'dataplane/iptables/print/print.js']),
      all(compiler, ['commands/ipvs-versions.js', 'dataplane/ipset/entries.js']),
      all(compiler, ['dataplane/conntrack/print.js', 'commands/to-commands.js']),
      compiler('entries/plan.js'),
      analyzer('entries/verify.js'),
    ])
  return { ...fromCompiler, ...fromAnalyzer, iptables, ipset, ipvs, conntrack, findStaleConnections, hosts }
}
