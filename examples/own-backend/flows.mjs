// Compiles the plan of a node to flows of an Open vSwitch bridge, through which the packets of all pods, of the node and
// of external clients pass. The plan makes all decisions about Services, so this file contains no traffic policy, no
// readiness and no topology. It only expresses the decisions as flows:
//
//   const [{ plan }] = compile(input, { nodeName }).families
//   writeFileSync('flows', changeFlows(undefined, plan))  // ovs-ofctl --bundle add-flows br0 flows
//
// The bridge needs a controller with the ID 1 that answers rejected packets with an ICMP error.

import { diffPlans, listDestinations } from '@kube-rules/compiler/plan'

/** The numbers of the tables, in the order in which a packet passes through them. */
const TABLE = Object.fromEntries(
  ['unmasquerade', 'untranslate', 'pods', 'addresses', 'host']
    .concat('ranges', 'frontends', 'endpoints', 'masquerade', 'output')
    .map((name, number) => [name, number]),
)

/** The bits of reg0: facts about the packet, and the decision. */
const FROM_POD = 0x1
const FROM_NODE_ADDRESS = 0x2
const FROM_HOST = 0x4
const MASQUERADE = 0x8
const LOCAL_POOL = 0x10

/** The names of match fields by family. */
const FIELDS = {
  IPv4: { ip: 'ip', source: 'nw_src', destination: 'nw_dst', suffix: '' },
  IPv6: { ip: 'ipv6', source: 'ipv6_src', destination: 'ipv6_dst', suffix: '6' },
}

/**
 * Returns the flows of a plan: a map from the table, priority and match of a flow to its actions. `bridgePorts` are the
 * names of the ports of the bridge, for the detection of pods by a prefix of these names.
 */
export function listFlows(plan, { bridgePorts = [] } = {}) {
  return new Map([...fixedFlows(plan, bridgePorts), ...flowsOf(plan, listDestinations(plan))])
}

/**
 * Returns the input of `ovs-ofctl --bundle add-flows` that replaces the flows of one plan by those of another. Only flows
 * of destinations with a changed service port are compiled. Undefined represents a bridge without flows.
 */
