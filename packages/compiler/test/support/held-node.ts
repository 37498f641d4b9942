import { printRestore as printSets } from '../../src/dataplane/ipset/print.js'
import { printRestore as printServers } from '../../src/dataplane/ipvs/print.js'
import type { NodeState } from '../../src/dataplane/languages.js'
import type { Run } from '../../src/dataplane/netfilter/run.js'
import { type HeldSets, restoreSets } from './ipset-interpreter.js'
import { loaded, textsOf } from './iptables-states.js'
import { type HeldServers, restoreServers } from './ipvsadm-interpreter.js'
import { EMPTY_TABLES, type HeldTables, restore } from './restore-interpreter.js'

/** What a node holds of one family. */
export interface HeldNode {
  readonly sets: HeldSets
  readonly servers: HeldServers
  /** Of the device; undefined without one. With their prefix length. */
  readonly addresses: ReadonlySet<string> | undefined
  readonly tables: HeldTables
}

export const EMPTY_NODE: HeldNode = {
  sets: new Map(),
  servers: new Map(),
  addresses: undefined,
  tables: EMPTY_TABLES,
}

/** A node after a full load of the state: written without the code under test. */
export function nodeWith(state: NodeState | undefined): HeldNode {
  if (state === undefined) return EMPTY_NODE
  const { family, iptables, ipset, ipvs, addresses } = state
  const servers = ipvs === undefined ? '' : printServers(ipvs)
  const length = family === 'IPv4' ? 32 : 128
  return {
    sets: ipset === undefined ? new Map() : restoreSets(new Map(), printSets(ipset)),
    servers: servers === '' ? new Map() : restoreServers(new Map(), servers),
    addresses: addresses && new Set(addresses.addresses.map((address) => `${address}/${length}`)),
    tables: loaded(iptables),
  }
}

/** The node after a run of a tool. Throws where the tool would fail, and where something refers to nothing. */
export function afterRun(node: HeldNode, run: Run, onRefusal?: (line: string) => void): HeldNode {
  const after = runTool(node, run, onRefusal)
  for (const name of setsMatched(after.tables)) if (!after.sets.has(name)) throw new Error(`rules match no set ${name}`)
  return after
}

function runTool(node: HeldNode, { tool, args, input }: Run, onRefusal?: (line: string) => void): HeldNode {
  switch (`${tool} ${args.join(' ')}`) {
    case 'ipset restore -exist':
      return { ...node, sets: restoreSets(node.sets, input, (name) => setsMatched(node.tables).has(name)) }
    case 'ipvsadm -R':
      return { ...node, servers: restoreServers(node.servers, input, onRefusal) }
    case 'ip link add kube-ipvs0 type dummy':
      if (node.addresses !== undefined) throw new Error('the device exists')
      return { ...node, addresses: new Set() }
    case 'ip -batch -':
      return { ...node, addresses: batch(node.addresses, input) }
    case 'iptables-restore --noflush':
    case 'ip6tables-restore --noflush':
      return { ...node, tables: restore(node.tables, input) }
    default:
      throw new Error(`cannot run ${tool} ${args.join(' ')}`)
  }
}

function batch(addresses: ReadonlySet<string> | undefined, input: string): ReadonlySet<string> {
  if (addresses === undefined) throw new Error('no device')
  const result = new Set(addresses)
  for (const line of input.split('\n').slice(0, -1)) {
    const match = /^address (add|replace|del) ([\d.]+\/32|[0-9a-f:]+\/128) dev kube-ipvs0$/.exec(line)
    if (match === null) throw new Error(`cannot read: ${line}`)
    const [, command, address = ''] = match
    if (command !== 'replace' && result.has(address) === (command === 'add')) throw new Error(`refused: ${line}`)
    if (command === 'del') result.delete(address)
    else result.add(address)
  }
  return result
}

function setsMatched(tables: HeldTables): ReadonlySet<string> {
  const specs = [...tables.values()].flatMap((chains) => [...chains.values()].flat())
  const found = specs.flatMap(({ spec }) => [...spec.matchAll(/--match-set (\S+)/g)].map((match) => match[1] ?? ''))
  return new Set(found)
}

/** Everything a node holds as lines, to compare; rules by chain, in their order. */
export function linesOf({ sets, servers, addresses, tables }: HeldNode) {
  return {
    sets: [...sets]
      .flatMap(([name, { definition, entries }]) => [
        `${name} ${definition}`,
        ...Array.from(entries, ([entry, options]) => `${name} ${entry} ${options}`),
      ])
      .sort(),
    servers: [...servers]
      .flatMap(([key, { spec, realServers }]) => [
        `${key} ${spec}`,
        ...Array.from(realServers, ([realServer, words]) => `${key} ${realServer} ${words}`),
      ])
      .sort(),
    addresses: [...(addresses ?? [])].sort(),
    tables: textsOf(tables),
  }
}
