/** The entries of connection tracking that a patch of one family says to remove. */
export function conntrackOf(library, { families }) {
  return families.flatMap(({ family, staleConnections }) =>
    staleConnections.map((stale) => library.filterText(library.conntrackFilter(stale, family))),
  )
}
