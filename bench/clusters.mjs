// Synthetic clusters. The same size always produces the same objects.

const NODES = 100
const NODE_NAME = 'node-0'

/** The number of Services and of ready endpoints of each; `mixed` selects the Service types. */
export const SIZES = [
  { name: '10 x 10', services: 10, endpoints: 10 },
  { name: '1,000 x 10', services: 1_000, endpoints: 10 },
  { name: '5,000 x 10', services: 5_000, endpoints: 10 },
  { name: '10,000 x 10', services: 10_000, endpoints: 10 },
  { name: '5,000 x 50', services: 5_000, endpoints: 50 },
  { name: '50,000 x 1', services: 50_000, endpoints: 1 },
  { name: '50,000 x 2', services: 50_000, endpoints: 2 },
  { name: 'mixed 100 x 10', services: 100, endpoints: 10, mixed: true },
  { name: 'mixed 10,000 x 10', services: 10_000, endpoints: 10, mixed: true },
]

/**
 * Returns the input and options for compiling a size. Plain sizes: ClusterIP Services with one TCP port, IPv4, local
 * traffic detection by the cluster CIDR. With `nodePorts`, all Services are NodePort Services. Mixed: 70 % ClusterIP, 20 % NodePort, 10 % LoadBalancer with source ranges and
 * `externalTrafficPolicy: Local`, dual stack.
 */
export function clusterOf({ services, endpoints, mixed = false, nodePorts = false }, mode) {
  const families = mixed ? ['IPv4', 'IPv6'] : ['IPv4']
  const indexes = Array.from({ length: services }, (_, index) => index)
  const input = {
    services: indexes.map((index) => {
      if (nodePorts) return serviceOf(index, families, 'NodePort', index)
      return serviceOf(index, families, mixed ? kindOf(index) : 'ClusterIP')
    }),
    endpointSlices: indexes.flatMap((index) => families.map((family) => sliceOf(index, family, endpoints))),
    nodes: [node()],
    configuration: { mode, clusterCIDR: mixed ? '10.128.0.0/9,fd00:1::/64' : '10.128.0.0/9' },
    host: { interfaces: [{ name: 'eth0', addresses: ['192.168.0.2/24', '2001:db8::2/64'] }] },
  }
  return { input, options: { nodeName: NODE_NAME, families } }
}

function kindOf(index) {
  const place = index % 10
  if (place < 7) return 'ClusterIP'
  return place < 9 ? 'NodePort' : 'LoadBalancer'
}

function serviceOf(index, families, type, nodePort = nodePortOf(index)) {
  const clusterIPs = families.map((family) => addressOf(family, { IPv4: '10.64.0.0', IPv6: 'fd00:2' }, index))
  const port = { name: 'http', protocol: 'TCP', port: 80 }
  if (type === 'NodePort') port.nodePort = 30_000 + nodePort
  const metadata = { namespace: namespaceOf(index), name: nameOf(index) }
  // V8 gives an object with a spread and more fields a shape of its own, which makes every later access slow. Objects
  // that `JSON.parse` creates share their shapes, so the fields are listed here.
  const spec = { type, clusterIP: clusterIPs[0], clusterIPs, ipFamilies: families, ports: [port] }
  if (type !== 'LoadBalancer') return { metadata, spec }
  spec.externalTrafficPolicy = 'Local'
  spec.healthCheckNodePort = 40_000 + Math.floor(index / 10)
  spec.loadBalancerSourceRanges = ['192.0.2.0/24', '2001:db8:2::/64']
  return {
    metadata,
    spec,
    status: { loadBalancer: { ingress: families.map((family) => ({ ip: loadBalancerIP(family, index) })) } },
  }
}

/** Numbers the node ports 0, 1, 2 …; two of every ten Services have one. */
function nodePortOf(index) {
  return 2 * Math.floor(index / 10) + (index % 10) - 7
}

function loadBalancerIP(family, index) {
  return addressOf(family, { IPv4: '198.18.0.0', IPv6: '2001:db8:1' }, index)
}

function sliceOf(index, family, count) {
  const first = index * count
  return {
    metadata: {
      namespace: namespaceOf(index),
      name: `${nameOf(index)}-${family.toLowerCase()}`,
      labels: { 'kubernetes.io/service-name': nameOf(index) },
    },
    addressType: family,
    ports: [{ name: 'http', protocol: 'TCP', port: 8080 }],
    endpoints: Array.from({ length: count }, (_, place) => endpointOf(first + place, family)),
  }
}

function endpointOf(number, family) {
  return {
    addresses: [addressOf(family, { IPv4: '10.128.0.0', IPv6: 'fd00:1' }, number)],
    conditions: { ready: true, serving: true, terminating: false },
    nodeName: `node-${number % NODES}`,
  }
}

function node() {
  return {
    metadata: { name: NODE_NAME, labels: { 'topology.kubernetes.io/zone': 'zone-a' } },
    status: {
      addresses: [
        { type: 'InternalIP', address: '192.168.0.2' },
        { type: 'InternalIP', address: '2001:db8::2' },
      ],
    },
  }
}

