import { printRestore as printSets } from '../../src/dataplane/ipset/print.js'
import { printRestore as printServers } from '../../src/dataplane/ipvs/print.js'
import type { ToolCommand } from '../../src/dataplane/netfilter/tool-command.js'
import type { NodeState } from '../../src/dataplane/node-state.js'
import { type HeldSets, restoreSets } from './ipset-interpreter.js'
import { loaded, textsOf } from './iptables-states.js'
import { type HeldServers, restoreServers } from './ipvsadm-interpreter.js'
import { EMPTY_TABLES, type HeldTables, restore } from './restore-interpreter.js'

/** A model of the rules, sets and servers of one family on a node. */
export interface HeldNode {
  readonly sets: HeldSets
  readonly servers: HeldServers
  /** The addresses of kube-ipvs0 with their prefix lengths; undefined if the device does not exist. */
  readonly addresses: ReadonlySet<string> | undefined
  /** The addresses of kube-ipvs0-new, which replaces kube-ipvs0; undefined if the device does not exist. */
  readonly spare?: ReadonlySet<string> | undefined
  readonly tables: HeldTables
}

export const EMPTY_NODE: HeldNode = {
  sets: new Map(),
  servers: new Map(),
  addresses: undefined,
  tables: EMPTY_TABLES,
}

/** Builds the model of a node that has loaded the full state, independently of the code under test. */
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

/**
 * Returns the node after a command. Throws an error if the command fails and must not fail, or if a rule matches a
 * missing set.
 */
export function afterRun(node: HeldNode, command: ToolCommand, onRefusal?: (line: string) => void): HeldNode {
  const after = command.allowFailure ? afterRunThatMayFail(node, command) : runTool(node, command, onRefusal)
  for (const name of setsMatched(after.tables)) if (!after.sets.has(name)) throw new Error(`rules match no set ${name}`)
  return after
}

/**
 * Runs a command that may fail. ipset and ipvsadm apply their input line by line, so that the lines before the failing
 * line take effect.
 */
function afterRunThatMayFail(node: HeldNode, command: ToolCommand): HeldNode {
  if (command.tool === 'ipset' || command.tool === 'ipvsadm') {
    const lines = command.input.split('\n').slice(0, -1)
    let after = node
    try {
      for (const line of lines) after = runTool(after, { ...command, input: `${line}\n` }, () => {})
    } catch {
      return after
    }
    return after
  }
  try {
    return runTool(node, command)
  } catch {
    return node
  }
}

function runTool(node: HeldNode, command: ToolCommand, onRefusal?: (line: string) => void): HeldNode {
  const { tool, args, input, skipIf } = command
  switch (`${tool} ${args.join(' ')}`) {
    case 'ipset restore -exist':
      return { ...node, sets: restoreSets(node.sets, input, (name) => setsMatched(node.tables).has(name)) }
    case 'ipvsadm -R':
      return { ...node, servers: restoreServers(node.servers, input, onRefusal) }
    case 'ip -batch -':
      return input.split('\n').slice(0, -1).reduce(ip, node)
    case 'iptables-restore -w 5 --noflush':
    case 'ip6tables-restore -w 5 --noflush':
      return { ...node, tables: restore(node.tables, input) }
  }
  if (tool === 'ip') {
    const isDone = skipIf?.join(' ') === 'link show dev kube-ipvs0' && node.addresses !== undefined
    return isDone ? node : ip(node, args.join(' '))
  }
  // The model does not include nfacct counters.
  if (tool === 'nfacct') return node
  if (tool === 'iptables' || tool === 'ip6tables') return runRule(node, command)
  throw new Error(`cannot run ${tool} ${args.join(' ')}`)
}

/** Parses `-w 5 -t TABLE COMMAND CHAIN SPEC`. */
function runRule(node: HeldNode, { args, skipIf }: ToolCommand): HeldNode {
  const [, , , table = '', command = '', chain = '', ...words] = args
  const spec = words.map((word) => (/\s/.test(word) ? `"${word}"` : word)).join(' ')
  const isThere =
    node.tables
      .get(table)
      ?.get(chain)
      ?.some((rule) => rule.spec === spec) ?? false
  if (skipIf !== undefined && isThere) return node
  return { ...node, tables: restore(node.tables, `*${table}\n${command} ${chain} ${spec}\nCOMMIT\n`) }
}

/** Applies one `ip` command. */
function ip(node: HeldNode, line: string): HeldNode {
  const device = (name: string | undefined) => (name === 'kube-ipvs0' ? 'addresses' : 'spare')
  const link = /^link (add|delete|set) (kube-ipvs0|kube-ipvs0-new)(?: type dummy| name kube-ipvs0)?$/.exec(line)
  if (link !== null) {
    const [, command, name] = link
    const isThere = node[device(name)] !== undefined
    if (isThere === (command === 'add')) throw new Error(`refused: ${line}`)
    if (command === 'add') return { ...node, [device(name)]: new Set() }
    if (command === 'delete') return { ...node, [device(name)]: undefined }
    if (node.addresses !== undefined) throw new Error(`refused: ${line}`)
    return { ...node, addresses: node.spare, spare: undefined }
  }
  const match = /^address (add|del) ([\d.]+\/32|[0-9a-f:]+\/128) dev (kube-ipvs0|kube-ipvs0-new)$/.exec(line)
  if (match === null) throw new Error(`cannot read: ${line}`)
  const [, command, address = '', name] = match
  const held = node[device(name)]
  if (held === undefined) throw new Error(`no device: ${line}`)
  if (held.has(address) === (command === 'add')) throw new Error(`refused: ${line}`)
  const result = new Set(held)
  if (command === 'del') result.delete(address)
  else result.add(address)
  return { ...node, [device(name)]: result }
}

function setsMatched(tables: HeldTables): ReadonlySet<string> {
  const specs = [...tables.values()].flatMap((chains) => [...chains.values()].flat())
  const found = specs.flatMap(({ spec }) => [...spec.matchAll(/--match-set (\S+)/g)].map((match) => match[1] ?? ''))
  return new Set(found)
}

/** Formats a node as lines for comparison. Rules are grouped by chain and keep their order; the rest is sorted. */
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
