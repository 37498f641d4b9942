/**
 * The computed rules of one family by mode, in the structure of a case's `expected`. A missing mode is not implemented;
 * the conformance run reports it.
 */
export const ACTUAL_BY_MODE = new Map([
  ['iptables', actualOfIptables],
  ['ipvs', actualOfIpvs],
  ['nftables', actualOfNftables],
  ['userspace', actualOfUserspace],
])

function actualOfUserspace(library, { state }) {
  return { tables: tablesOf(library, state.iptables) }
}

/** The text is that of the patched state, where unchanged elements keep the comments of earlier steps. */
function actualOfNftables(library, { family, healthCheckNodePorts }, _step, memory) {
  const patched = library.assembleStates(memory.get('resources')).find((state) => state.family === family)
  return {
    nft: library.print(patched, { subsystem: 'nftables' }),
    healthCheckNodePorts: portsByService(healthCheckNodePorts),
  }
}

function actualOfIptables(library, { state, healthCheckNodePorts }) {
  return { tables: tablesOf(library, state.iptables), healthCheckNodePorts: portsByService(healthCheckNodePorts) }
}

function actualOfIpvs(library, { state, plan, healthCheckNodePorts }, step, memory, version) {
  const removal = library.ipvs.removalBehaviorOf(version)
  const before = memory.get('state')?.virtualServers ?? []
  const { virtualServers } = terminate(library, { state, plan }, step.connections ?? {}, memory, removal)
  const deleted = before.filter((server) => !virtualServers.some((each) => isSameServer(each, server)))
  return {
    virtualServers: virtualServers.map(virtualServerOf),
    ipsets: library.ipset.listIpvsModeSets(state.family, version).map((set) => ipsetOf(library, state, set)),
    boundAddresses: boundAddresses(state.addresses.addresses, deleted, memory, removal),
    tables: tablesOf(library, state.iptables),
    healthCheckNodePorts: portsByService(healthCheckNodePorts),
  }
}

/** Returns the virtual servers after a step, including real servers of earlier steps that still have connections. */
function terminate(library, { state, plan }, connections, memory, removal) {
  const termination = library.ipvs.terminateGracefully({
    family: state.family,
    previous: memory.get('state') ?? { virtualServers: [] },
    next: state.ipvs,
    terminating: memory.get('terminating') ?? [],
    connections: (virtualServer, realServer) => connections[`${virtualServer} -> ${realServer}`] ?? 0,
    firstSync: !memory.has('state'),
    excludeCidrs: plan.kernel.ipvs.excludeCidrs,
    ...removal,
  })
  memory.set('state', termination.state).set('terminating', termination.terminating)
  return termination.state
}

function isSameServer(one, other) {
  return one.protocol === other.protocol && one.address === other.address && one.port === other.port
}

/**
 * Returns the bound addresses after a step. In versions where addresses outlive Services, they include the addresses of
 * earlier steps, except for those where the step deleted a virtual server.
 */
function boundAddresses(expected, deleted, memory, { addressesOutliveServices }) {
  const withdrawn = new Set(deleted.map(({ address }) => address))
  const bound = addressesOutliveServices ? (memory.get('bound') ?? []) : []
  const held = bound.filter((address) => !withdrawn.has(address))
  const after = [...new Set([...expected, ...held])]
  memory.set('bound', after)
  return after
}

function virtualServerOf({ protocol, address, port, scheduler, flags, timeout, realServers }) {
  const servers = realServers.map(({ address, port, weight }) => ({ address, port, weight }))
  return { protocol, address, port, scheduler, flags, timeout, realServers: servers }
}

/** Builds a set, including the entries that the kernel rejects, because the reference records kube-proxy's attempts. */
function ipsetOf(library, { family, ipset, ipvs }, { name, type, comment }) {
  const { entries } = ipset.sets.find((set) => set.name === name)
  const rejected = ipvs.contributions
    .flatMap(({ rejectedEntries }) => rejectedEntries)
    .flatMap(({ entry }) => (type === `hash:${entry.kind}` ? [entry] : []))
  return {
    name,
    type,
    family: family === 'IPv4' ? 'inet' : 'inet6',
    comment,
    entries: [...new Set([...entries, ...rejected].map((entry) => library.ipset.formatEntry(entry)))],
  }
}

function tablesOf(library, { family, tables }) {
  return Object.fromEntries(tables.map((table) => [table.name, rulesByChain(library, table, family)]))
}

/** Maps each chain to its rules as text without `-A CHAIN `, in the format of `iptables-restore` input. */
function rulesByChain(library, table, family) {
  const chains = [...library.iptables.chainsOf(table)]
  return Object.fromEntries(chains.map(([chain, rules]) => [chain, rules.map((rule) => textOf(library, rule, family))]))
}

function textOf(library, rule, family) {
  return library.iptables.printRule(rule, 'restore', family).slice(`-A ${rule.chain} `.length)
}

/** Maps `namespace/name` to the port and the number of local endpoints. */
function portsByService(healthCheckNodePorts) {
  return Object.fromEntries(
    healthCheckNodePorts.map(({ namespace, name, port, localEndpoints }) => [
      `${namespace}/${name}`,
      { port, localEndpoints },
    ]),
  )
}
