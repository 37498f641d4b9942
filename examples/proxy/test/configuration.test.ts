import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readSettings } from '../src/configuration.js'
import { informationFor } from '../src/flags.js'

function fileWith(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'proxy-test-')), 'config.yaml')
  writeFileSync(file, text)
  return file
}

it('readSettings reads the flags of kube-proxy', () => {
  const flags = ['--proxy-mode=nftables', '--cluster-cidr', '10.244.0.0/16', '--kubernetes-version=1.34']
  expect(readSettings(flags, 'Host-1')).toEqual({
    complete: expect.objectContaining({ mode: 'nftables', nodePortAddresses: ['primary'] }),
    ...{ warnings: [], unused: {} },
    flags: { 'proxy-mode': 'nftables', 'cluster-cidr': '10.244.0.0/16', 'kubernetes-version': '1.34' },
    configuration: { mode: 'nftables', clusterCIDR: '10.244.0.0/16' },
    mode: 'nftables',
    nodeName: 'host-1',
    kubernetesVersion: '1.34',
    action: 'run',
    ignored: [],
  })
})

it('readSettings prefers the kubeadm ConfigMap to flags', () => {
  const file = fileWith(`
apiVersion: v1
kind: ConfigMap
data:
  config.conf: |-
    apiVersion: kubeproxy.config.k8s.io/v1alpha1
    kind: KubeProxyConfiguration
    mode: ipvs
    clientConnection: { kubeconfig: /var/lib/kube-proxy/kubeconfig.conf }
`)
  const { mode, kubeconfig, ignored, nodeName } = readSettings(
    ['--config', file, '--proxy-mode=nftables', '--kubeconfig=/other', '--hostname-override=Node-7'],
    'host',
  )
  expect({ mode, kubeconfig, ignored, nodeName }).toEqual({
    mode: 'ipvs',
    kubeconfig: '/var/lib/kube-proxy/kubeconfig.conf',
    ignored: ['--proxy-mode', '--kubeconfig'],
    nodeName: 'node-7',
  })
})

it('readSettings accepts all kube-proxy flags, and reports the flags that have no effect', () => {
  const used = ['--write-config-to=/file', '--config-sync-period=1m', '--healthz-port=0', '--kubeconfig=/kubeconfig']
  const lists = ['--nodeport-addresses=10.0.0.0/8', '--nodeport-addresses=fd00::/8', '--profiling=false']
  const unused = ['--kube-api-qps=0.5', '--profiling', '-v=2', '--logging-format=json']
  const { ignored, writeTo, kubeconfig, configuration } = readSettings([...used, ...lists, ...unused], 'host')
  expect(ignored).toEqual(['--profiling', '--kube-api-qps'])
  expect({ writeTo, kubeconfig }).toEqual({ writeTo: '/file', kubeconfig: '/kubeconfig' })
  expect(configuration).toMatchObject({ configSyncPeriod: '1m', healthzBindAddress: '', enableProfiling: true })
  expect(configuration.nodePortAddresses).toEqual(['10.0.0.0/8', 'fd00::/8'])
})

it('readSettings applies the flags for the log and the name of the node on top of a file', () => {
  const file = fileWith(
    'kind: KubeProxyConfiguration\nhostnameOverride: other\nlogging: { verbosity: 1, format: json }\nwindowsRunAsService: true\n',
  )
  const { complete, unused } = readSettings(['--config', file, '-v=5', '--hostname-override=node-1'], 'host')
  expect(complete).toMatchObject({ hostnameOverride: 'node-1', logging: { verbosity: 5, format: 'json' } })
  expect(unused).toEqual({ windowsRunAsService: true })
  expect(readSettings(['--config', file, '--hostname-override='], 'host').nodeName).toBe('other')
})

it('readSettings keeps a minimum period of zero from a flag', () => {
  const { complete } = readSettings(['--iptables-min-sync-period=0s'], 'host')
  expect(complete.iptables.minSyncPeriod).toBe(0)
})

it('readSettings replaces an empty address in a file with the default, but keeps an empty flag', () => {
  // kubeadm writes empty addresses.
  const header = 'apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n'
  const file = fileWith(`${header}healthzBindAddress: ""\nmetricsBindAddress: ""\n`)
  const addressesOf = (...flags: string[]) => {
    const { healthzBindAddress, metricsBindAddress } = readSettings(flags, 'host').configuration
    return [healthzBindAddress, metricsBindAddress]
  }
  expect(addressesOf('--config', file)).toEqual(['0.0.0.0:10256', '127.0.0.1:10249'])
  expect(addressesOf('--healthz-bind-address=', '--metrics-bind-address=')).toEqual(['', ''])
})

it('readSettings accepts a configuration that some version of kube-proxy accepts', () => {
  const file = fileWith('kind: KubeProxyConfiguration\nshowHiddenMetricsForVersion: "1.35"\n')
  expect(readSettings(['--config', file], 'host').complete.showHiddenMetricsForVersion).toBe('1.35')
  expect(() => readSettings(['--config', file, '--kubernetes-version=1.37'], 'host')).toThrow('must be omitted')
  const unknown = fileWith('kind: KubeProxyConfiguration\nfeatureGates: { Nonsense: true }\nmode: nftables\n')
  expect(() => readSettings(['--config', unknown], 'host')).toThrow('unrecognized')
})

