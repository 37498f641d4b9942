import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Where a build of the library is, from the folder of its package. */
export function rootOf(folder) {
  return join(folder, 'dist/index.js')
}

/** The verbs of the built library, and by name what its subpaths export beside. `patches` is the subpath `diff`, `hosts` is `verify`. */
export async function loadLibrary(folder) {
  const load = (path) => import(pathToFileURL(join(folder, 'dist', path)).href)
  const [verbs, iptables, ipset, ipvs, conntrack, patches, hosts] = await Promise.all([
    load('index.js'),
    ...['iptables', 'ipset', 'ipvs', 'conntrack', 'diff', 'verify'].map((name) => load(`entries/${name}.js`)),
  ])
  return { ...verbs, iptables, ipset, ipvs, conntrack, patches, hosts }
}
