/** The entries of connection tracking to remove in a step, which is the first of its case or follows the one before. */
export function conntrackOf(library, { family, plan }, memory) {
  const stale = library.staleConnections(memory.get('plan'), plan)
  memory.set('plan', plan)
  return stale.map((connection) => library.filterText(library.conntrackFilter(connection, family)))
}
