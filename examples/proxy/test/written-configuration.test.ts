import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configurationFlags } from '@kube-rules/proxy-kit'
import { load } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { readSettings } from '../src/configuration.js'
import { formatConfigurationFile } from '../src/configuration-file.js'

/** Returns the text that the program writes with `--write-config-to` on a node with Kubernetes 1.36. */
function textOf(...flags: readonly string[]): string {
  return formatConfigurationFile(readSettings([...flags, '--kubernetes-version=1.36'], 'host'))
}

/** Returns a field of a document, such as `iptables.syncPeriod`. */
function fieldOf(document: unknown, path: string): unknown {
  return path.split('.').reduce((value, name) => (value as Readonly<Record<string, unknown>>)[name], document)
}

function fileWith(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'proxy-test-')), 'config.yaml')
  writeFileSync(file, text)
  return file
}

/** Each flag of kube-proxy 1.36 on Linux that sets a field, with a value, the field, and the value in a written file. */
const WRITTEN: readonly (readonly [flag: string, path: string, value: unknown])[] = [
  ['bind-address=10.0.0.1', 'bindAddress', '10.0.0.1'],
  ['bind-address-hard-fail', 'bindAddressHardFail', true],
  ['cluster-cidr=10.0.0.0/8', 'clusterCIDR', '10.0.0.0/8'],
  ['config-sync-period=90s', 'configSyncPeriod', '1m30s'],
  ['conntrack-max-per-core=7', 'conntrack.maxPerCore', 7],
  ['conntrack-min=0', 'conntrack.min', 0],
  ['conntrack-tcp-be-liberal=T', 'conntrack.tcpBeLiberal', true],
  ['conntrack-tcp-timeout-close-wait=90m', 'conntrack.tcpCloseWaitTimeout', '1h30m0s'],
  ['conntrack-tcp-timeout-established=0', 'conntrack.tcpEstablishedTimeout', '0s'],
  ['conntrack-udp-timeout=1.5s', 'conntrack.udpTimeout', '1.5s'],
  ['conntrack-udp-timeout-stream=1m', 'conntrack.udpStreamTimeout', '1m0s'],
  ['detect-local-mode=NodeCIDR', 'detectLocalMode', 'NodeCIDR'],
  ['feature-gates=AllAlpha=false,AtomicFIFO=true', 'featureGates', { AllAlpha: false, AtomicFIFO: true }],
  ['healthz-bind-address=127.0.0.1:1', 'healthzBindAddress', '127.0.0.1:1'],
  ['healthz-port=9000', 'healthzBindAddress', '0.0.0.0:10256'],
  ['hostname-override=node-1', 'hostnameOverride', 'node-1'],
  ['iptables-localhost-nodeports=false', 'iptables.localhostNodePorts', false],
  ['iptables-masquerade-bit=3', 'iptables.masqueradeBit', 3],
  ['iptables-min-sync-period=0s', 'iptables.minSyncPeriod', '0s'],
  ['iptables-sync-period=20500ms', 'iptables.syncPeriod', '20.5s'],
  ['ipvs-exclude-cidrs=10.0.0.0/8,172.16.0.0/12', 'ipvs.excludeCIDRs', ['10.0.0.0/8', '172.16.0.0/12']],
  ['ipvs-min-sync-period=2s', 'ipvs.minSyncPeriod', '2s'],
  ['ipvs-scheduler=wrr', 'ipvs.scheduler', 'wrr'],
  ['ipvs-strict-arp', 'ipvs.strictARP', true],
  ['ipvs-sync-period=1h', 'ipvs.syncPeriod', '1h0m0s'],
  ['ipvs-tcp-timeout=15m', 'ipvs.tcpTimeout', '15m0s'],
  ['ipvs-tcpfin-timeout=2m', 'ipvs.tcpFinTimeout', '2m0s'],
  ['ipvs-udp-timeout=5m', 'ipvs.udpTimeout', '5m0s'],
  ['kube-api-burst=20', 'clientConnection.burst', 20],
  ['kube-api-content-type=application/json', 'clientConnection.contentType', 'application/json'],
  ['kube-api-qps=0.5', 'clientConnection.qps', 0.5],
  ['kubeconfig=/file', 'clientConnection.kubeconfig', '/file'],
  ['log-flush-frequency=1s', 'logging.flushFrequency', '1s'],
  ['logging-format=json', 'logging.format', 'json'],
  ['masquerade-all', 'iptables.masqueradeAll', true],
  ['metrics-bind-address=[::1]:1', 'metricsBindAddress', '[::1]:1'],
  ['metrics-port=0', 'metricsBindAddress', ''],
  ['nodeport-addresses=10.0.0.0/8', 'nodePortAddresses', ['10.0.0.0/8']],
  ['oom-score-adj=-7', 'oomScoreAdj', -7],
  ['pod-bridge-interface=cbr0', 'detectLocal.bridgeInterface', 'cbr0'],
  ['pod-interface-name-prefix=veth', 'detectLocal.interfaceNamePrefix', 'veth'],
  ['profiling', 'enableProfiling', true],
  ['proxy-mode=nftables', 'mode', 'nftables'],
  ['show-hidden-metrics-for-version=1.35', 'showHiddenMetricsForVersion', '1.35'],
  ['v=4', 'logging.verbosity', 4],
  ['vmodule=proxier=5', 'logging.vmodule', [{ filePattern: 'proxier', verbosity: 5 }]],
]

describe('--write-config-to', () => {
  it.each(WRITTEN)('writes --%s as %s: %j', (flag, path, value) => {
    expect(fieldOf(load(textOf(`--${flag}`)), path)).toEqual(value)
  })

  it('is tested with every flag that sets a field', () => {
    const names = WRITTEN.map(([flag]) => flag.split('=')[0])
    expect(names).toEqual(Object.keys(configurationFlags).sort())
  })

  it('writes a field of Windows that a file contains', () => {
    const file = fileWith('kind: KubeProxyConfiguration\nwindowsRunAsService: true\n')
    expect(fieldOf(load(textOf('--config', file)), 'windowsRunAsService')).toBe(true)
  })

  it('writes a file with the settings of all flags together', () => {
    // In a file, zero and empty mean the default. The levels of --vmodule exist only in the text format.
    const text = textOf(...WRITTEN.map(([flag]) => `--${flag}`).filter((flag) => !/-port=|=0s|=json/.test(flag)))
    expect(textOf('--config', fileWith(text))).toBe(text)
  })
})
