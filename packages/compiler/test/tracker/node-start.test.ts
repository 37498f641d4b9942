import type { HostFacts, KubeProxyConfiguration, Node } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../src/compilation/compile.js'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import { isEmptyPatch } from '../../src/diff/diff.js'
import { createTracker } from '../../src/tracker/tracker.js'
import type { TrackedObject, Tracker, TrackerUpdate } from '../../src/tracker/tracker-types.js'
import { at, service, slice } from '../support/objects.js'
import { printFamily } from '../support/print-family.js'
import { runs } from '../support/runs.js'

const NODE_PORT = service({ type: 'NodePort', ports: [{ name: 'http', port: 80, nodePort: 30_080 }] })
const OBJECTS = { services: [NODE_PORT], endpointSlices: [slice(at('10.244.1.1'))] }

function node(addresses: readonly string[], podCIDRs: readonly string[] = [], version = 'v1.36.2'): Node {
  return {
    metadata: { name: 'node-1' },
    spec: { podCIDRs },
    status: {
      addresses: addresses.map((address) => ({ type: 'InternalIP', address })),
      nodeInfo: { kubeletVersion: version },
    },
  } as Node
}

/** The addresses of the machine, which has more than the Node lists. */
const HOST: HostFacts = {
  interfaces: [{ name: 'eth0', addresses: ['192.0.2.10/24', '192.0.2.11/24', '198.51.100.1/24'] }],
}

const PRIMARY: KubeProxyConfiguration = { mode: 'iptables', nodePortAddresses: ['primary'] }
const NFTABLES: KubeProxyConfiguration = { mode: 'nftables' }
const NODE_CIDR: KubeProxyConfiguration = { detectLocalMode: 'NodeCIDR' }

function started(configuration: KubeProxyConfiguration, first: Node): Tracker {
  const tracker = createTracker({ nodeName: 'node-1', families: ['IPv4'], configuration, host: HOST })
  tracker.replace('Service', OBJECTS.services)
  tracker.replace('EndpointSlice', OBJECTS.endpointSlices)
  tracker.upsert(first, 'Node')
  sync(tracker)
  return tracker
}

function sync(tracker: Tracker): TrackerUpdate {
  const update = tracker.sync()
  tracker.markApplied()
  return update
}

/** Returns the addresses that serve node ports. */
function served({ families }: CompileResult): readonly string[] | 'all' | undefined {
  const nodePorts = families[0]?.plan.nodePorts
  return nodePorts?.all ? 'all' : nodePorts?.addresses
}

function podNetwork({ families }: CompileResult): string | undefined {
  const detection = families[0]?.plan.node.localTrafficDetection
  return detection?.kind === 'cidr' ? detection.cidr.text : undefined
}

function codes({ diagnostics }: Pick<CompileResult, 'diagnostics'>): readonly string[] {
  return diagnostics.map(({ code, path }) => `${code} ${path ?? ''}`.trim())
}