export function changeFlows(before, after, { bridgePorts = [] } = {}) {
  const { headerChanged, servicePorts } = diffPlans(before, after)
  const changed = new Set(servicePorts.map((change) => nameOf((change.after ?? change.before).id)))
  const [previous, next] = [before, after].map((plan) => (plan === undefined ? [] : listDestinations(plan)))
  // Another service port can get the destination of a changed one, so the destination counts.
  const affected = new Set([...previous, ...next].filter(({ service }) => changed.has(nameOf(service.id))).map(matchOf))
  const [removed, added] = [
    [before, previous],
    [after, next],
  ].map(([plan, destinations]) => {
    if (plan === undefined) return new Map()
    if (headerChanged) return new Map([...fixedFlows(plan, bridgePorts), ...flowsOf(plan, destinations)])
    const some = destinations.filter((destination) => affected.has(matchOf(destination)))
    return new Map(flowsOf(plan, some))
  })
  const lines = [
    ...[...removed].filter(([flow]) => !added.has(flow)).map(([flow]) => `delete_strict ${flow}`),
    ...[...added].filter(([flow, actions]) => removed.get(flow) !== actions).map((flow) => `add ${printFlow(flow)}`),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

/** Prints a flow as `ovs-ofctl` reads it. */
export function printFlow([flow, actions]) {
  return `${flow},actions=${actions}`
}

function nameOf({ text, protocol }) {
  return `${text} ${protocol}`
}

function createFlow(table, priority, match, actions) {
  return [[`table=${TABLE[table]}`, `priority=${priority}`, ...match].join(), actions.join()]
}

function setBits(bits) {
  return `set_field:${hex(bits)}/${hex(bits)}->reg0`
}

function hasBits(bits, mask = bits) {
  return `reg0=${hex(bits)}/${hex(mask)}`
}

function hex(number) {
  return `0x${number.toString(16)}`
}

function goTo(table) {
  return `resubmit(,${TABLE[table]})`
}

/** Returns the flows that do not depend on Services: connection tracking, and the facts about the source of a packet. */
function fixedFlows(plan, bridgePorts) {
  const { ip, source } = FIELDS[plan.family]
  const addresses = plan.node.addresses.map(({ address }) => address)
  const masqueradeAddress = addresses.find((address) => !isLoopback(address)) ?? plan.node.ip
  return [
    // Other protocols than IP, such as ARP.
    createFlow('unmasquerade', 0, [], ['NORMAL']),
    createFlow('unmasquerade', 1, [ip], [`ct(zone=1,nat,table=${TABLE.untranslate})`]),
    createFlow('untranslate', 1, [ip], [`ct(zone=0,nat,table=${TABLE.pods})`]),
    // Packets of known connections are translated like the first packet.
    createFlow('pods', 2, [ip, 'ct_state=+trk-new'], [`ct(zone=1,nat,table=${TABLE.output})`]),
    ...podMatches(plan, bridgePorts).map((match) =>
      createFlow('pods', 1, [ip, match], [setBits(FROM_POD), goTo('addresses')]),
    ),
    createFlow('pods', 0, [ip], [goTo('addresses')]),
    ...addresses.map((address) =>
      createFlow('addresses', 1, [ip, `${source}=${address}`], [setBits(FROM_NODE_ADDRESS), goTo('host')]),
    ),
    createFlow('addresses', 0, [ip], [goTo('host')]),
    createFlow('host', 1, [ip, 'in_port=LOCAL'], [setBits(FROM_HOST), goTo('ranges')]),
    createFlow('host', 0, [ip], [goTo('ranges')]),
    createFlow('ranges', 0, [ip], [goTo('frontends')]),
    createFlow('frontends', 0, [ip], [goTo('output')]),
    createFlow(
      'masquerade',
      1,
      [ip, hasBits(MASQUERADE)],
      [`ct(commit,zone=1,nat(src=${masqueradeAddress}),table=${TABLE.output})`],
    ),
    createFlow('masquerade', 0, [ip], [goTo('output')]),
    createFlow('output', 0, [ip], ['NORMAL']),
  ]
}

function isLoopback(address) {
  return address.startsWith('127.') || address === '::1'
}

/** Returns the matches of packets from pods. */
function podMatches({ family, node: { localTrafficDetection: detection } }, bridgePorts) {
  switch (detection?.kind) {
    case 'cidr':
      return [`${FIELDS[family].source}=${detection.cidr.text}`]
    case 'interface':
      return [`in_port="${detection.interface}"`]
    case 'interfacePrefix':
      return bridgePorts.filter((port) => port.startsWith(detection.prefix)).map((port) => `in_port="${port}"`)
    default:
      return []
  }
}

function flowsOf(plan, destinations) {
  return destinations.flatMap((destination) => [
    ...rangeFlows(plan, destination),
    ...frontendFlows(destination),
    ...endpointFlows(plan, destination),
  ])
}

/** Returns the match of packets to a destination. */
function matchOf({ address, port, protocol }) {
  const { destination, suffix } = FIELDS[address.includes(':') ? 'IPv6' : 'IPv4']
  return `${protocol.toLowerCase()}${suffix},${destination}=${address},tp_dst=${port}`
}

/** Drops packets from sources that the Service does not accept. If there are no endpoints, all packets are rejected. */
function rangeFlows({ family }, destination) {
  const { service, frontend } = destination
  const { allowedSources, clauses } = frontend
  if (allowedSources === undefined || !clauses.some(({ action }) => action.kind === 'pool')) return []
  const own = service.frontends.filter(({ kind }) => kind === 'loadBalancer').map(({ address }) => address)
  const sources = [
    ...allowedSources.ranges.map(({ address, prefixLength }) => `${address}/${prefixLength}`),
    ...(allowedSources.includesThisNode ? own : []),
  ]
  const match = matchOf(destination)
  return [
    ...sources.map((source) =>
      createFlow('ranges', 2, [match, `${FIELDS[family].source}=${source}`], [goTo('frontends')]),
    ),
    createFlow('ranges', 1, [match], ['drop']),
  ]
}

/** The matches of traffic sources. Packets from loopback addresses never reach the bridge. */
const SOURCE_MATCHES = {
  anyone: [],
  fromPod: [hasBits(FROM_POD)],
  notFromPod: [hasBits(0, FROM_POD)],
  fromThisNode: [hasBits(FROM_NODE_ADDRESS)],
}

/** Returns one flow for each clause. The first clause that applies has the highest priority. */
function frontendFlows(destination) {
  const { clauses } = destination.frontend
  return clauses.flatMap((clause, index) => {
    const source = SOURCE_MATCHES[clause.source]
    if (source === undefined) return []
    return [
      createFlow(
        'frontends',
        clauses.length - index,
        [matchOf(destination), ...source],
        actionsOf(clause, destination),
      ),
    ]
  })
}

function actionsOf({ action, masquerade }, { service: { pools, affinitySeconds } }) {
  if (action.kind === 'drop') return ['drop']
  if (action.kind === 'reject') return ['controller(id=1)']
  if (action.kind !== 'pool') throw new Error('a plan of userspace mode needs a proxy process')
  const count = pools[action.pool].length
  if (count === 0) return [goTo('output')]
  const bits = (masquerade ? MASQUERADE : 0) | (action.pool === 'local' ? LOCAL_POOL : 0)
  // A hash of the client's address keeps a client at its endpoint, as long as the pool does not change.
  const hash = affinitySeconds === undefined ? 'symmetric_l4' : 'nw_src'
  return [
    ...(bits === 0 ? [] : [setBits(bits)]),
    `multipath(${hash},0,modulo_n,${count},0,NXM_NX_REG1[])`,
    goTo('endpoints'),
  ]
}

/** Returns the flows that translate the destination to an endpoint of a pool, whose index is in reg1. */
function endpointFlows({ family, node }, destination) {
  const { pools } = destination.service
  const own = new Set(node.addresses.map(({ address }) => address))
  return ['cluster', 'local'].flatMap((pool) =>
    pools[pool].flatMap(({ ip, port }, index) => {
      const match = [matchOf(destination), `reg1=${index}`]
      const bits = pool === 'local' ? LOCAL_POOL : 0
      const address = family === 'IPv6' ? `[${ip}]` : ip
      const translate = `ct(commit,zone=0,nat(dst=${address}:${port}),table=${TABLE.masquerade})`
      const toItself = [...match, hasBits(bits, LOCAL_POOL), `${FIELDS[family].source}=${ip}`]
      const staysHere = [...match, hasBits(bits, LOCAL_POOL | FROM_HOST)]
      return [
        createFlow('endpoints', 1, [...match, hasBits(bits, LOCAL_POOL)], [translate]),
        // The endpoint would answer itself directly.
        createFlow('endpoints', 2, toItself, [setBits(MASQUERADE), translate]),
        // Packets to an endpoint with an address of the node do not leave the node, unless the node sends them.
        ...(own.has(ip)
          ? [createFlow('endpoints', 3, staysHere, [`set_field:0x0/${hex(MASQUERADE)}->reg0`, translate])]
          : []),
      ]
    }),
  )
}
