/** Returns the conntrack entries that a patch of one family removes. */
export function conntrackOf({ conntrack }, { families }) {
  return families.flatMap(({ family, staleConnections }) =>
    staleConnections.map((stale) => conntrack.filterText(conntrack.conntrackFilter(stale, family))),
  )
}
