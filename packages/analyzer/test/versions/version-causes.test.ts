import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile, safeCompile } from '../../../compiler/src/compilation/compile.js'
import type { CompileInput, CompileOptions } from '../../../compiler/src/compilation/compile-result.js'
import { versionsOf } from '../../../compiler/src/model/configuration/versions.js'
import { print } from '../../../compiler/src/print/print.js'
import { cases, optionsOfMode, understoodCluster } from '../../../compiler/test/support/clusters.js'
import { isWhole, runs } from '../../../compiler/test/support/runs.js'
import { compare } from '../../src/compare/compare.js'
import type { VersionCause } from '../../src/compare/comparison.js'
import { traceContextFor } from '../../src/trace/trace-context.js'
import { createVersionExplainer } from '../../src/versions/version-causes.js'

const service = (spec: object): CompileInput => ({
  services: [
    {
      metadata: { namespace: 'shop', name: 'web' },
      spec: { clusterIP: '10.96.0.10', ports: [{ name: 'http', port: 80, nodePort: 30080 }], ...spec },
      status: { loadBalancer: { ingress: [{ ip: '203.0.113.1', ipMode: 'Proxy' }] } },
    },
  ],
  endpointSlices: [
    {
      metadata: { namespace: 'shop', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 8080 }],
      endpoints: [{ addresses: ['10.244.2.7'], nodeName: 'node-2' }],
    },
  ],
  nodes: [{ metadata: { name: 'node-1' }, status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] } }],
  configuration: { clusterCIDR: '10.244.0.0/16' },
})

const packet = (destination: string, destinationPort: number, origin: 'pod' | 'node' | 'outside' = 'outside') => ({
  protocol: 'TCP' as const,
  source: origin === 'pod' ? '10.244.1.9' : origin === 'node' ? '192.168.0.2' : '198.51.100.9',
  sourcePort: 40000,
  destination,
  destinationPort,
  origin,
})

describe('createVersionExplainer', () => {
  it('finds the feature that changed the outcome at a load-balancer IP', () => {
    const causesOf = createVersionExplainer(service({ type: 'LoadBalancer' }), { mode: 'iptables' }, ['1.28', '1.31'])
    expect(causesOf(packet('203.0.113.1', 80))).toEqual([
      {
        version: '1.30',
        feature: 'loadBalancerIPMode',
        summary: 'load-balancer IPs with ipMode Proxy are not served by the node',
        change: 'KEP-1860',
      },
    ])
    expect(causesOf(packet('10.96.0.10', 80))).toEqual([])
  })

  it('finds the same causes if the newer version comes first', () => {
    const input = service({ type: 'LoadBalancer' })
    const [up, down] = [['1.28', '1.31'] as const, ['1.31', '1.28'] as const].map((versions) =>
      createVersionExplainer(input, { mode: 'iptables' }, versions)(packet('203.0.113.1', 80)),
    )
    expect(down).toEqual(up)
  })

  it('finds several causes in the order of versions', () => {
    const input = service({ type: 'LoadBalancer', externalTrafficPolicy: 'Local' })
    const causesOf = createVersionExplainer(input, { mode: 'iptables' }, ['1.23', '1.31'])
    expect(causesOf(packet('203.0.113.1', 80)).map(({ version, feature }) => `${version} ${feature}`)).toEqual([
      '1.25 dropsInFilter',
      '1.30 loadBalancerIPMode',
    ])
  })

  it('names the configuration if the older version ignores a field of the configuration', () => {
    const input = {
      ...service({}),
      configuration: { clusterCIDR: '10.244.0.0/16', iptables: { localhostNodePorts: false } },
    }
    const causesOf = createVersionExplainer(input, { mode: 'iptables' }, ['1.25', '1.26'])
    const causes = causesOf({ ...packet('127.0.0.1', 30080, 'node'), source: '127.0.0.1' })
    expect(causes.map(({ version, feature }) => `${version} ${feature}`)).toContain('1.26 configuration')
  })

  it('finds no cause if both versions are equal', () => {
    const causesOf = createVersionExplainer(service({}), { mode: 'ipvs' }, ['1.30', '1.30'])
    expect(causesOf(packet('10.96.0.10', 80))).toEqual([])
  })
})

interface Update {
  readonly input: CompileInput
  readonly options: CompileOptions
  readonly versions: readonly [string, string]
}

/** Reports whether both versions accept the input, and have different rules for it. */
function changeRules({ input, options, versions }: Update): boolean {
  const [a, b] = versions.map((kubernetesVersion) => {
    const compiled = safeCompile(input, { ...options, kubernetesVersion })
    return compiled.ok ? compiled.value.families.map(({ state }) => print(state)).join('\n') : undefined
  })
  return a !== undefined && b !== undefined && a !== b
}

/** Returns the causes of each difference between two versions. */
function causesOfDifferences(
  input: CompileInput,
  options: CompileOptions,
  [a, b]: readonly [string, string],
): readonly (readonly VersionCause[])[] {
  const [before, after] = [a, b].map((kubernetesVersion) => compile(input, { ...options, kubernetesVersion }).families)
  const causesOf = createVersionExplainer(input, options, [a, b])
  return (before ?? []).flatMap(({ family, state, plan }) => {
    const other = after?.find((each) => each.family === family)
    if (other === undefined) return []
    return compare(state, other.state, traceContextFor(plan)).differences.map((each) => causesOf(each.packet))
  })
}

describe.each(['iptables', 'ipvs', 'nftables'] as const)(
  'the explanation of version differences in %s mode',
  (mode) => {
    it('names a documented cause for every difference between two versions', () => {
      const names = new Set<string>()
      let differences = 0
      const version = fc.constantFrom(...versionsOf(mode))
      const updates = fc
        .record({ given: cases, versions: fc.tuple(version, version) })
        .map(({ given, versions }) => {
          const options = { ...optionsOfMode(given.options, mode), kubernetesVersion: versions[0] }
          return { input: understoodCluster(given.cluster, options), options, versions }
        })
        .filter(changeRules)
      fc.assert(
        fc.property(updates, ({ input, options, versions: [a, b] }) => {
          for (const causes of causesOfDifferences(input, options, [a, b])) {
            differences++
            expect(causes.length, `${a} ${b}`).toBeGreaterThan(0)
            for (const { feature, summary } of causes) {
              names.add(feature)
              expect(summary, feature).toBeDefined()
            }
          }
        }),
        { numRuns: runs(100, 20) },
      )
      if (isWhole) expect([differences > 20, names.size > 3]).toEqual([true, true])
      else expect(differences).toBeGreaterThan(0)
    })
  },
)
