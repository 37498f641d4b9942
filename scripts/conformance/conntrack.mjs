/** The entries of connection tracking that a patch of one family says to remove. */
export function conntrackOf({ conntrack }, { families }) {
  return families.flatMap(({ family, staleConnections }) =>
    staleConnections.map((stale) => conntrack.filterText(conntrack.conntrackFilter(stale, family))),
  )
}
