import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resolveConfiguration } from '../../src/configuration/resolve-configuration.js'

describe('resolveConfiguration', () => {
  it('is the newest version, in mode iptables, without problems', () => {
    const { version, features, configuration, diagnostics } = resolveConfiguration({})
    expect([version, configuration.mode, features.nodeHints]).toEqual(['1.37', 'iptables', true])
    expect(diagnostics).toEqual([])
  })

  it('takes gates and mode into account', () => {
    const configuration = { mode: 'iptables', featureGates: { NFTablesProxyMode: true } }
    const resolved = resolveConfiguration({ configuration, kubernetesVersion: 'v1.30.5', mode: 'nftables' })
    expect([resolved.version, resolved.configuration.mode, resolved.features.nftablesMode]).toEqual([
      '1.30',
      'nftables',
      true,
    ])
    expect(resolved.diagnostics).toEqual([])
  })

  it('refuses a version it does not know', () => {
    const { version, diagnostics } = resolveConfiguration({ kubernetesVersion: '1.29' })
    expect(version).toBe('1.37')
    expect(diagnostics).toMatchObject([
      { severity: 'error', code: 'invalidConfiguration', path: 'kubernetesVersion', expected: '1.30 to 1.37' },
    ])
  })

  it('never throws and never mutates, whatever the configuration is', () => {
    const section = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom('syncPeriod', 'masqueradeBit', 'vmodule', '__proto__'), fc.jsonValue()),
    )
    const names = [
      'mode',
      'iptables',
      'ipvs',
      'logging',
      'nodePortAddresses',
      'featureGates',
      'clusterCIDR',
      'bindAddress',
      'constructor',
    ]
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...names), section)), (configuration) => {
        const before = JSON.stringify(configuration)
        expect(Array.isArray(resolveConfiguration({ configuration }).diagnostics)).toBe(true)
        expect(JSON.stringify(configuration)).toBe(before)
      }),
    )
  })
})