describe('a tracker of kube-proxy 1.36', () => {
  describe.each([
    ['nftables mode', NFTABLES],
    ['iptables mode with nodePortAddresses primary', PRIMARY],
  ])('in %s', (_, configuration) => {
    it.each([
      ['another address', node(['192.0.2.11'])],
      ['an address before the old one', node(['192.0.2.11', '192.0.2.10'])],
      ['no address', node([])],
      ['no status', { ...node([]), status: {} } as Node],
    ])('keeps the rules if the Node gets %s, and reports it', (_, changed) => {
      const tracker = started(configuration, node(['192.0.2.10']))
      tracker.upsert(changed, 'Node')
      const { patch, result, newDiagnostics } = sync(tracker)
      expect(isEmptyPatch(patch)).toBe(true)
      expect(served(result)).toEqual(['192.0.2.10'])
      expect(result.kubernetesVersion).toBe('1.36')
      expect(codes({ diagnostics: newDiagnostics })).toEqual(['nodeChanged status.addresses'])
    })

    it('keeps the rules if the Node is deleted and created again', () => {
      const tracker = started(configuration, node(['192.0.2.10']))
      tracker.delete(node([]), 'Node')
      const gone = sync(tracker)
      expect(isEmptyPatch(gone.patch)).toBe(true)
      expect(codes({ diagnostics: gone.newDiagnostics })).toEqual(['unknownNode'])
      tracker.upsert(node(['192.0.2.11']), 'Node')
      expect(isEmptyPatch(sync(tracker).patch)).toBe(true)
    })

    it.each([
      ['rereadNode is called', (tracker: Tracker) => tracker.rereadNode()],
      [
        'the configuration changes',
        (tracker: Tracker) =>
          void tracker.upsert({ kind: 'KubeProxyConfiguration', ...configuration } as TrackedObject),
      ],
      ['the version changes', (tracker: Tracker) => void tracker.upsert(node(['192.0.2.11'], [], 'v1.35.1'), 'Node')],
    ])('takes other addresses if %s', (_, restart) => {
      const tracker = started(configuration, node(['192.0.2.10']))
      tracker.upsert(node(['192.0.2.11']), 'Node')
      sync(tracker)
      restart(tracker)
      const { result } = sync(tracker)
      expect(served(result)).toEqual(['192.0.2.11'])
      expect(codes(result)).not.toContain('nodeChanged status.addresses')
    })

    it('waits for an address after rereadNode', () => {
      const tracker = started(configuration, node(['192.0.2.10']))
      tracker.upsert(node([]), 'Node')
      tracker.rereadNode()
      expect(served(sync(tracker).result)).toEqual(['192.0.2.10'])
      tracker.upsert(node(['192.0.2.11']), 'Node')
      expect(served(sync(tracker).result)).toEqual(['192.0.2.11'])
      tracker.upsert(node(['192.0.2.10']), 'Node')
      expect(served(sync(tracker).result)).toEqual(['192.0.2.11'])
    })

    it('takes the first addresses that the Node has', () => {
      const tracker = started(configuration, node([]))
      expect(served(sync(tracker).result)).toBe('all')
      tracker.upsert(node(['192.0.2.10']), 'Node')
      expect(served(sync(tracker).result)).toEqual(['192.0.2.10'])
      tracker.upsert(node(['192.0.2.11']), 'Node')
      expect(served(sync(tracker).result)).toEqual(['192.0.2.10'])
    })

    it('uses the addresses in the facts about the host instead', () => {
      const tracker = started(configuration, node(['192.0.2.10']))
      tracker.setHost({ ...HOST, nodeAddresses: ['192.0.2.11'] })
      expect(served(sync(tracker).result)).toEqual(['192.0.2.11'])
      tracker.setHost(HOST)
      expect(served(sync(tracker).result)).toEqual(['192.0.2.10'])
    })
  })

  it('forgets the addresses of a Node with another name', () => {
    const tracker = createTracker({ families: ['IPv4'], configuration: NFTABLES, host: HOST })
    tracker.replace('Node', [node(['192.0.2.10'])])
    expect(served(sync(tracker).result)).toEqual(['192.0.2.10'])
    tracker.replace('Node', [{ ...node([]), metadata: { name: 'node-2' } }])
    const { result } = sync(tracker)
    expect([served(result), codes(result)]).toEqual(['all', expect.arrayContaining(['noNodeAddress status.addresses'])])
  })

  it('keeps its start if an invalid configuration is corrected', () => {
    const tracker = started(NFTABLES, node(['192.0.2.10']))
    tracker.upsert(node(['192.0.2.11']), 'Node')
    tracker.upsert({ kind: 'KubeProxyConfiguration', mode: 'winkernel' } as TrackedObject)
    expect(() => tracker.sync()).toThrow('winkernel')
    tracker.replace('KubeProxyConfiguration', [])
    expect(served(sync(tracker).result)).toEqual(['192.0.2.10'])
  })

  it('reports a host that is not an object', () => {
    const tracker = started(NFTABLES, node(['192.0.2.10']))
    tracker.setHost('eth0' as never)
    expect(sync(tracker).result.diagnostics).toContainEqual(
      expect.objectContaining({ code: 'invalidType', object: { kind: 'Host', name: 'host' } }),
    )
  })
})