it('readSettings uses the last value of a key that occurs twice, and warns', () => {
  const file = fileWith('kind: KubeProxyConfiguration\nmode: iptables\nclusterCIDR: 10.0.0.0/8\nmode: nftables\n')
  const { mode, warnings } = readSettings(['--config', file], 'host')
  expect(mode).toBe('nftables')
  expect(warnings).toEqual([`${file}: invalid YAML: duplicated mapping key at line 4, column 1; the last value counts`])
})

it('readSettings knows the flags of kube-proxy 1.36 on Linux, and one of its own', () => {
  const names = Array.from(informationFor(['--help'])?.matchAll(/^ {2}--([^=\n]+)/gm) ?? [], ([, name]) => name)
  expect(names.sort()).toEqual([...KUBE_PROXY_FLAGS, 'kubernetes-version'].sort())
})

it.each(['--boot-id-file=/a', '--machine-id-file=/b', '--log-json-split-stream', '--log-text-split-stream'])(
  'readSettings accepts %s without effect',
  (flag) => {
    expect(readSettings([flag], 'host').ignored).toEqual([flag.split('=')[0]])
  },
)

it.each([['--help'], ['-h'], ['--proxy-mode=nonsense', '--help=true']])('%j prints the flags', (...args) => {
  const text = informationFor(args)
  expect(text).toContain('--proxy-mode=TEXT\n')
  expect(text).toContain('--cleanup\n')
  expect(text).toMatch(/without effect in this program:\n( {2}--.*\n)* {2}--vmodule=PATTERN=NUMBER/)
})

it('--version prints the versions that the program emulates', () => {
  expect(informationFor(['--version'])).toBe('kube-rules-proxy, emulates kube-proxy v1.14 to v1.37\n')
  expect(informationFor(['--version=false', '--v=2'])).toBeUndefined()
})

it.each([
  [['--cleanup'], 'cleanUp'],
  [['--cleanup=1'], 'cleanUp'],
  [['--cleanup=false'], 'run'],
  [['--init-only'], 'initialize'],
] as const)('readSettings reads the arguments %j', (flags, action) => {
  expect(readSettings(flags, 'host').action).toBe(action)
})

it.each([
  [
    ['--proxy-mode=kernelspace'],
    /^mode kernelspace is unknown \(expected one of iptables, ipvs, nftables, userspace\)$/,
  ],
  [['--proxy-mode=userspace'], /^userspace mode relays connections itself/],
  [['--ipvs-strict-arp=maybe'], /ipvs-strict-arp: "maybe" is not a boolean/],
  [['--iptables-masquerade-bit=32'], /MasqueradeBit: Invalid value: 32: must be within the range \[0, 31\]/],
  [['--iptables-sync-period=often'], /iptables\.syncPeriod: "often" is not a duration/],
  [['--logging-format=bogus'], /Unsupported log format/],
  [['--iptables-sync-period=0s'], /0s is not positive/],
  [['--kubernetes-version=2.0'], /2\.0/],
  [['--hostname-override= '], /^empty hostname-override is invalid$/],
  [['--config=/not/there'], /^\/not\/there: ENOENT/],
  [['--unknown'], /--unknown/],
] as const)('readSettings rejects the arguments %j', (flags, message) => {
  expect(() => readSettings(flags, 'host')).toThrow(message)
})

/** The flags on the page for kube-proxy in the reference of Kubernetes, and the deprecated flags for ports. */
const KUBE_PROXY_FLAGS = `
  bind-address bind-address-hard-fail boot-id-file cleanup cluster-cidr config config-sync-period
  conntrack-max-per-core conntrack-min conntrack-tcp-be-liberal conntrack-tcp-timeout-close-wait
  conntrack-tcp-timeout-established conntrack-udp-timeout conntrack-udp-timeout-stream detect-local-mode feature-gates
  healthz-bind-address healthz-port help hostname-override init-only iptables-localhost-nodeports
  iptables-masquerade-bit iptables-min-sync-period iptables-sync-period ipvs-exclude-cidrs ipvs-min-sync-period
  ipvs-scheduler ipvs-strict-arp ipvs-sync-period ipvs-tcp-timeout ipvs-tcpfin-timeout ipvs-udp-timeout kube-api-burst
  kube-api-content-type kube-api-qps kubeconfig log-flush-frequency log-json-info-buffer-size log-json-split-stream
  log-text-info-buffer-size log-text-split-stream logging-format machine-id-file masquerade-all master
  metrics-bind-address metrics-port nodeport-addresses oom-score-adj pod-bridge-interface pod-interface-name-prefix
  profiling proxy-mode show-hidden-metrics-for-version v version vmodule write-config-to
`.match(/\S+/g) as string[]
