import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import { versionsOf } from '../../../compiler/src/model/configuration/versions.js'
import { print } from '../../../compiler/src/print/print.js'
import { cases, optionsOfMode, understoodCluster } from '../../../compiler/test/support/clusters.js'
import { fewRuns, isWhole } from '../../../compiler/test/support/runs.js'
import { findRuleChanges } from '../../src/versions/rule-changes.js'

const oneService = {
  services: [
    {
      metadata: { namespace: 'shop', name: 'web' },
      spec: { clusterIP: '10.96.0.10', ports: [{ name: 'http', port: 80 }] },
    },
  ],
  endpointSlices: [
    {
      metadata: { namespace: 'shop', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 8080 }],
      endpoints: [{ addresses: ['10.244.1.5'] }, { addresses: ['10.244.2.7'] }],
    },
  ],
}

describe('findRuleChanges', () => {
  it('finds the versions and features that change the rules', () => {
    const changes = findRuleChanges(oneService, { mode: 'iptables', families: ['IPv4'] }, ['1.19', '1.24'])
    expect(changes).toEqual([
      { version: '1.20', feature: 'markDropEnsured', isAdded: true },
      { version: '1.21', feature: 'healthChecksAccepted', isAdded: true },
      { version: '1.23', feature: 'forwardingByOneRule', isAdded: true },
      { version: '1.23', feature: 'addressesWithLength', isAdded: false },
      { version: '1.24', feature: 'xlbChains', isAdded: false },
    ])
  })

  it('finds the same changes if the newer version comes first', () => {
    const [up, down] = [['1.19', '1.37'] as const, ['1.37', '1.19'] as const].map((versions) =>
      findRuleChanges(oneService, { mode: 'ipvs' }, versions),
    )
    expect(down).toEqual(up)
  })

  it('finds a change if and only if the rules of two versions differ', () => {
    let [same, different] = [0, 0]
    fc.assert(
      fc.property(cases, fc.constantFrom('iptables', 'ipvs'), fc.nat(1000), ({ cluster, options }, mode, at) => {
        const own = optionsOfMode(options, mode)
        const { kubernetesVersion: _, ...rest } = own
        const input = { ...understoodCluster(cluster, own), configuration: { clusterCIDR: '10.244.0.0/16' } }
        const versions = versionsOf(mode)
        const index = at % (versions.length - 1)
        const pair = [versions[index], versions[index + 1]] as [string, string]
        const [older, newer] = pair.map((kubernetesVersion) =>
          compile(input, { ...rest, kubernetesVersion }).families.map(({ state }) => print(state)),
        )
        const changes = findRuleChanges(input, rest, pair)
        expect(changes.length > 0).toBe(String(older) !== String(newer))
        if (changes.length > 0) different++
        else same++
      }),
      { numRuns: fewRuns(60) },
    )
    if (isWhole) expect(Math.min(same, different)).toBeGreaterThan(0)
  })
})
