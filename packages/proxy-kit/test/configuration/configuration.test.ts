import { DiagnosticsError } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { readConfiguration } from '../../../compiler/src/model/configuration/read-configuration.js'
import { completeConfiguration, writeConfiguration } from '../../src/configuration/complete-configuration.js'
import { configurationFlags, parseConfigurationFlags } from '../../src/configuration/configuration-flags.js'
import { conntrackSysctlsOf } from '../../src/node/conntrack-sysctls.js'

describe('completeConfiguration', () => {
  it('returns the defaults of kube-proxy for the empty fields that kubeadm writes', () => {
    const periods = { minSyncPeriod: '0s', syncPeriod: '0s' }
    const written = { healthzBindAddress: '', metricsBindAddress: '', iptables: periods, oomScoreAdj: null }
    expect(completeConfiguration(written)).toMatchObject({
      mode: 'iptables',
      healthzBindAddress: '0.0.0.0:10256',
      metricsBindAddress: '127.0.0.1:10249',
      iptables: { minSyncPeriod: 1_000, syncPeriod: 30_000 },
      conntrack: { maxPerCore: 32_768, min: 131_072, tcpEstablishedTimeout: 86_400_000 },
      oomScoreAdj: -999,
    })
  })

  it('uses the mode and the version of the options', () => {
    const complete = completeConfiguration({ mode: 'iptables' }, { mode: 'nftables', kubernetesVersion: '1.34' })
    expect(complete).toMatchObject({ mode: 'nftables', nodePortAddresses: ['primary'] })
  })

  it('rejects a configuration that kube-proxy would reject', () => {
    expect(() => completeConfiguration({ iptables: { syncPeriod: 'often' } })).toThrow('is not a duration')
    expect(() => completeConfiguration({ healthzBindAddress: 'node-1' })).toThrow('must be IP:port')
  })
})

describe('writeConfiguration', () => {
  it('writes the fields of KubeProxyConfiguration in Kubernetes 1.36, except windowsRunAsService', () => {
    const namesOf = (fields: object, prefix = ''): readonly string[] =>
      Object.entries(fields).flatMap(([name, value]) =>
        typeof value === 'object' && value !== null && Object.keys(value).length > 0
          ? namesOf(value, `${prefix}${name}.`)
          : [`${prefix}${name}`],
      )
    const written = writeConfiguration(completeConfiguration({}, { kubernetesVersion: '1.36' }))
    expect([...namesOf(written)].sort()).toEqual(FIELDS)
  })

  it('returns a configuration that is equal after parsing', () => {
    const complete = completeConfiguration({
      ...{ featureGates: { NFTablesProxyMode: true }, conntrack: { udpTimeout: '1h30m', udpStreamTimeout: '1m1.5s' } },
      iptables: { minSyncPeriod: '100ms' },
    })
    const written = writeConfiguration(complete)
    expect(written).toMatchObject({
      apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
      ...{
        mode: 'iptables',
        healthzBindAddress: '0.0.0.0:10256',
        configSyncPeriod: '15m0s',
        logging: { vmodule: null },
      },
      nodePortAddresses: null,
      iptables: { syncPeriod: '30s', minSyncPeriod: '100ms' },
      conntrack: { tcpEstablishedTimeout: '24h0m0s', udpTimeout: '1h30m0s', udpStreamTimeout: '1m1.5s' },
      featureGates: { NFTablesProxyMode: true },
    })
    expect(written).not.toHaveProperty('udpIdleTimeout')
    expect(completeConfiguration(written)).toEqual({ ...complete, apiVersion: written.apiVersion, kind: written.kind })
  })
})