describe('a tracker of kube-proxy 1.37', () => {
  it('takes other addresses at once, and keeps those that the Node loses', () => {
    const tracker = started(NFTABLES, node(['192.0.2.10'], [], 'v1.37.0'))
    tracker.upsert(node(['192.0.2.11'], [], 'v1.37.0'), 'Node')
    expect(served(sync(tracker).result)).toEqual(['192.0.2.11'])
    tracker.upsert(node([], [], 'v1.37.0'), 'Node')
    expect(served(sync(tracker).result)).toEqual(['192.0.2.11'])
    tracker.delete(node([]), 'Node')
    expect(served(sync(tracker).result)).toEqual(['192.0.2.11'])
  })
})

describe('a tracker after the deletion of its Node', () => {
  const inZone = (version: string, zone?: string): Node => ({
    ...node(['192.0.2.10'], [], version),
    metadata: { name: 'node-1', labels: { ...(zone && { 'topology.kubernetes.io/zone': zone }) } },
  })
  const hinted = slice([
    { addresses: ['10.244.1.1'], hints: { forZones: [{ name: 'a' }] } },
    { addresses: ['10.244.2.1'], hints: { forZones: [{ name: 'b' }] } },
  ])
  const NEAR = ['10.244.1.1']
  const ALL = ['10.244.1.1', '10.244.2.1']

  function endpointsOf({ families }: CompileResult): readonly string[] {
    return families[0]?.plan.services[0]?.pools.cluster.map(({ ip }) => ip) ?? []
  }

  function startedInZone(version: string): Tracker {
    const tracker = started(NFTABLES, inZone(version, 'a'))
    tracker.replace('EndpointSlice', [hinted])
    expect(endpointsOf(sync(tracker).result)).toEqual(NEAR)
    return tracker
  }

  it.each([
    ['v1.34.0', ALL],
    ['v1.35.0', NEAR],
    ['v1.36.2', NEAR],
    ['v1.37.0', ALL],
  ])('sends packets in %s to the endpoints %j', (version, expected) => {
    const tracker = startedInZone(version)
    tracker.delete(node([]), 'Node')
    const { result, newDiagnostics } = sync(tracker)
    expect(endpointsOf(result)).toEqual(expected)
    expect(codes({ diagnostics: newDiagnostics })).toEqual(['unknownNode'])
    expect(endpointsOf(sync(tracker).result)).toEqual(expected)
  })

  it('forgets the zone if the Node loses it, or if kube-proxy starts again', () => {
    const relabeled = startedInZone('v1.36.2')
    relabeled.upsert(inZone('v1.36.2'), 'Node')
    expect(endpointsOf(sync(relabeled).result)).toEqual(ALL)
    relabeled.delete(node([]), 'Node')
    expect(endpointsOf(sync(relabeled).result)).toEqual(ALL)

    const restarted = startedInZone('v1.36.2')
    restarted.delete(node([]), 'Node')
    restarted.rereadNode()
    expect(endpointsOf(sync(restarted).result)).toEqual(ALL)
  })
})

describe('a tracker with detectLocalMode NodeCIDR', () => {
  it.each([
    ['v1.36.2', '10.244.2.0/24', '192.0.2.11'],
    ['v1.23.0', '10.244.2.0/24', '192.0.2.11'],
    ['v1.22.0', '10.244.1.0/24', '192.0.2.10'],
  ])('uses after a change of the pod network in %s the network %s', (version, network, address) => {
    const tracker = started(NODE_CIDR, node(['192.0.2.10'], ['10.244.1.0/24'], version))
    tracker.upsert(node(['192.0.2.11'], ['10.244.2.0/24'], version), 'Node')
    const { result } = sync(tracker)
    expect(podNetwork(result)).toBe(network)
    expect(codes(result).includes('nodeChanged spec.podCIDRs')).toBe(network === '10.244.1.0/24')
    tracker.upsert(node([address], [], version), 'Node')
    expect(podNetwork(sync(tracker).result)).toBe(network)
    tracker.delete(node([]), 'Node')
    expect(podNetwork(sync(tracker).result)).toBe(network)
  })

  it('takes the first network that the Node has', () => {
    const tracker = started(NODE_CIDR, node(['192.0.2.10']))
    tracker.upsert(node(['192.0.2.10'], ['10.244.1.0/24']), 'Node')
    expect(podNetwork(sync(tracker).result)).toBe('10.244.1.0/24')
  })
})

