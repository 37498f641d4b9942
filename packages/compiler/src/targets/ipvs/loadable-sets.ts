import type { Entry, IpsetState } from '../../dataplane/ipset/ast.js'

/**
 * The sets without the entries that kube-proxy tries to add and the kernel refuses: networks of prefix length 0. One of
 * them in its input would stop `ipset restore`.
 */
export function loadableSets({ sets }: IpsetState): IpsetState {
  return { sets: sets.map((set) => (set.entries.every(isLoadable) ? set : { ...set, entries: loadable(set.entries) })) }
}

function loadable(entries: readonly Entry[]): readonly Entry[] {
  return entries.filter(isLoadable)
}

/** Whether the kernel takes the entry. */
export function isLoadable(entry: Entry): boolean {
  return entry.kind !== 'ip,port,net' || !entry.network.endsWith('/0')
}
