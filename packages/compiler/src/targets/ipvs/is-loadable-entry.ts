import type { Entry } from '../../dataplane/ipset/ast.js'

/** Reports whether the kernel accepts the entry: no hash type supports a network of prefix length 0. */
export function isLoadableEntry(entry: Entry): boolean {
  return entry.kind !== 'ip,port,net' || !entry.network.endsWith('/0')
}