/** Returns the `number`-th address, from 1, above the base of its family. */
function addressOf(family, base, number) {
  if (family === 'IPv6')
    return `${base.IPv6}::${Math.floor((number + 1) / 65_536).toString(16)}:${((number + 1) % 65_536).toString(16)}`
  const value = base.IPv4.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) + number + 1
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.')
}

function namespaceOf(index) {
  return `team-${index % 20}`
}

function nameOf(index) {
  return `service-${String(index).padStart(5, '0')}`
}

const ZONES = ['zone-a', 'zone-b', 'zone-c']

/**
 * Returns a plain size on many nodes in three zones. One of ten Services has a load balancer and
 * `externalTrafficPolicy: Local`, and two of ten have endpoints with hints for the zones of these endpoints. With
 * `nodePorts`, every third Service has a node port.
 */
export function manyNodesOf({ services, endpoints, nodePorts = false }, mode, nodes) {
  const { input } = clusterOf({ services, endpoints }, mode)
  const { host: _, ...rest } = input
  return {
    input: {
      ...rest,
      services: input.services.map((service, index) => {
        const own = ofManyNodes(service, index)
        return nodePorts && index % 3 === 0 ? withNodePort(own, index) : own
      }),
      endpointSlices: input.endpointSlices.map((slice, index) => ({
        ...slice,
        endpoints: slice.endpoints.map((endpoint, place) =>
          spread(endpoint, index * endpoints + place, nodes, isHinted(index)),
        ),
      })),
      nodes: Array.from({ length: nodes }, (_, number) => nodeOf(number)),
    },
    options: { families: ['IPv4'] },
  }
}

function isHinted(index) {
  return index % 5 === 1
}

function ofManyNodes(service, index) {
  const { metadata, spec } = service
  if (isHinted(index)) {
    return { ...service, metadata: { ...metadata, annotations: { 'service.kubernetes.io/topology-mode': 'Auto' } } }
  }
  if (index % 10 !== 0) return service
  const local = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 40_000 + index / 10 }
  return {
    ...service,
    spec: { ...spec, ...local },
    status: { loadBalancer: { ingress: [{ ip: loadBalancerIP('IPv4', index) }] } },
  }
}

function withNodePort({ metadata, spec, status }, index) {
  const ports = spec.ports.map((port) => ({ ...port, nodePort: 30_000 + index }))
  return { metadata, spec: { ...spec, type: spec.type === 'ClusterIP' ? 'NodePort' : spec.type, ports }, status }
}

function spread(endpoint, number, nodes, hinted) {
  const nodeName = `node-${number % nodes}`
  return hinted
    ? { ...endpoint, nodeName, hints: { forZones: [{ name: zoneOf(number % nodes) }] } }
    : { ...endpoint, nodeName }
}

function zoneOf(number) {
  return ZONES[number % ZONES.length]
}

function nodeOf(number) {
  const address = addressOf('IPv4', { IPv4: '192.168.0.0' }, number)
  return {
    metadata: { name: `node-${number}`, labels: { 'topology.kubernetes.io/zone': zoneOf(number) } },
    status: { addresses: [{ type: 'InternalIP', address }] },
  }
}

/**
 * Returns the cluster with a new address for the last endpoint of the middle Service, a different one for each `step`.
 */
export function withEndpointReplaced(cluster, step, slice = Math.floor(cluster.input.endpointSlices.length / 2)) {
  return withSlicesChanged(cluster, [slice], step)
}

/** Returns the cluster with a new address for the last endpoint of every hundredth Service. */
export function withPercentReplaced(cluster, step) {
  const indexes = cluster.input.endpointSlices.map((_, index) => index).filter((index) => index % 100 === 50)
  return withSlicesChanged(cluster, indexes, step)
}

/** Returns the cluster with or without an additional Service, alternating with each `step`. */
export function withServiceAddedOrRemoved(cluster, step) {
  const { input } = cluster
  const endpoints = input.endpointSlices[0].endpoints.length
  const isThere = step % 2 === 1
  const [services, endpointSlices] = isThere
    ? [input.services.slice(0, -1), input.endpointSlices.slice(0, -1)]
    : [
        [...input.services, renamed(serviceOf(99_999, ['IPv4'], 'ClusterIP'))],
        [...input.endpointSlices, renamed(sliceOf(99_999, 'IPv4', endpoints), 'middle')],
      ]
  return { ...cluster, input: { ...input, services, endpointSlices } }
}

/**
 * Renames the added Service to a name in the middle of the order, so that its rules are not at the end of every chain.
 */
function renamed(object, serviceName) {
  const labels = serviceName && { 'kubernetes.io/service-name': serviceName }
  return { ...object, metadata: { namespace: namespaceOf(10), name: serviceName ? 'middle-ipv4' : 'middle', labels } }
}

function withSlicesChanged(cluster, indexes, step) {
  const endpointSlices = cluster.input.endpointSlices.slice()
  for (const index of indexes) {
    const slice = endpointSlices[index]
    const address = addressOf('IPv4', { IPv4: '10.250.0.0' }, index * 20 + (step % 20))
    const endpoints = [...slice.endpoints.slice(0, -1), { ...slice.endpoints.at(-1), addresses: [address] }]
    endpointSlices[index] = { ...slice, endpoints }
  }
  return { ...cluster, input: { ...cluster.input, endpointSlices } }
}