describe('a tracker after any changes of its Node', () => {
  const ADDRESSES = [
    [],
    ['192.0.2.10'],
    ['192.0.2.11'],
    ['192.0.2.11', 'fd00::1'],
    ['192.0.2.12', '192.0.2.10'],
  ] as const
  const NETWORKS = [[], ['10.244.1.0/24'], ['10.244.2.0/24', 'fd00:1::/64']] as const

  type Step =
    | { readonly kind: 'node'; readonly addresses: readonly string[]; readonly podCIDRs: readonly string[] }
    | { readonly kind: 'delete' | 'reread' | 'restart' }

  const steps: fc.Arbitrary<readonly Step[]> = fc.array(
    fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          kind: fc.constant('node' as const),
          addresses: fc.constantFrom<readonly string[]>(...ADDRESSES),
          podCIDRs: fc.constantFrom<readonly string[]>(...NETWORKS),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constantFrom('delete' as const, 'reread' as const, 'restart' as const) }),
      },
    ),
    { minLength: 1, maxLength: 12 },
  )

  const settings = fc.constantFrom(
    { version: '1.36', follows: false, configuration: NFTABLES },
    { version: '1.36', follows: false, configuration: PRIMARY },
    { version: '1.36', follows: false, configuration: NODE_CIDR },
    { version: '1.37', follows: true, configuration: NFTABLES },
    { version: '1.37', follows: true, configuration: { ...PRIMARY, ...NODE_CIDR } },
  )

  it('has the result of compile with the addresses and networks that kube-proxy keeps', () => {
    const seen = { kept: 0, lost: 0, taken: 0 }
    fc.assert(
      fc.property(steps, settings, (list, { version, follows, configuration }) => {
        const usesNetworks = configuration.detectLocalMode === 'NodeCIDR'
        const tracker = createTracker({ nodeName: 'node-1', kubernetesVersion: version })
        tracker.replace('Service', OBJECTS.services)
        tracker.replace('EndpointSlice', OBJECTS.endpointSlices)
        tracker.replace('KubeProxyConfiguration', [configuration])
        let addresses: readonly string[] = []
        let podCIDRs: readonly string[] = []
        let isStarting = true
        let current: Node | undefined
        for (const step of list) {
          if (step.kind === 'node') current = node(step.addresses, step.podCIDRs)
          if (step.kind === 'delete') current = undefined
          if (current !== undefined) tracker.upsert(current, 'Node')
          else tracker.delete(node([]), 'Node')
          if (step.kind === 'reread') tracker.rereadNode()
          if (step.kind === 'restart')
            tracker.upsert({ kind: 'KubeProxyConfiguration', ...configuration } as TrackedObject)
          if (step.kind === 'reread' || step.kind === 'restart') isStarting = true

          // kube-proxy takes the facts of a Node at its start, as soon as the Node has them.
          const now = (current?.status?.addresses ?? []).map(({ address }) => address)
          const networks = current?.spec?.podCIDRs ?? []
          const differs = (a = '', b = '') => a !== '' && b !== '' && a !== b
          if (follows && differs(addresses.join(), now.join())) isStarting = true
          if (usesNetworks && differs(podCIDRs.join(), networks.join())) isStarting = true
          const before = addresses.join()
          if (now.length > 0 && (isStarting || addresses.length === 0)) addresses = now
          if (networks.length > 0 && (isStarting || podCIDRs.length === 0)) podCIDRs = networks
          if (now.length > 0) isStarting = false
          if (now.length === 0 && addresses.length > 0) seen.lost++
          else if (now.join() !== addresses.join()) seen.kept++
          else if (before !== '' && before !== addresses.join()) seen.taken++

          const host: HostFacts = {
            ...(addresses.length > 0 && { nodeAddresses: addresses }),
            ...(usesNetworks && podCIDRs.length > 0 && { podCIDRs }),
          }
          const { result } = sync(tracker)
          const input = { ...OBJECTS, nodes: current ? [current] : [], configuration, host }
          const expected = compile(input, { nodeName: 'node-1', kubernetesVersion: version })
          expect(result).toEqual(expected)
          for (const family of ['IPv4', 'IPv6'] as const)
            expect(printFamily(result, { family })).toBe(printFamily(expected, { family }))
        }
      }),
      { numRuns: runs(150) },
    )
    expect(Object.values(seen).every((count) => count > 10)).toBe(true)
  })
})
