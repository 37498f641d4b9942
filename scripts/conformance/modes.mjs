/**
 * By mode: what the library computed for one family, in the shape of a case's `expected`. A mode that is missing here
 * is not implemented; the conformance run says so.
 */
export const ACTUAL_BY_MODE = new Map([['iptables', actualOfIptables]])

function actualOfIptables(library, { state, healthCheckNodePorts }) {
  const tables = state.tables.map((table) => [table.name, rulesByChain(library, table, state.family)])
  return { tables: Object.fromEntries(tables), healthCheckNodePorts: portsByService(healthCheckNodePorts) }
}

/** Chain → rules as text without `-A CHAIN `, in the spelling of `iptables-restore` input. */
function rulesByChain(library, table, family) {
  const chains = [...library.chainsOf(table)]
  return Object.fromEntries(chains.map(([chain, rules]) => [chain, rules.map((rule) => textOf(library, rule, family))]))
}

function textOf(library, rule, family) {
  return library.printRule(rule, 'restore', family).slice(`-A ${rule.chain} `.length)
}

/** `namespace/name` → port and number of local endpoints. */
function portsByService(healthCheckNodePorts) {
  return Object.fromEntries(
    healthCheckNodePorts.map(({ namespace, name, port, localEndpoints }) => [
      `${namespace}/${name}`,
      { port, localEndpoints },
    ]),
  )
}
