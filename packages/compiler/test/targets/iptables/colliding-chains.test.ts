import { describe, expect, it, vi } from 'vitest'
import { toCommands } from '../../../src/commands/to-commands.js'
import { compile } from '../../../src/compilation/compile.js'
import type { CompileResult } from '../../../src/compilation/compile-result.js'
import { diff } from '../../../src/diff/diff.js'
import { print } from '../../../src/print/print.js'
import { createTracker } from '../../../src/tracker/tracker.js'
import { COLLIDING_CLUSTERS, COLLIDING_OPTIONS } from '../../support/colliding-clusters.js'
import { EMPTY_TABLES, type HeldTables, restore } from '../../support/restore-interpreter.js'

vi.mock('../../../src/internal/hash.js', async (importOriginal) => {
  const { withCollidingHashes } = await import('../../support/colliding-hashes.js')
  return withCollidingHashes(await importOriginal<typeof import('../../../src/internal/hash.js')>())
})

type Name = keyof typeof COLLIDING_CLUSTERS

const NAMES = Object.keys(COLLIDING_CLUSTERS) as readonly Name[]
const VERSIONS = ['1.20', '1.24', '1.34'] as const

function compiled(name: Name, kubernetesVersion: string, previous?: CompileResult): CompileResult {
  return compile(COLLIDING_CLUSTERS[name], { ...COLLIDING_OPTIONS, kubernetesVersion, previous })
}

function applied(tables: HeldTables, before: CompileResult | undefined, after: CompileResult): HeldTables {
  return toCommands(diff(before, after)).reduce((held, { tool, input }) => {
    expect(tool).toBe('iptables-restore')
    return restore(held, input)
  }, tables)
}

/** Returns the chains of the nat table with the texts of their rules, sorted by name. */
function natChains(tables: HeldTables): readonly unknown[] {
  return Array.from(tables.get('nat') ?? [], ([chain, rules]) => [chain, rules.map(({ spec }) => spec)]).sort()
}

function textOf({ families }: CompileResult): string {
  return families.map(({ state }) => print(state)).join('')
}

describe.each(VERSIONS)('two service ports with colliding chain names in %s', (version) => {
  it.each(NAMES.flatMap((from) => NAMES.map((to) => [from, to] as const)))(
    'are updated from %s to %s without a rejected command',
    (from, to) => {
      const before = compiled(from, version)
      const after = compiled(to, version, before)
      const updated = applied(applied(EMPTY_TABLES, undefined, before), before, after)
      expect(natChains(updated)).toEqual(natChains(applied(EMPTY_TABLES, undefined, after)))
      expect(textOf(after)).toBe(textOf(compiled(to, version)))
    },
  )

  it('share the chain, which contains the rules of both in their order', () => {
    const text = textOf(compiled('both', version))
    const balancing = text.split('\n').filter((line) => /^-A KUBE-SVC-\S+ .*-j KUBE-SEP-/.test(line))
    const chains = balancing.filter((line) => /evil/.test(line)).map((line) => line.split(' ')[1])
    expect(new Set(chains).size).toBe(1)
    expect(text.split('\n').filter((line) => line.startsWith(`:${chains[0]} `))).toHaveLength(1)
  })

  it('have a diagnostic for the second one', () => {
    const found = (name: Name) => compiled(name, version).diagnostics.filter(({ code }) => code === 'structure')
    expect(found('both')).toEqual([
      {
        severity: 'warning',
        code: 'structure',
        object: { kind: 'Service', namespace: 't', name: 'evil2' },
        path: 'metadata.name',
        message: expect.stringMatching(
          /^the hash of t\/evil2:p\/TCP is that of t\/evil1:p\/TCP, so both use KUBE-[A-Z]+-\S+, .*and packets to either may reach the endpoints of the other$/,
        ),
      },
    ])
    for (const name of ['none', 'first', 'second'] as const) expect(found(name)).toEqual([])
  })

  it('are counted as the printed text', () => {
    const text = textOf(compiled('both', version))
    const [family] = compiled('both', version).families
    expect(family?.counts.chains).toBe(text.match(/^:KUBE-/gm)?.length)
  })
})

describe('the tracker', () => {
  it('updates a node through every change without a rejected command', () => {
    const { configuration, host } = COLLIDING_CLUSTERS.none
    const tracker = createTracker({ ...COLLIDING_OPTIONS, kubernetesVersion: '1.34', configuration, host })
    const relist = (name: Name) => {
      const { nodes, services, endpointSlices } = COLLIDING_CLUSTERS[name]
      tracker.replace('Node', nodes)
      tracker.replace('Service', services)
      tracker.replace('EndpointSlice', endpointSlices)
      const commands = toCommands(tracker.sync().patch)
      tracker.markApplied()
      return commands
    }
    // The first update starts from an unknown node, and also removes the rules of other modes.
    relist('none')
    let tables = applied(EMPTY_TABLES, undefined, compiled('none', '1.34'))
    for (const name of [...NAMES, ...[...NAMES].reverse()]) {
      for (const { tool, input } of relist(name)) {
        expect(tool).toBe('iptables-restore')
        tables = restore(tables, input)
      }
      expect(natChains(tables)).toEqual(natChains(applied(EMPTY_TABLES, undefined, compiled(name, '1.34'))))
    }
  })
})
