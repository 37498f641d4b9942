import type { Entry } from '../../dataplane/ipset/ast.js'

/** Whether the kernel takes the entry: no hash holds a network of prefix length 0. */
export function isLoadable(entry: Entry): boolean {
  return entry.kind !== 'ip,port,net' || !entry.network.endsWith('/0')
}
