import { isDeepStrictEqual } from 'node:util'
import type { IpFamily, Packet } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { trace } from '../../../analyzer/src/trace/trace.js'
import { traceContextFor } from '../../../analyzer/src/trace/trace-context.js'
import { canonicalizeState } from '../../../analyzer/test/support/canonical-state.js'
import { toCommands } from '../../src/commands/to-commands.js'
import { compile } from '../../src/compilation/compile.js'
import type { CompileInput, CompileResult, FamilyResult } from '../../src/compilation/compile-result.js'
import type { ToolCommand } from '../../src/dataplane/netfilter/tool-command.js'
import type { Table } from '../../src/dataplane/nftables/ast.js'
import type { Dump } from '../../src/dataplane/node-state.js'
import { diff, isEmptyPatch, type ResultPatch } from '../../src/diff/diff.js'
import type { Plan } from '../../src/plan/plan.js'
import { print } from '../../src/print/print.js'
import { reconcile } from '../../src/reconcile/reconcile.js'
import type { ProxyMode } from '../../src/targets/modes.js'
import { trackNode } from '../../src/tracker/track-node.js'
import { type Case, cases } from '../support/clusters.js'
import { histories } from '../support/edits.js'
import { afterRun, EMPTY_NODE, type HeldNode, linesOf, nodeWith } from '../support/held-node.js'
import { mutate, mutationsOf } from '../support/mutations.js'
import { afterNft, textsOfTables } from '../support/nft-interpreter.js'
import { mutateTable, tableMutations } from '../support/nftables-mutations.js'
import { dumpOf } from '../support/node-dump.js'
import { pathsText } from '../support/paths-text.js'
import { readDump } from '../support/read-dump.js'
import { fewRuns, isWhole, runs } from '../support/runs.js'

/** A node with the rules of one family, including nftables. */
interface WholeNode {
  readonly family: IpFamily
  readonly held: HeldNode
  readonly nft: readonly Table[]
}

function loaded(result: CompileResult): WholeNode {
  const [{ family, state }] = result.families as readonly [FamilyResult]
  const text = state.nftables === undefined ? '' : print(state, { subsystem: 'nftables' })
  return { family, held: nodeWith(state), nft: text === '' ? [] : afterNft([], text) }
}

function after(node: WholeNode, command: ToolCommand): WholeNode {
  if (command.tool === 'conntrack') return node
  if (command.tool === 'nft') return { ...node, nft: afterNft(node.nft, command.input) }
  return { ...node, held: afterRun(node.held, command, () => {}) }
}

function dumpOfNode({ family, held, nft }: WholeNode): Dump {
  const dump = readDump(dumpOf(held, family))
  return nft.length === 0 ? dump : { ...dump, [family]: { ...dump[family], nftables: { tables: nft } } }
}

/**
 * Reports whether the kubelet creates the chain, too. kube-proxy does not remove such a chain when it no longer needs
 * it.
 */
function isOfKubelet(table: string, chain: string): boolean {
  return table === 'filter' ? chain === 'KUBE-FIREWALL' : chain === 'KUBE-MARK-DROP'
}

/**
 * Returns the contents of a node in normal form, for comparison. Omits empty built-in chains, and the chains that the
 * kubelet creates, too, with the jumps to them.
 */
function contents(node: WholeNode) {
  const { family } = node
  const { iptables } = dumpOfNode(node)[family]
  const held = { ...node.held, tables: nodeWith({ family, iptables: iptables && canonicalizeState(iptables) }).tables }
  const { tables, sets, ...others } = linesOf(held)
  const chains = Object.entries(tables).flatMap(([table, own]) =>
    Object.entries(own)
      .map(([chain, rules]) => [chain, rules.filter((rule) => !rule.endsWith('-j KUBE-FIREWALL'))] as const)
      .filter(([chain, rules]) => !isOfKubelet(table, chain) && (rules.length > 0 || chain.startsWith('KUBE-')))
      .map(([chain, rules]) => `${table} ${chain}: ${rules.join(' | ')}`),
  )
  return {
    ...others,
    sets: knownSetsOf(sets),
    chains: chains.sort(),
    nft: textsOfTables(node.nft.map(withoutElementComments)),
  }
}

