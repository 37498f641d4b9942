import { describe, expect, it } from 'vitest'
import { featuresOf } from '../../../src/model/configuration/features.js'
import { readConfiguration, withDefaults } from '../../../src/model/configuration/read-configuration.js'
import type { ProxyMode } from '../../../src/model/configuration/versions.js'

function read(configuration: unknown) {
  return readConfiguration(configuration).configuration
}

/** Formats every diagnostic as `code path`. */
function problems(configuration: unknown): readonly string[] {
  return readConfiguration(configuration).diagnostics.map(({ code, path }) => `${code} ${path}`)
}

describe('readConfiguration', () => {
  it('sets the default of every field', () => {
    expect(read(undefined)).toEqual({
      apiVersion: '',
      kind: '',
      mode: '',
      clusterCIDR: '',
      detectLocalMode: '',
      detectLocal: { bridgeInterface: '', interfaceNamePrefix: '' },
      nodePortAddresses: [],
      iptables: {
        masqueradeBit: 14,
        masqueradeAll: false,
        localhostNodePorts: true,
        syncPeriod: 30_000,
        minSyncPeriod: 1000,
      },
      ipvs: {
        syncPeriod: 30_000,
        minSyncPeriod: 0,
        scheduler: '',
        excludeCIDRs: [],
        strictARP: false,
        tcpTimeout: 0,
        tcpFinTimeout: 0,
        udpTimeout: 0,
      },
      nftables: { masqueradeBit: 14, masqueradeAll: false, syncPeriod: 30_000, minSyncPeriod: 1000 },
      winkernel: {
        networkName: '',
        sourceVip: '',
        enableDSR: false,
        rootHnsEndpointName: '',
        forwardHealthCheckVip: false,
      },
      conntrack: {
        maxPerCore: 32_768,
        min: 131_072,
        tcpEstablishedTimeout: 86_400_000,
        tcpCloseWaitTimeout: 3_600_000,
        tcpBeLiberal: false,
        udpTimeout: 0,
        udpStreamTimeout: 0,
      },
      clientConnection: {
        kubeconfig: '',
        acceptContentTypes: '',
        contentType: 'application/vnd.kubernetes.protobuf',
        qps: 5,
        burst: 10,
      },
      bindAddress: '0.0.0.0',
      bindAddressHardFail: false,
      hostnameOverride: '',
      healthzBindAddress: '0.0.0.0:10256',
      metricsBindAddress: '127.0.0.1:10249',
      enableProfiling: false,
      showHiddenMetricsForVersion: '',
      oomScoreAdj: -999,
      udpIdleTimeout: 250,
      configSyncPeriod: 900_000,
      portRange: '',
      featureGates: new Map(),
      logging: { format: 'text', flushFrequency: 5000, verbosity: 0, vmodule: [], options: undefined },
    })
    expect(problems(undefined)).toEqual([])
  })

  it('sets IPv6 defaults for the health and metrics addresses if bindAddress is IPv6', () => {
    const { healthzBindAddress, metricsBindAddress } = read({ bindAddress: '::' })
    expect([healthzBindAddress, metricsBindAddress]).toEqual(['[::]:10256', '[::1]:10249'])
  })

  it.each([
    ['1.2.3.4', '1.2.3.4:10256'],
    ['1.2.3.4:12345', '1.2.3.4:12345'],
    ['fd00:1::5', '[fd00:1::5]:10256'],
    ['[fd00:1::5]:12345', '[fd00:1::5]:12345'],
    ['[fd00:1::5]', '[fd00:1::5]'],
    ['localhost', 'localhost'],
    ['1.2.3.4:', '1.2.3.4:'],
  ])('completes healthzBindAddress %s to %s', (written, effective) => {
    expect(read({ healthzBindAddress: written }).healthzBindAddress).toBe(effective)
  })

  it('adds the default port to metricsBindAddress', () => {
    expect(read({ metricsBindAddress: '0.0.0.0' }).metricsBindAddress).toBe('0.0.0.0:10249')
  })

  it('keeps values that the configuration sets', () => {
    const written = read({
      mode: 'ipvs',
      iptables: { masqueradeBit: 0, localhostNodePorts: false, syncPeriod: '1m', minSyncPeriod: '500ms' },
      ipvs: { scheduler: 'lc', excludeCIDRs: ['10.0.0.0/8'], strictARP: true, tcpTimeout: '15m' },
      conntrack: { maxPerCore: 0, tcpEstablishedTimeout: '0s' },
      featureGates: { AllAlpha: false },
      oomScoreAdj: 0,
      logging: { flushFrequency: 2_000_000, vmodule: [{ filePattern: 'a*', verbosity: 3 }] },
    })
    expect(written.iptables).toMatchObject({
      masqueradeBit: 0,
      localhostNodePorts: false,
      syncPeriod: 60_000,
      minSyncPeriod: 500,
    })
    expect(written.ipvs).toMatchObject({
      scheduler: 'lc',
      excludeCIDRs: ['10.0.0.0/8'],
      strictARP: true,
      tcpTimeout: 900_000,
    })
    expect(written.conntrack).toMatchObject({ maxPerCore: 0, tcpEstablishedTimeout: 0 })
    expect(written.featureGates).toEqual(new Map([['AllAlpha', false]]))
    expect(written.oomScoreAdj).toBe(0)
    expect(written.logging).toMatchObject({ flushFrequency: 2, vmodule: [{ filePattern: 'a*', verbosity: 3 }] })
  })

  it.each([
    ['iptables', { syncPeriod: '0s', minSyncPeriod: '0s' }, { syncPeriod: 30_000, minSyncPeriod: 1000 }],
    ['ipvs', { syncPeriod: '0', minSyncPeriod: '0s' }, { syncPeriod: 30_000, minSyncPeriod: 0 }],
    ['clientConnection', { qps: 0, burst: 0 }, { qps: 5, burst: 10 }],
    ['iptables', { masqueradeBit: null, localhostNodePorts: null }, { masqueradeBit: 14, localhostNodePorts: true }],
  ])('replaces zero and null with the default in the section %s', (section, written, effective) => {
    expect(read({ [section]: written })).toMatchObject({ [section]: effective })
    expect(problems({ [section]: written })).toEqual([])
  })

  it('reports the required type of a field', () => {
    const given: unknown = {
      mode: 5,
      iptables: { masqueradeAll: 'true', masqueradeBit: '14' },
      clientConnection: { qps: '5' },
    }
    const { diagnostics } = readConfiguration(given)
    const expected = Object.fromEntries(diagnostics.map((each) => [each.path, each.expected]))
    expect(expected).toEqual({
      mode: 'a string',
      'iptables.masqueradeAll': 'true or false',
      'iptables.masqueradeBit': 'a whole number of 32 bits',
      'clientConnection.qps': 'a number',
    })
  })

  it.each<[unknown, string]>([
    [5, 'invalidType '],
    [[], 'invalidType '],
    ['mode: ipvs', 'invalidType '],
    [{ mode: 1 }, 'invalidType mode'],
    [{ iptables: [] }, 'invalidType iptables'],
    [{ iptables: { masqueradeBit: '14' } }, 'invalidType iptables.masqueradeBit'],
    [{ iptables: { masqueradeBit: 1.5 } }, 'invalidType iptables.masqueradeBit'],
    [{ iptables: { masqueradeBit: 2 ** 31 } }, 'invalidType iptables.masqueradeBit'],
    [{ iptables: { masqueradeAll: 'true' } }, 'invalidType iptables.masqueradeAll'],
    [{ iptables: { syncPeriod: 30 } }, 'invalidType iptables.syncPeriod'],
    [{ iptables: { syncPeriod: '30' } }, 'invalidType iptables.syncPeriod'],
    [{ iptables: { syncPeriod: '' } }, 'invalidType iptables.syncPeriod'],
    [{ nodePortAddresses: '10.0.0.0/8' }, 'invalidType nodePortAddresses'],
    [{ nodePortAddresses: ['10.0.0.0/8', 7] }, 'invalidType nodePortAddresses[1]'],
    [{ clientConnection: { qps: '5' } }, 'invalidType clientConnection.qps'],
    [{ featureGates: { AllAlpha: 'true' } }, 'invalidType featureGates.AllAlpha'],
    [{ featureGates: ['AllAlpha'] }, 'invalidType featureGates'],
    [{ logging: { vmodule: [3] } }, 'invalidType logging.vmodule[0]'],
    [{ logging: { flushFrequency: true } }, 'invalidType logging.flushFrequency'],
    [{ ipTables: {} }, 'unknownField ipTables'],
    [{ iptables: { masqueradebit: 3 } }, 'unknownField iptables.masqueradebit'],
    [JSON.parse('{"__proto__": {"mode": "ipvs"}}'), 'unknownField __proto__'],
    [{ constructor: 1 }, 'unknownField constructor'],
  ])('reports exactly one problem for %j: %s', (configuration, problem) => {
    expect(problems(configuration)).toEqual([problem])
  })

  it('uses the defaults for fields of the wrong type, and keeps the other fields', () => {
    const { iptables, mode } = read({ mode: {}, iptables: { masqueradeBit: true, syncPeriod: 5, masqueradeAll: true } })
    expect(mode).toBe('')
    expect(iptables).toMatchObject({ masqueradeBit: 14, syncPeriod: 30_000, masqueradeAll: true })
  })

  it('reports unknown fields as warnings, and wrong types as errors', () => {
    const { diagnostics } = readConfiguration({ nonsense: 1, mode: 1 })
    expect(diagnostics.map(({ severity }) => severity)).toEqual(['warning', 'error'])
  })
})

describe('withDefaults', () => {
  const defaulted = (
    configuration: { readonly mode?: ProxyMode; readonly nodePortAddresses?: string[] },
    version: string,
  ) => withDefaults(read(configuration), featuresOf(configuration.mode ?? 'iptables', version, new Map()))

  it('sets the defaults: iptables mode, and local traffic detection by ClusterCIDR', () => {
    expect(defaulted({}, '1.30')).toMatchObject({
      mode: 'iptables',
      detectLocalMode: 'ClusterCIDR',
      nodePortAddresses: [],
    })
  })

  it('sets nodePortAddresses to primary in nftables mode from version 1.31', () => {
    expect(defaulted({ mode: 'nftables' }, '1.31').nodePortAddresses).toEqual(['primary'])
    expect(defaulted({ mode: 'nftables' }, '1.30').nodePortAddresses).toEqual([])
    expect(defaulted({ mode: 'nftables', nodePortAddresses: ['10.0.0.0/8'] }, '1.31').nodePortAddresses).toEqual([
      '10.0.0.0/8',
    ])
  })
})
