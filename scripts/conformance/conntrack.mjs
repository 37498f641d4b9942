/**
 * Returns the conntrack entries that a patch of one family removes. A patch removes none if the family has no changes,
 * whereas the recorded kube-proxy still runs a sync.
 */
export function conntrackOf({ conntrack, findStaleConnections }, patch, families) {
  const isInPatch = ({ family }) => patch.families.some((each) => each.family === family)
  const unchanged = families
    .filter((each) => !isInPatch(each))
    .map(({ family, plan }) => ({ family, staleConnections: findStaleConnections(plan, plan) }))
  return [...patch.families, ...unchanged].flatMap(({ family, staleConnections }) =>
    staleConnections.map((stale) => conntrack.formatConntrackFilter(conntrack.toConntrackFilter(stale, family))),
  )
}
