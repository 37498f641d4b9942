import type { HeldNode } from './held-node.js'

// Single changes to the sets, virtual servers and addresses of a node, independent of the code under test. The last
// virtual server and the last address always remain, because empty output is indistinguishable from a missing dump.

export const IPVS_MUTATIONS = [
  'drop entry',
  'drop virtual server',
  'edit virtual server',
  'add virtual server',
  'drop real server',
  'add real server',
  'edit real server',
  'drop address',
  'add address',
] as const

export type IpvsMutation = (typeof IPVS_MUTATIONS)[number]

export function isIpvsMutation(kind: string): kind is IpvsMutation {
  return IPVS_MUTATIONS.some((each) => each === kind)
}

/** Applies the mutation at an index, modulo their number; undefined if the node has nothing to change. */
export function mutateIpvs(node: HeldNode, kind: IpvsMutation, at: number): HeldNode | undefined {
  switch (kind) {
    case 'drop entry':
      return dropEntry(node, at)
    case 'drop address':
      return dropAddress(node, at)
    case 'add address':
      return addAddress(node)
    case 'add virtual server':
      return addVirtualServer(node)
    case 'drop virtual server':
    case 'edit virtual server':
      return changeVirtualServer(node, kind, at)
    case 'drop real server':
    case 'add real server':
    case 'edit real server':
      return changeRealServer(node, kind, at)
  }
}

const STRAY_ADDRESS = { IPv4: '10.97.0.99/32', IPv6: 'fd00:97::99/128' } as const
const STRAY_SERVER = { IPv4: '-t 10.97.0.99:80', IPv6: '-t [fd00:97::99]:80' } as const
const STRAY_REAL_SERVER = { IPv4: '10.244.77.7:80', IPv6: '[fd00:244:77::7]:80' } as const

/** Returns the family of the sets, which ipvs mode creates on every node. */
function familyOf({ sets }: HeldNode): 'IPv4' | 'IPv6' {
  return [...sets.values()].some(({ definition }) => definition.includes('family inet6')) ? 'IPv6' : 'IPv4'
}

function dropEntry(node: HeldNode, at: number): HeldNode | undefined {
  const places = [...node.sets].flatMap(([name, { entries }]) => Array.from(entries.keys(), (entry) => [name, entry]))
  const [name, entry] = places[at % places.length] ?? []
  const set = node.sets.get(name ?? '')
  if (name === undefined || entry === undefined || set === undefined) return undefined
  const entries = new Map([...set.entries].filter(([other]) => other !== entry))
  return { ...node, sets: new Map(node.sets).set(name, { ...set, entries }) }
}

function dropAddress(node: HeldNode, at: number): HeldNode | undefined {
  const { addresses } = node
  if (addresses === undefined || addresses.size < 2) return undefined
  return { ...node, addresses: new Set([...addresses].filter((_, index) => index !== at % addresses.size)) }
}

function addAddress(node: HeldNode): HeldNode | undefined {
  const family = familyOf(node)
  return family && { ...node, addresses: new Set([...(node.addresses ?? []), STRAY_ADDRESS[family]]) }
}

function addVirtualServer(node: HeldNode): HeldNode | undefined {
  const family = familyOf(node)
  if (family === undefined) return undefined
  const realServers = new Map([[STRAY_REAL_SERVER[family], '-m -w 1']])
  return { ...node, servers: new Map(node.servers).set(STRAY_SERVER[family], { spec: '-s rr', realServers }) }
}

function changeVirtualServer(node: HeldNode, kind: string, at: number): HeldNode | undefined {
  const [key, server] = [...node.servers][at % node.servers.size] ?? []
  if (key === undefined || server === undefined) return undefined
  const servers = new Map(node.servers)
  if (kind === 'drop virtual server' && servers.size < 2) return undefined
  if (kind === 'drop virtual server') servers.delete(key)
  else servers.set(key, { ...server, spec: `-s ${server.spec.includes('lblc') ? 'rr' : 'lblc'}` })
  return { ...node, servers }
}

function changeRealServer(node: HeldNode, kind: string, at: number): HeldNode | undefined {
  const all = [...node.servers]
  const places = kind === 'add real server' ? all : all.filter(([, { realServers }]) => realServers.size > 0)
  const [key, server] = places[at % places.length] ?? []
  if (key === undefined || server === undefined) return undefined
  const realServers = new Map(server.realServers)
  const [realServer = '', words = ''] = [...realServers][at % realServers.size] ?? []
  if (kind === 'drop real server') realServers.delete(realServer)
  else if (kind === 'add real server')
    realServers.set(STRAY_REAL_SERVER[key.includes('[') ? 'IPv6' : 'IPv4'], '-m -w 1')
  else realServers.set(realServer, words.replace(/-w \d+/, '-w 7'))
  return { ...node, servers: new Map(node.servers).set(key, { ...server, realServers }) }
}
