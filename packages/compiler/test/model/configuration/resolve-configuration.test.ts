import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resolveConfiguration } from '../../../src/model/configuration/resolve-configuration.js'
import { formatVersions, newestVersionOf, previousVersionOf } from '../../../src/model/configuration/versions.js'

const KNOWN = formatVersions()
const NEWEST = newestVersionOf('iptables')

describe('resolveConfiguration', () => {
  it('returns the newest version and iptables mode by default, without diagnostics', () => {
    const { version, features, configuration, diagnostics } = resolveConfiguration({})
    expect([version, configuration.mode, features.nodeHints]).toEqual([NEWEST, 'iptables', true])
    expect(diagnostics).toEqual([])
  })

  it('applies the feature gates and the mode of the configuration', () => {
    const configuration = { mode: 'iptables', featureGates: { NFTablesProxyMode: true } }
    const resolved = resolveConfiguration({ configuration, kubernetesVersion: 'v1.30.5', mode: 'nftables' })
    expect([resolved.version, resolved.configuration.mode, resolved.features.earlyFilters]).toEqual([
      '1.30',
      'nftables',
      true,
    ])
    expect(resolved.diagnostics).toEqual([])
  })

  it('rejects an unknown version', () => {
    const { version, diagnostics } = resolveConfiguration({ kubernetesVersion: '1.3' })
    expect(version).toBe(NEWEST)
    expect(diagnostics).toMatchObject([
      { severity: 'error', code: 'invalidConfiguration', path: 'kubernetesVersion', expected: KNOWN },
    ])
  })

  it.each([
    ['userspace', '1.26'],
    ['userspace', '1.30'],
    ['userspace', 'v1.37.1'],
    ['iptables', '1.13'],
    ['', '1.13.12'],
    ['ipvs', '1.13'],
    ['nftables', '1.22'],
  ])('rejects mode %j of version %s and lists the modes that the version supports', (mode, kubernetesVersion) => {
    for (const request of [
      { mode, kubernetesVersion },
      { configuration: { mode }, kubernetesVersion },
    ]) {
      const { diagnostics } = resolveConfiguration(request)
      const errors = diagnostics.filter(({ severity }) => severity === 'error')
      expect(errors).toMatchObject([{ code: 'invalidConfiguration', path: 'kubernetesVersion', expected: KNOWN }])
    }
  })

  it.each(['1.20', '1.21', '1.22.17', 'v1.23.0', '1.24', '1.25', undefined])(
    'accepts userspace mode in version %s',
    (kubernetesVersion) => {
      const { version, features, diagnostics } = resolveConfiguration({ mode: 'userspace', kubernetesVersion })
      expect(version).toBe(kubernetesVersion?.match(/1\.2\d/)?.[0] ?? '1.25')
      expect(diagnostics).toEqual([])
      expect(features.destinationsWithLength).toBe(['1.20', '1.21', '1.22'].includes(version))
    },
  )

  it.each<[string, object | undefined, string | undefined, string]>([
    ['ipvs mode in the configuration', { mode: 'ipvs' }, undefined, '1.35'],
    ['ipvs mode as an option', undefined, 'ipvs', '1.35'],
    ['a missing mode', { mode: '' }, undefined, '1.37'],
    ['a configuration without mode', {}, undefined, '1.37'],
  ])('reports %s as deprecated from the version of its deprecation', (_name, configuration, mode, since) => {
    const problemsOf = (kubernetesVersion: string) =>
      resolveConfiguration({ configuration, mode, kubernetesVersion }).diagnostics.map(
        ({ severity, code, path, expected }) => [severity, code, path, expected],
      )
    const before = previousVersionOf(since)
    expect(problemsOf(before)).toEqual([])
    expect(problemsOf(since)).toEqual([['info', 'deprecated', 'mode', 'iptables or nftables']])
    expect(problemsOf(NEWEST)).toEqual(problemsOf(since))
  })

  it.each<[string, object | undefined, string | undefined]>([
    ['a missing configuration', undefined, undefined],
    ['a configuration with iptables mode', { mode: 'iptables' }, undefined],
    ['an option that replaces the mode of the configuration', { mode: 'ipvs' }, 'iptables'],
    ['an option that sets the mode, and an empty configuration', {}, 'iptables'],
  ])('reports no deprecation of the mode for %s', (_name, configuration, mode) => {
    expect(resolveConfiguration({ configuration, mode }).diagnostics).toEqual([])
  })

  it('neither throws nor modifies its input for an arbitrary configuration', () => {
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