/** Removes the comments of elements: from 1.32 on, an element keeps its comment as long as its key and verdict stay. */
function withoutElementComments(table: Table): Table {
  const sets = table.sets.map((set) => {
    return { ...set, elements: set.elements.map(({ comment: _, ...element }) => element) }
  })
  return { ...table, sets }
}

/**
 * Omits the IPv6 sets of versions up to 1.15 beside those of a newer version. They have the names of the IPv4 sets, so
 * an update to a newer version leaves them.
 */
function knownSetsOf(sets: readonly string[]): readonly string[] {
  const prefixed = sets.filter((line) => line.startsWith('KUBE-6-'))
  return prefixed.length > 0 ? prefixed : sets
}

/** Like `contents`. If a result has no sets, omits IPv6 sets with names of IPv4 sets, which no update removes. */
function contentsAfter(result: CompileResult, node: WholeNode) {
  const all = contents(node)
  if (node.family === 'IPv4' || contents(loaded(result)).sets.length > 0) return all
  return { ...all, sets: all.sets.filter((line) => line.startsWith('KUBE-6-')) }
}

/** Returns the sets, servers and addresses, which only ipvs mode has. */
function ipvsContents(result: CompileResult) {
  const { sets, servers, addresses } = contents(loaded(result))
  return { sets, servers, addresses }
}

/**
 * Returns the virtual and real servers of a node, for example `-t 10.96.0.1:80` and `-t 10.96.0.1:80 -r
 * 10.244.1.1:8080`.
 */
function serversOf({ held }: WholeNode): readonly string[] {
  return [...held.servers].flatMap(([key, { realServers }]) => [
    key,
    ...Array.from(realServers.keys(), (each) => `${key} -r ${each}`),
  ])
}

/** Returns the servers that a command deletes. Expects that the command does not clear the whole table. */
function deletedServers({ tool, input }: ToolCommand): readonly string[] {
  if (tool !== 'ipvsadm') return []
  expect(input).not.toMatch(/^-C$/m)
  return Array.from(input.matchAll(/^-[Dd] (.*)$/gm), ([, server = '']) => server)
}

/** Generates results of one family, either all in the same mode or each in any mode. */
function resultsOf(count: number, mode?: ProxyMode): fc.Arbitrary<readonly CompileResult[]> {
  const family = fc.constantFrom<IpFamily>('IPv4', 'IPv6')
  return fc.tuple(family, fc.array(cases, { minLength: count, maxLength: count })).map(([one, list]) => {
    return list.map(({ cluster, options }: Case) =>
      compile(cluster, { ...options, ...(mode && { mode }), families: [one] }),
    )
  })
}

/** Runs only the first commands of an update, as if the update was interrupted. conntrack is skipped. */
function cut(node: WholeNode, commands: readonly ToolCommand[], at: number): WholeNode {
  const own = commands.filter(({ tool }) => tool !== 'conntrack')
  return own.slice(0, at % (own.length + 1)).reduce(after, node)
}

/** Changes that an administrator makes to the rules of a node; none in half of the cases. */
const handEdits = fc.record({
  isDone: fc.boolean(),
  mutations: fc.array(fc.oneof(mutationsOf('ipvs'), mutationsOf('iptables')), { minLength: 1, maxLength: 3 }),
  tableMutation: tableMutations,
})

type HandEdits = typeof handEdits extends fc.Arbitrary<infer Edits> ? Edits : never

function edited(node: WholeNode, { isDone, mutations, tableMutation }: HandEdits): WholeNode {
  if (!isDone) return node
  const held = mutations.reduce((before, mutation) => mutate(before, mutation) ?? before, node.held)
  const nft = node.nft.flatMap((table) => {
    const mutated = mutateTable(table, tableMutation)
    return mutated === 'unchanged' ? [table] : (mutated ?? [])
  })
  return { ...node, held, nft }
}

/**
 * Removes content that kube-proxy did not create: addresses of the other family, and virtual servers if there are
 * neither sets nor addresses of ipvs mode, because these servers may belong to another program.
 */
function withOwnContent(node: WholeNode): WholeNode {
  const { sets, servers } = node.held
  const addresses =
    node.held.addresses &&
    new Set([...node.held.addresses].filter((each) => each.includes(':') === (node.family === 'IPv6')))
  const isIpvs = sets.size + (addresses?.size ?? 0) > 0
  return { ...node, held: { ...node.held, addresses, servers: isIpvs ? servers : new Map() } }
}