describe('conntrackSysctlsOf', () => {
  const settingsOf = (conntrack: Parameters<typeof completeConfiguration>[0]['conntrack']) =>
    conntrackSysctlsOf(completeConfiguration({ conntrack }).conntrack, 2).map(({ path, value, isMinimum }) => {
      return `${path.split('/').at(-1)} ${isMinimum ? '>=' : '='} ${value}`
    })

  it('returns the settings that kube-proxy writes', () => {
    const timeouts = ['nf_conntrack_tcp_timeout_established = 86400', 'nf_conntrack_tcp_timeout_close_wait = 3600']
    expect(settingsOf({})).toEqual(['nf_conntrack_max >= 131072', 'hashsize >= 32768', ...timeouts])
    expect(settingsOf({ maxPerCore: 100_000, udpTimeout: '90s', tcpBeLiberal: true })).toEqual([
      ...['nf_conntrack_max >= 200000', 'hashsize >= 50000', ...timeouts],
      ...['nf_conntrack_udp_timeout = 90', 'nf_conntrack_tcp_be_liberal = 1'],
    ])
  })

  it('limits the number of connections on machines with many processors', () => {
    expect(settingsOf({ maxPerCore: 600_000 })[0]).toBe('nf_conntrack_max >= 1048576')
    expect(settingsOf({ min: 2_000_000 })[0]).toBe('nf_conntrack_max >= 2000000')
  })

  it('leaves a setting unchanged if its field is zero', () => {
    expect(settingsOf({ maxPerCore: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' })).toEqual([])
  })
})

describe('parseConfigurationFlags', () => {
  it('reads flags of every kind, and ignores unknown flags', () => {
    const flags = {
      ...{ 'proxy-mode': 'nftables', 'nodeport-addresses': '10.0.0.0/8,192.168.0.0/16', 'conntrack-max-per-core': '0' },
      ...{ 'feature-gates': 'AllAlpha=F, AllBeta=True', 'ipvs-strict-arp': '1', 'oom-score-adj': '-7' },
      ...{ 'masquerade-all': undefined, config: '/file' },
    }
    expect(parseConfigurationFlags(flags)).toEqual({
      mode: 'nftables',
      nodePortAddresses: ['10.0.0.0/8', '192.168.0.0/16'],
      conntrack: { maxPerCore: 0 },
      featureGates: { AllAlpha: false, AllBeta: true },
      ipvs: { strictARP: true },
      oomScoreAdj: -7,
    })
  })

  it.each([
    [{ 'ipvs-strict-arp': 'maybe' }, 'ipvs-strict-arp: "maybe" is not a boolean'],
    [{ 'feature-gates': 'AllAlpha' }, 'feature-gates: "" is not a boolean'],
    [{ 'conntrack-min': '1.5' }, 'conntrack-min: "1.5" is not a number'],
    [{ 'iptables-sync-period': '0s' }, 'iptables-sync-period: 0s is not positive'],
    [{ 'ipvs-sync-period': '0m0s' }, 'ipvs-sync-period: 0m0s is not positive'],
    [{ 'config-sync-period': '0' }, 'config-sync-period: 0 is not positive'],
    [{ 'healthz-bind-address': '1.2.3.4' }, 'healthz-bind-address: "1.2.3.4" has no port'],
    [{ 'metrics-bind-address': '::1' }, 'metrics-bind-address: "::1" has no port'],
    [{ vmodule: 'proxier' }, 'vmodule: "proxier" is not a level'],
  ])('rejects %j', (flags, message) => {
    expect(() => parseConfigurationFlags(flags)).toThrow(DiagnosticsError)
    expect(() => parseConfigurationFlags(flags)).toThrow(message)
  })

  it('sets the fields of nftables in nftables mode, like kube-proxy', () => {
    const flags = { 'masquerade-all': 'true', 'iptables-sync-period': '10s', 'ipvs-sync-period': '20s' }
    expect(parseConfigurationFlags({ ...flags, 'proxy-mode': 'nftables' }).nftables).toEqual({
      masqueradeAll: true,
      syncPeriod: '10s',
    })
    expect(parseConfigurationFlags({ ...flags, 'proxy-mode': 'ipvs' })).not.toHaveProperty('nftables')
  })

  it('reads the deprecated port flags: 0 means no server, and another port completes an address', () => {
    expect(parseConfigurationFlags({ 'healthz-port': '0', 'metrics-port': '0' })).toEqual({
      healthzBindAddress: '',
      metricsBindAddress: '',
    })
    const flags = { 'healthz-bind-address': '::', 'healthz-port': '9000', 'metrics-bind-address': '127.0.0.1:1' }
    expect(parseConfigurationFlags({ ...flags, 'metrics-port': '9001' })).toEqual({
      healthzBindAddress: '[::]:9000',
      metricsBindAddress: '127.0.0.1:1',
    })
    expect(completeConfiguration(parseConfigurationFlags({ 'healthz-port': '9000' })).healthzBindAddress).toBe(
      '0.0.0.0:10256',
    )
  })

  it('reads the flags for the log and for the name of the node', () => {
    const log = { v: '4', vmodule: 'proxier=5,node*=2', 'logging-format': 'json', 'log-flush-frequency': '1s' }
    expect(parseConfigurationFlags({ ...log, 'hostname-override': 'node-1' })).toEqual({
      hostnameOverride: 'node-1',
      logging: {
        ...{ verbosity: 4, format: 'json', flushFrequency: '1s' },
        vmodule: [
          { filePattern: 'proxier', verbosity: 5 },
          { filePattern: 'node*', verbosity: 2 },
        ],
      },
    })
    expect(() => completeConfiguration(parseConfigurationFlags({ 'logging-format': 'bogus' }))).toThrow('log format')
  })

  it('keeps the addresses of the servers if the bind address is IPv6, unlike a file', () => {
    const { healthzBindAddress, metricsBindAddress } = parseConfigurationFlags({ 'bind-address': '::' })
    expect([healthzBindAddress, metricsBindAddress]).toEqual(['0.0.0.0:10256', '127.0.0.1:10249'])
    expect(completeConfiguration({ bindAddress: '::' }).healthzBindAddress).toBe('[::]:10256')
  })

  it.each(['iptables', 'nftables'] as const)('keeps a minimum period of zero in %s mode, unlike a file', (mode) => {
    const configuration = parseConfigurationFlags({ 'proxy-mode': mode, 'iptables-min-sync-period': '0s' })
    expect(completeConfiguration(configuration, { isFromFlags: true })[mode].minSyncPeriod).toBe(0)
    expect(completeConfiguration(configuration)[mode].minSyncPeriod).toBe(1_000)
  })

  it('keeps an empty address, which means no server, unlike a file', () => {
    const configuration = parseConfigurationFlags({ 'healthz-port': '0', 'metrics-bind-address': '' })
    const addresses = { healthzBindAddress: '', metricsBindAddress: '' }
    expect(completeConfiguration(configuration, { isFromFlags: true })).toMatchObject(addresses)
    expect(completeConfiguration(configuration)).toMatchObject({
      ...{ healthzBindAddress: '0.0.0.0:10256', metricsBindAddress: '127.0.0.1:10249' },
    })
  })

  it('sets only fields that exist in a kube-proxy configuration', () => {
    const values = {
      levels: 'a=1',
      text: '',
      number: '1',
      decimal: '0.5',
      boolean: 'true',
      list: '10.0.0.0/8',
      gates: 'AllAlpha=false',
    }
    const flags = Object.entries(configurationFlags).map(([name, kind]) => [name, values[kind]])
    const configuration = parseConfigurationFlags(Object.fromEntries(flags))
    expect(readConfiguration(configuration).diagnostics.filter(({ code }) => code === 'unknownField')).toEqual([])
  })
})

/** The fields in the API reference of kubeproxy.config.k8s.io/v1alpha1. */
const FIELDS = `
  apiVersion bindAddress bindAddressHardFail clientConnection.acceptContentTypes clientConnection.burst
  clientConnection.contentType clientConnection.kubeconfig clientConnection.qps clusterCIDR configSyncPeriod
  conntrack.maxPerCore conntrack.min conntrack.tcpBeLiberal conntrack.tcpCloseWaitTimeout
  conntrack.tcpEstablishedTimeout conntrack.udpStreamTimeout conntrack.udpTimeout detectLocal.bridgeInterface
  detectLocal.interfaceNamePrefix detectLocalMode enableProfiling featureGates healthzBindAddress hostnameOverride
  iptables.localhostNodePorts iptables.masqueradeAll iptables.masqueradeBit iptables.minSyncPeriod iptables.syncPeriod
  ipvs.excludeCIDRs ipvs.minSyncPeriod ipvs.scheduler ipvs.strictARP ipvs.syncPeriod ipvs.tcpFinTimeout
  ipvs.tcpTimeout ipvs.udpTimeout kind logging.flushFrequency logging.format logging.options logging.verbosity
  logging.vmodule metricsBindAddress mode nftables.masqueradeAll nftables.masqueradeBit nftables.minSyncPeriod
  nftables.syncPeriod nodePortAddresses oomScoreAdj portRange showHiddenMetricsForVersion winkernel.enableDSR
  winkernel.forwardHealthCheckVip winkernel.networkName winkernel.rootHnsEndpointName winkernel.sourceVip
`.match(/\S+/g) as string[]
