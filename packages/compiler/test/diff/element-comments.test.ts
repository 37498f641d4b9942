import type { Node } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { toCommands } from '../../src/commands/to-commands.js'
import { compile } from '../../src/compilation/compile.js'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import { applyPatch, assembleStates, diff, invertPatch, type NodeResources, toResources } from '../../src/diff/diff.js'
import { print } from '../../src/print/print.js'
import { at, service, slice } from '../support/objects.js'

/** Compiles a Service without endpoints, whose port has this name. */
function rejecting(portName: string, version: string, zone = 'a', endpoints: readonly string[] = []): CompileResult {
  const node: Node = { metadata: { name: 'node-1', labels: { 'topology.kubernetes.io/zone': zone } } }
  const ports = [{ name: portName, port: 80 }]
  const endpointSlices = [slice(at(...endpoints), { ports: [{ name: portName, port: 8080 }] })]
  const configuration = version < '1.31' ? { featureGates: { NFTablesProxyMode: true } } : {}
  return compile(
    { services: [service({ ports })], endpointSlices, nodes: [node], configuration },
    { mode: 'nftables', kubernetesVersion: version, families: ['IPv4'] },
  )
}

function heldOf({ families }: CompileResult): NodeResources {
  return toResources(families.map(({ state }) => state))
}

/** Returns the comment of the element that rejects packets. */
function commentIn(held: NodeResources): string | undefined {
  const text = assembleStates(held)
    .map((state) => print(state))
    .join('')
  return /no-endpoint-services \{ [\d.]+ \. tcp \. 80 comment "([^"]*)"/.exec(text)?.[1]
}

const changedIds = (before: CompileResult, after: CompileResult) =>
  diff(before, after).families.flatMap(({ patch }) => patch.changes.map((change) => change.kind))

describe('diff of elements with other comments', () => {
  it.each(['1.32', '1.33', '1.36', '1.37'])(
    'changes nothing in %s, and the node keeps the former comment',
    (version) => {
      const [before, after] = [rejecting('http', version), rejecting('web', version)]
      expect(diff(before, after).families).toEqual([])
      const held = applyPatch(heldOf(before), diff(before, after))
      expect(commentIn(held)).toBe('ns1/web:http')
      expect(commentIn(heldOf(after))).toBe('ns1/web:web')
    },
  )

  it.each(['1.29', '1.30', '1.31'])('updates the element in %s', (version) => {
    const [before, after] = [rejecting('http', version), rejecting('web', version)]
    expect(changedIds(before, after)).toEqual(['update'])
    expect(commentIn(applyPatch(heldOf(before), diff(before, after)))).toBe('ns1/web:web')
    const [family] = diff(before, after).families
    const commands = toCommands({ families: family === undefined ? [] : [family] })
    expect(commands.map(({ input }) => input).join('')).toContain('comment "ns1/web:web"')
  })

  it('returns patches that apply to a node with a former comment, and so do their inverses', () => {
    const [first, second, third] = ['http', 'web', 'new'].map((name) => rejecting(name, '1.36')) as [
      CompileResult,
      CompileResult,
      CompileResult,
    ]
    const served = rejecting('new', '1.36', 'a', ['10.244.1.1'])
    const held = [diff(first, second), diff(second, third)].reduce(applyPatch, heldOf(first))
    expect(commentIn(held)).toBe('ns1/web:http')
    const after = applyPatch(held, diff(third, served))
    expect(commentIn(after)).toBeUndefined()
    expect(commentIn(applyPatch(after, invertPatch(diff(third, served))))).toBe('ns1/web:new')
    expect(commentIn(applyPatch(after, diff(served, second)))).toBe('ns1/web:web')
  })

  it('has equal digests before and after', () => {
    const [before, after] = [rejecting('http', '1.36'), rejecting('web', '1.36')]
    const [first, second] = [before, after].map((result) => diff(undefined, result).families[0]?.patch.to)
    expect(first).toBe(second)
  })

  it.each([
    ['1.32', ['update'], 'ns1/web:web'],
    ['1.33', [], 'ns1/web:http'],
    ['1.36', [], 'ns1/web:http'],
  ])('in %s, after a change of the zone of the node: %j', (version, kinds, comment) => {
    const results = [rejecting('http', version), rejecting('web', version), rejecting('web', version, 'b')] as const
    const [first, second, moved] = results
    expect(changedIds(second, moved)).toEqual(kinds)
    const held = [diff(first, second), diff(second, moved)].reduce(applyPatch, heldOf(first))
    expect(commentIn(held)).toBe(comment)
  })
})
