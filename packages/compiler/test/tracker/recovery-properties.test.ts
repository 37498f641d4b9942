import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalState } from '../../../analyzer/src/dataplane/iptables/canonical-state.js'
import { toCommands } from '../../src/commands/to-commands.js'
import { compile } from '../../src/compilation/compile.js'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import type { ToolCommand } from '../../src/dataplane/netfilter/tool-command.js'
import type { Table } from '../../src/dataplane/nftables/ast.js'
import type { Dump } from '../../src/dataplane/node-state.js'
import { diff } from '../../src/diff/diff.js'
import { print } from '../../src/print/print.js'
import { reconcile } from '../../src/reconcile/reconcile.js'
import { type Case, cases } from '../support/clusters.js'
import { afterRun, type HeldNode, linesOf, nodeWith } from '../support/held-node.js'
import { afterNft, textsOfTables } from '../support/nft-interpreter.js'
import { dumpOf } from '../support/node-dump.js'
import { readDump } from '../support/read-dump.js'
import { runs } from '../support/runs.js'

/** A node of one family, with its tables of nftables. */
interface WholeNode {
  readonly held: HeldNode
  readonly nft: readonly Table[]
}

function loaded(result: CompileResult): WholeNode {
  const state = result.families[0]?.state
  const text = state?.nftables === undefined ? '' : print(state, { subsystem: 'nftables' })
  return { held: nodeWith(state), nft: text === '' ? [] : afterNft([], text) }
}

function after({ held, nft }: WholeNode, command: ToolCommand): WholeNode {
  if (command.tool === 'conntrack') return { held, nft }
  if (command.tool === 'nft') return { held, nft: afterNft(nft, command.input) }
  return { held: afterRun(held, command, () => {}), nft }
}

function dumpOfNode({ held, nft }: WholeNode): Dump {
  const dump = readDump(dumpOf(held, 'IPv4'))
  return nft.length === 0 ? dump : { ...dump, IPv4: { ...dump.IPv4, nftables: { tables: nft } } }
}

/** All that it holds, to compare, in normal form: without built-in chains in which nothing is, and without what the kubelet has, too. */
function contents(node: WholeNode) {
  const { iptables } = dumpOfNode(node).IPv4
  const held = {
    ...node.held,
    tables: nodeWith({ family: 'IPv4', iptables: iptables && canonicalState(iptables) }).tables,
  }
  const { tables, ...others } = linesOf(held)
  const chains = Object.entries(tables).flatMap(([table, own]) =>
    Object.entries(own)
      .map(([chain, rules]) => [chain, rules.filter((rule) => rule !== '-j KUBE-FIREWALL')] as const)
      .filter(([chain, rules]) => chain !== 'KUBE-FIREWALL' && (rules.length > 0 || chain.startsWith('KUBE-')))
      .map(([chain, rules]) => `${table} ${chain}: ${rules.join(' | ')}`),
  )
  return { ...others, chains: chains.sort(), nft: textsOfTables(node.nft) }
}

const results = cases.map(({ cluster, options }: Case) => compile(cluster, { ...options, families: ['IPv4'] }))

/** A node in the middle of the way from one result to another. */
const cutNodes = fc.tuple(results, results, fc.nat(1000)).map(([before, next, cut]) => {
  const commands = toCommands(diff(before, next)).filter(({ tool }) => tool !== 'conntrack')
  const node = commands.slice(0, cut % (commands.length + 1)).reduce(after, loaded(before))
  return { node, modes: [before.mode, next.mode] }
})

describe('a node in any state', () => {
  it('has exactly the compiled state after an update from a dump, and after the next one', () => {
    const drawn = new Map<string, number>()
    fc.assert(
      fc.property(cutNodes, results, results, ({ node, modes }, next, later) => {
        drawn.set(next.mode, (drawn.get(next.mode) ?? 0) + 1)
        if (modes.some((mode) => mode !== next.mode)) drawn.set('otherMode', (drawn.get('otherMode') ?? 0) + 1)
        const recovered = toCommands(reconcile(dumpOfNode(node), next)).reduce(after, node)
        expect(contents(recovered)).toEqual(contents(loaded(next)))
        const updated = toCommands(diff(next, later)).reduce(after, recovered)
        expect(contents(updated)).toEqual(contents(loaded(later)))
      }),
      { numRuns: runs(60) },
    )
    expect(drawn.get('otherMode') ?? 0).toBeGreaterThan(3)
  })

  it('serves the compiled state after an update from an unknown state', () => {
    fc.assert(
      fc.property(cutNodes, results, ({ node }, next) => {
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
      { numRuns: runs(60) },
    )
  })
})
