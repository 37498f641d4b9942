import type { HostFacts, Node } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../src/compilation/compile.js'
import type { CompileOptions, CompileResult } from '../../../src/compilation/compile-result.js'
import { service } from '../../support/objects.js'

const NODE: Node = {
  metadata: { name: 'node-1' },
  spec: { podCIDRs: ['10.244.1.0/24'] },
  status: { addresses: [{ type: 'InternalIP', address: '192.0.2.10' }] },
}
const NO_ADDRESS: Node = { ...NODE, status: { addresses: [{ type: 'Hostname', address: 'node-1' }] } }

interface Given extends Pick<CompileOptions, 'mode' | 'kubernetesVersion' | 'families'> {
  readonly node?: Node | undefined
  readonly host?: HostFacts
  readonly nodePortAddresses?: readonly string[]
  readonly detectLocalMode?: string
  readonly bindAddress?: string
}

function resultOf({
  node,
  host,
  mode = 'iptables',
  kubernetesVersion = '1.36',
  families,
  ...fields
}: Given): CompileResult {
  const input = { services: [service()], nodes: node ? [node] : [], host, configuration: { mode, ...fields } }
  return compile(input, { nodeName: 'node-1', kubernetesVersion, ...(families && { families }) })
}

function messages({ diagnostics }: CompileResult, code: string): readonly string[] {
  return diagnostics
    .filter((each) => each.code === code)
    .map(({ severity, object, path, message }) => `${severity} ${object.kind} ${object.name} ${path}: ${message}`)
}

describe('compile with the Node of the start of kube-proxy', () => {
  it('uses these addresses and pod networks, and reports other ones of the current Node', () => {
    const host = { nodeAddresses: ['192.0.2.9', 'fd00::9'], podCIDRs: ['10.244.9.0/24'] }
    const given = { node: NODE, host, nodePortAddresses: ['primary'], detectLocalMode: 'NodeCIDR' }
    const result = resultOf(given)
    expect(result.families.map(({ plan }) => [plan.node.ip, plan.nodePorts.addresses])).toEqual([
      ['192.0.2.9', ['192.0.2.9']],
      ['fd00::9', ['fd00::9']],
    ])
    expect(result.families[0]?.plan.node.localTrafficDetection).toMatchObject({ cidr: { text: '10.244.9.0/24' } })
    expect(messages(result, 'nodeChanged')).toEqual([
      'warning Node node-1 status.addresses: the Node now has the addresses 192.0.2.10, and the rules keep those of the start of kube-proxy: 192.0.2.9, fd00::9',
      'warning Node node-1 spec.podCIDRs: the Node now has the pod networks 10.244.1.0/24, and the rules keep those of the start of kube-proxy: 10.244.9.0/24',
    ])
  })

  it('reports nothing if the Node has the same addresses, or does not exist', () => {
    const host = { nodeAddresses: ['192.0.2.10'], podCIDRs: ['10.244.1.0/24'] }
    expect(messages(resultOf({ node: NODE, host }), 'nodeChanged')).toEqual([])
    const result = resultOf({ host, mode: 'nftables' })
    expect(messages(result, 'nodeChanged')).toEqual([])
    expect(result.families[0]?.plan.nodePorts.addresses).toEqual(['192.0.2.10'])
  })

  it('leaves out and reports invalid values', () => {
    const host = { nodeAddresses: ['192.0.2.9', '300.0.0.1', 7], podCIDRs: ['x', null] } as unknown as HostFacts
    const result = resultOf({ node: NODE, host, mode: 'nftables', detectLocalMode: 'NodeCIDR' })
    expect(result.families[0]?.plan.nodePorts.addresses).toEqual(['192.0.2.9'])
    const errors = result.diagnostics.filter(({ severity }) => severity === 'error')
    expect(errors.map(({ code, object, path }) => `${object.kind} ${path} ${code}`)).toEqual([
      'Host nodeAddresses[1] invalidAddress',
      'Host nodeAddresses[2] invalidType',
      'Host podCIDRs[0] invalidCidr',
      'Host podCIDRs[1] invalidType',
    ])
    const wrong = resultOf({ node: NODE, host: { nodeAddresses: '192.0.2.9' } as unknown as HostFacts })
    expect(wrong.diagnostics).toContainEqual(
      expect.objectContaining({ severity: 'error', code: 'invalidType', path: 'nodeAddresses' }),
    )
  })
})

describe('compile for a start without an address of the Node', () => {
  const EVERY =
    'warning Node node-1 status.addresses: no address of the node is known for "primary" in nodePortAddresses: node ports are served on every address of the node'

  it.each<readonly [string, Given, readonly string[]]>([
    ['in nftables mode', { mode: 'nftables' }, [EVERY]],
    ['in nftables mode with networks', { mode: 'nftables', nodePortAddresses: ['192.0.2.0/24'] }, []],
    ['in iptables mode', { mode: 'iptables' }, []],
    ['in iptables mode with primary', { nodePortAddresses: ['primary'] }, [EVERY]],
    ['in ipvs mode with primary', { mode: 'ipvs', nodePortAddresses: ['primary'] }, [EVERY]],
    ['with a bindAddress', { mode: 'nftables', bindAddress: '192.0.2.7' }, []],
    [
      'in 1.37 with primary and localhost',
      { nodePortAddresses: ['primary', 'localhost'], kubernetesVersion: '1.37' },
      [EVERY.replace('node ports are served on every address of the node', 'it selects no address')],
    ],
  ])('serves node ports like kube-proxy and names the effect %s', (_, given, expected) => {
    const lost = resultOf({ ...given, node: NO_ADDRESS })
    expect(messages(lost, 'noNodeAddress')).toEqual(expected)
    if (expected[0] === EVERY) expect(lost.families.map(({ plan }) => plan.nodePorts.all)).toEqual([true, true])
    expect(messages(resultOf({ ...given, node: NODE }), 'noNodeAddress')).toEqual([])
    expect(
      messages(resultOf({ ...given, node: NO_ADDRESS, host: { nodeAddresses: ['fd00::1'] } }), 'noNodeAddress'),
    ).toEqual([])
  })

  it('reports that no packets are served if the node had no address at the start, or if no Node exists', () => {
    expect(messages(resultOf({ mode: 'nftables', node: NODE, host: { nodeAddresses: [] } }), 'noNodeAddress')).toEqual([
      EVERY,
    ])
    expect(messages(resultOf({ mode: 'nftables' }), 'noNodeAddress')).toEqual([EVERY])
    expect(messages(resultOf({ mode: 'nftables', node: NODE, families: ['IPv6'] }), 'noNodeAddress')).toEqual([EVERY])
  })
})