/**
 * In chains that both nodes have, replaces the texts of rules with the texts of the other node. The kernel prints equal
 * rules in the same way, regardless of the text that they were loaded from.
 */
function withTextsOf(other: WholeNode, node: WholeNode): WholeNode {
  const tables = Array.from(node.held.tables, ([table, chains]) => {
    const others = other.held.tables.get(table)
    const rules = Array.from(chains, ([chain, own]) => [chain, others?.get(chain) ?? own] as const)
    return [table, new Map(rules)] as const
  })
  return { ...node, held: { ...node.held, tables: new Map(tables) } }
}

/** Generates a node after an interrupted update and manual changes, and two further results. */
const brokenNodes = fc
  .tuple(resultsOf(4), fc.boolean(), fc.nat(1000), handEdits)
  .map(([[before, aim, next, later], isKnown, at, edits]) => {
    const [from, to] = [before, aim] as readonly [CompileResult, CompileResult]
    const patch = isKnown ? diff(from, to) : reconcile(undefined, to)
    const node = withOwnContent(edited(cut(loaded(from), toCommands(patch), at), edits))
    return { node, modes: [from.mode, to.mode], next: next as CompileResult, later: later as CompileResult }
  })

/** Generates a node with the rules of a result, and this node with two rules in the opposite order. */
const swappedNodes = fc
  .tuple(
    resultsOf(1).map(([result]) => ({ result: result as CompileResult, node: loaded(result as CompileResult) })),
    fc.nat(100_000),
  )
  .map(([given, at]) => ({ ...given, held: mutate(given.node.held, { kind: 'swap', at }) }))
  .filter(({ held }) => held !== undefined)
  .map(({ result, node, held }) => ({ result, node, swapped: { ...node, held: held as HeldNode } }))

/** Generates two results of one cluster, the second after changes. */
const resultsWithEdits = fc
  .tuple(histories, fc.constantFrom<IpFamily>('IPv4', 'IPv6'))
  .filter(([{ options }]) => options.mode !== 'userspace')
  .map(([{ inputs, options }, family]) => {
    const [one, other = one] = inputs as unknown as readonly [CompileInput, CompileInput]
    const before = compile(one, { ...options, families: [family] })
    return [before, compile(other, { ...options, families: [family], previous: before })] as const
  })

const MAX_PACKETS = 4

function planOf({ families }: CompileResult): Plan {
  return (families[0] as FamilyResult).plan
}

/** Returns packets from external clients to Services with the same plan in both results, with their expected paths. */
function packetsToUnchanged(before: CompileResult, next: CompileResult) {
  const known = new Set(planOf(before).services)
  const frontends = planOf(next).services.flatMap((service) =>
    known.has(service) ? service.frontends.map((frontend) => ({ service, frontend })) : [],
  )
  const packets = frontends.flatMap(({ service, frontend }): readonly Packet[] => {
    const { protocol } = service.id
    if (frontend.address === undefined) return []
    const source = planOf(next).family === 'IPv4' ? '203.0.113.99' : '2001:db8:ffff::99'
    const to = { destination: frontend.address, destinationPort: frontend.port, protocol }
    return [{ ...to, source, origin: 'outside', inInterface: 'eth0' }]
  })
  const pathsIn = (result: CompileResult, packet: Packet) =>
    pathsText(trace(dumpOfNode(loaded(result))[planOf(result).family], packet, traceContextFor(planOf(next))))
  return packets.slice(0, MAX_PACKETS).flatMap((packet) => {
    const expected = pathsIn(next, packet)
    // Omits packets whose path changes, because settings that affect all Services may have changed, too.
    return isDeepStrictEqual(expected, pathsIn(before, packet)) ? [{ packet, expected }] : []
  })
}

/** Generates an update that changes rules, with packets to unchanged Services. */
const updatesBesideUnchanged = resultsWithEdits
  .filter(([before, next]) => !isEmptyPatch(diff(before, next)))
  .map(([before, next]) => ({ before, next, packets: packetsToUnchanged(before, next) }))
  .filter(({ packets }) => packets.length > 0)

describe('a node in an arbitrary state', () => {
  it('has the state of the compiled rules after an update from a dump and after the next update', () => {
    const drawn = new Map<string, number>()
    fc.assert(
      fc.property(brokenNodes, ({ node, modes, next, later }) => {
        drawn.set(next.mode, (drawn.get(next.mode) ?? 0) + 1)
        if (modes.some((mode) => mode !== next.mode)) drawn.set('otherMode', (drawn.get('otherMode') ?? 0) + 1)
        const recovered = toCommands(reconcile(dumpOfNode(node), next)).reduce(after, node)
        expect(contentsAfter(next, recovered)).toEqual(contents(loaded(next)))
        const printed = withTextsOf(loaded(next), recovered)
        const updated = toCommands(diff(next, later)).reduce(after, printed)
        expect(contentsAfter(later, updated)).toEqual(contents(loaded(later)))
      }),
      { numRuns: fewRuns(160) },
    )
    expect(drawn.get('otherMode') ?? 0).toBeGreaterThan(3)
  })

  it('has the expected order of rules in shared chains after an update from a dump', () => {
    fc.assert(
      fc.property(swappedNodes, ({ result, node, swapped }) => {
        const recovered = toCommands(reconcile(dumpOfNode(swapped), result)).reduce(after, swapped)
        expect(contents(recovered)).toEqual(contents(node))
      }),
      { numRuns: runs(40) },
    )
  })

  it('serves each unchanged Service after each command of an update', () => {
    let traced = 0
    fc.assert(
      fc.property(updatesBesideUnchanged, fc.boolean(), ({ before, next, packets }, hasDump) => {
        const start = loaded(before)
        const patch = hasDump ? reconcile(dumpOfNode(start), next) : diff(before, next)
        let node = start
        for (const command of toCommands(patch)) {
          node = after(node, command)
          const state = dumpOfNode(node)[node.family]
          for (const { packet, expected } of packets) {
            traced++
            expect(pathsText(trace(state, packet, traceContextFor(planOf(next)))), command.purpose).toEqual(expected)
          }
        }
      }),
      { numRuns: fewRuns(120) },
    )
    expect(traced).toBeGreaterThanOrEqual(fewRuns(120))
  })

  it('after an update without a dump has the compiled chains, sets, servers and addresses', () => {
    fc.assert(
      fc.property(brokenNodes, ({ node, next }) => {
        const recovered = contents(toCommands(reconcile(undefined, next)).reduce(after, node))
        const expected = contents(loaded(next))
        expect(recovered.nft).toEqual(expected.nft)
        expect(recovered.chains).toEqual(
          expect.arrayContaining(expected.chains.filter((line) => /^\w+ KUBE-/.test(line))),
        )
        if (next.mode !== 'ipvs') return
        expect(recovered.servers).toEqual(expected.servers)
        expect(recovered.addresses).toEqual(expected.addresses)
        expect(recovered.sets).toEqual(expected.sets)
      }),
      { numRuns: fewRuns(120) },
    )
  })

  it('has the expected sets, servers and addresses after several updates were interrupted', () => {
    const kept = { withDump: 0, withoutDump: 0, untilDump: 0 }
    fc.assert(
      fc.property(
        fc.oneof(resultsOf(5), resultsOf(5, 'ipvs')),
        fc.boolean(),
        fc.nat(1000),
        fc.nat(1000),
        (results, hasDump, at, atNext) => {
          const [first, second, third, fourth, last] = results as readonly [
            CompileResult,
            CompileResult,
            CompileResult,
            CompileResult,
            CompileResult,
          ]
          const start = loaded(third)
          const node = trackNode(hasDump ? dumpOfNode(start) : undefined)
          const commandsTo = (result: CompileResult) => toCommands(node.updateTo(result).patch)
          const successful = hasDump ? [] : [first, second]
          let held = successful.reduce((before, result) => commandsTo(result).reduce(after, before), start)
          held = cut(held, commandsTo(third), at)
          node.markFailed()
          held = cut(held, commandsTo(fourth), atNext)
          node.markFailed()
          const { patch, mayHaveLeftovers } = node.updateTo(last)
          const commands = toCommands(patch)
          const recovered = commands.reduce(after, held)
          if (last.mode === 'ipvs' || !mayHaveLeftovers) {
            expect(contents(recovered)).toMatchObject(ipvsContents(last))
          } else {
            // Servers that the tracker does not know may remain, together with the sets, which identify the servers as
            // kube-proxy's in a dump.
            node.resync(dumpOfNode(recovered))
            expect(contentsAfter(last, commandsTo(last).reduce(after, recovered))).toEqual(contents(loaded(last)))
            kept.untilDump++
          }
          const hadServers = hasDump ? dumpOfNode(start)[start.family].ipvs !== undefined : first.mode === 'ipvs'
          if (!hadServers || last.mode !== 'ipvs') return
          // The commands must not delete a server and add it again, because this ends its connections.
          const expected = new Set(serversOf(loaded(last)))
          expect(commands.flatMap(deletedServers).filter((server) => expected.has(server))).toEqual([])
          kept[hasDump ? 'withDump' : 'withoutDump']++
        },
      ),
      { numRuns: fewRuns(160) },
    )
    if (!isWhole) return
    expect(kept.withDump).toBeGreaterThan(0)
    expect(kept.withoutDump).toBeGreaterThan(0)
    expect(kept.untilDump).toBeGreaterThan(0)
  })

  it('has no rules of a family that is no longer compiled, even if an update has failed', () => {
    const modes = new Map<string, number>()
    fc.assert(
      fc.property(cases, cases, fc.boolean(), ({ cluster, options }, other, hasDump) => {
        const both = compile(cluster, { ...options, families: ['IPv4', 'IPv6'] })
        const [, lost] = both.families
        // Old versions have one family only.
        if (lost === undefined) return
        modes.set(both.mode, (modes.get(both.mode) ?? 0) + 1)
        const tracked = trackNode()
        tracked.updateTo(both)
        tracked.markFailed()
        const held = loaded({ ...both, families: [lost] })
        if (hasDump) tracked.resync(dumpOfNode(held))
        const next = compile(other.cluster, { ...other.options, families: ['IPv4'] })
        const { families } = tracked.updateTo(next).patch
        const own = families.filter(({ family }) => family === 'IPv6')
        const { chains, ...others } = contents(toCommands({ families: own }).reduce(after, held))
        expect(chains.filter((line) => / KUBE-/.test(line))).toEqual([])
        expect(others).toMatchObject({ sets: [], servers: [], nft: {} })
      }),
      { numRuns: fewRuns(120) },
    )
    if (isWhole) expect(modes.size).toBeGreaterThan(2)
  })

  it('has the expected servers and addresses of both families after an update was interrupted', () => {
    const both = fc
      .record({ cluster: cases, isExcluded: fc.boolean() })
      .map(({ cluster: { cluster, options }, isExcluded }) => {
        const ipvs = { ...cluster.configuration.ipvs, excludeCIDRs: isExcluded ? ['fd00:ffff::/64'] : [] }
        const configuration = { ...cluster.configuration, ipvs }
        return compile({ ...cluster, configuration }, { ...options, mode: 'ipvs', families: ['IPv4', 'IPv6'] })
      })
      // Old versions have one family only.
      .filter(({ families }) => families.length === 2)
    const sharedAfter = (node: HeldNode, patch: ResultPatch, count = Number.POSITIVE_INFINITY) =>
      toCommands(patch)
        .filter(({ tool }) => tool === 'ipvsadm' || tool === 'ip')
        .slice(0, count)
        .reduce((held, command) => afterRun(held, command, () => {}), node)
    fc.assert(
      fc.property(fc.tuple(both, both, both), fc.nat(8), ([before, interrupted, next], at) => {
        const expected = sharedAfter(EMPTY_NODE, diff(undefined, next))
        const loadedBefore = sharedAfter(EMPTY_NODE, diff(undefined, before))
        expect(sharedAfter(loadedBefore, reconcile(undefined, before))).toEqual(loadedBefore)
        const node = trackNode()
        node.updateTo(before)
        node.updateTo(before)
        const held = sharedAfter(loadedBefore, node.updateTo(interrupted).patch, at)
        node.markFailed()
        expect(linesOf(sharedAfter(held, node.updateTo(next).patch))).toEqual(linesOf(expected))
      }),
      { numRuns: runs(40) },
    )
  })
})
