import { beforeAll, describe, expect, it } from 'vitest'
import { configuration, listJson, node, service, slice } from '../support/objects.js'
import { run } from '../support/run.js'

// Verifies a node of a kubeadm cluster as the README describes it, from the objects that kubectl prints, the kubeadm
// ConfigMap with the configuration, and the output of iptables-save on the node.

const names = ['dns', 'kubernetes', 'metrics', 'web']
const worker = (name: string, address: string, podCIDR: string) => ({
  ...node(name, [address]),
  spec: { podCIDR, podCIDRs: [podCIDR] },
})

// The configuration as kubeadm writes it, including fields that kube-proxy sets to defaults.
const CONFIG = `apiVersion: kubeproxy.config.k8s.io/v1alpha1
bindAddress: 0.0.0.0
bindAddressHardFail: false
clientConnection:
  acceptContentTypes: ""
  burst: 0
  contentType: ""
  kubeconfig: /var/lib/kube-proxy/kubeconfig.conf
  qps: 0
clusterCIDR: 10.244.0.0/16
configSyncPeriod: 0s
conntrack:
  maxPerCore: null
  min: null
  tcpCloseWaitTimeout: null
  tcpEstablishedTimeout: null
detectLocal:
  bridgeInterface: ""
  interfaceNamePrefix: ""
detectLocalMode: ""
enableProfiling: false
healthzBindAddress: ""
hostnameOverride: ""
iptables:
  localhostNodePorts: null
  masqueradeAll: false
  masqueradeBit: null
  minSyncPeriod: 0s
  syncPeriod: 0s
ipvs:
  excludeCIDRs: null
  minSyncPeriod: 0s
  scheduler: ""
  strictARP: false
  syncPeriod: 0s
  tcpFinTimeout: 0s
  tcpTimeout: 0s
  udpTimeout: 0s
kind: KubeProxyConfiguration
logging:
  flushFrequency: 0
  verbosity: 0
metricsBindAddress: ""
mode: ""
nodePortAddresses: null
oomScoreAdj: null
portRange: ""
showHiddenMetricsForVersion: ""
winkernel:
  enableDSR: false
  forwardHealthCheckVip: false
  networkName: ""
  rootHnsEndpointName: ""
  sourceVip: ""
`

const configMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'kube-proxy', namespace: 'kube-system', labels: { app: 'kube-proxy' } },
  data: { 'config.conf': CONFIG, 'kubeconfig.conf': 'apiVersion: v1\nkind: Config\n' },
}

const objects = {
  'cluster.json': listJson(
    ...names.flatMap((name, index) => [service(name, [`10.96.0.${index + 1}`]), slice(name, `10.244.1.${index + 1}`)]),
    worker('master', '192.168.0.10', '10.244.0.0/24'),
    worker('worker-1', '192.168.0.11', '10.244.1.0/24'),
  ),
  'kube-proxy.json': JSON.stringify(configMap),
  'ipvs.json': JSON.stringify(configuration({ mode: 'ipvs', clusterCIDR: '10.244.0.0/16' })),
}

const cluster = ['-f', 'cluster.json', '--node', 'worker-1'] as const
const config = ['--config', 'kube-proxy.json'] as const

let files: Readonly<Record<string, string>> = objects

beforeAll(async () => {
  const { stdout } = await run(['print', ...cluster, ...config, '--format', 'save'], { files: objects })
  // The chains of a kubelet and a network plugin.
  const canaries = ':KUBE-KUBELET-CANARY - [0:0]\n:KUBE-PROXY-CANARY - [0:0]\n'
  const dump = stdout
    .replace('*filter\n', `*mangle\n:KUBE-IPTABLES-HINT - [0:0]\n${canaries}COMMIT\n*filter\n${canaries}`)
    .replace(
      /\*nat\n(?::.*\n)*/,
      (declarations) =>
        `${declarations}${canaries}:FLANNEL-POSTRTG - [0:0]\n` +
        '-A POSTROUTING -m comment --comment "flanneld masq" -j FLANNEL-POSTRTG\n' +
        '-A FLANNEL-POSTRTG -s 10.244.0.0/16 ! -d 224.0.0.0/4 -j MASQUERADE --random-fully\n',
    )
  files = { ...objects, 'node.dump': dump }
})

const verify = (...args: readonly string[]) => run(['verify', '--dump', 'node.dump', ...args], { files })

const NOT_TOLD =
  'info: KubeProxyConfiguration config: clusterCIDR: no IPv4 network of pods: traffic of pods cannot be distinguished from other ' +
  'traffic [noLocalTrafficDetection]\n'

const NEWEST =
  'note: no version of the node is known: rules of kube-proxy 1.37, the newest; --kubernetes-version selects another\n'

const CAVEAT =
  'caveat: the node detects local traffic by 10.244.0.0/16, but the expected rules by nothing: is the configuration ' +
  '(clusterCIDR, detectLocalMode, masqueradeAll) the one of its kube-proxy?\n'

const COMPARED =
  'compared with: iptables mode of 1.37, node worker-1, no KubeProxyConfiguration (kubectl -n kube-system get cm kube-proxy -o json)\n'

describe('verify of a healthy kubeadm node', () => {
  it('reports no drift if the configuration is among the objects or in a separate file', async () => {
    const nothing = { exitCode: 0, stdout: 'no drift\n', stderr: '' }
    expect(await verify(...cluster, ...config)).toEqual(nothing)
    expect(await verify(...cluster, '-f', 'kube-proxy.json')).toEqual(nothing)
    expect(await verify(...cluster, ...config, '--complete')).toEqual(nothing)
  })

  it('lists the chains of the kubelet in the report', async () => {
    const { stdout } = await verify(...cluster, ...config, '-o', 'json')
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: 'noDrift',
      families: [{ kubeletChains: ['filter/KUBE-KUBELET-CANARY', 'nat/KUBE-KUBELET-CANARY'], otherChains: [] }],
    })
  })

  it('prints the probable cause first if all drift results from a missing configuration', async () => {
    const { exitCode, stdout, stderr } = await verify(...cluster)
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: `${NOT_TOLD}${NEWEST}` })
    expect(stdout.startsWith(`${CAVEAT}${COMPARED}\ndefault/dns:http/TCP\n`)).toBe(true)
    expect(stdout).toMatch(/\n\n4 extra\n$/)
  })

  it('prints a script that would remove correct rules only if the option is --anyway', async () => {
    expect(await verify(...cluster, '--script')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `warning: ${CAVEAT}warning: ${COMPARED}error: no script is printed because of this caveat; to print it anyway, use --anyway\n`,
    })
    const { exitCode, stdout, stderr } = await verify(...cluster, '--script', '--anyway')
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: `${NOT_TOLD}warning: ${CAVEAT}warning: ${COMPARED}${NEWEST}`,
    })
    expect(stdout).toMatch(/^#!\/bin\/sh\n/)
  })

  it('reports that the dump is from another mode', async () => {
    const { exitCode, stdout } = await verify(...cluster, '--config', 'ipvs.json')
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(
      /^caveat: the node has rules of iptables mode and none of ipvs mode: does its kube-proxy run in ipvs mode\?\ncompared with: ipvs mode of 1\.37, node worker-1, the KubeProxyConfiguration given\n\n/,
    )
  })

  it.each(['verify', 'explain', 'print'])('rejects a node name that no Node has: %s', async (command) => {
    const own = { verify: ['--dump', 'node.dump'], explain: ['--all'], print: [] }[command] ?? []
    const args = [command, '-f', 'cluster.json', '--node', 'worker-9', ...config, ...own]
    expect(await run(args, { files })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'error: Node worker-9: "worker-9" matches no Node object: its zone, addresses and pod networks are ' +
        'unknown (expected one of "master", "worker-1") [unknownNode]\n' +
        'error: nothing is printed, because the node is unknown\n',
    })
  })
})

describe('explain of a healthy kubeadm node', () => {
  const explain = (...args: readonly string[]) => run(['explain', ...cluster, ...args], { files })

  it('reports undetected local traffic if the configuration is missing', async () => {
    expect((await explain('--all')).stderr).toContain(NOT_TOLD)
    expect((await explain('--all', ...config)).stderr).toBe('')
  })

  it('reports why the dump may be from another node', async () => {
    const dumped = ['10.96.0.4:80', '--dump', 'node.dump'] as const
    expect((await explain(...dumped, ...config)).stderr).toBe('')
    expect((await explain(...dumped)).stderr).toContain(`warning: ${CAVEAT}`)
    expect((await explain(...dumped, '--config', 'ipvs.json')).stderr).toMatch(
      /^warning: caveat: the node has rules of iptables mode and none of ipvs mode: .*\n$/,
    )
  })

  it('recognizes pods by the Node and the EndpointSlices if no rule matches pods', async () => {
    const from = async (address: string) => {
      const { stdout } = await explain('10.96.0.4:80', '--from', address)
      return stdout.split('\n')[0]
    }
    expect(await from('10.244.1.77')).toBe('10.244.1.77 -> 10.96.0.4:80/TCP, from a pod')
    expect(await from('10.244.1.1')).toBe('10.244.1.1 -> 10.96.0.4:80/TCP, from a pod')
    expect(await from('10.244.7.7')).toBe('10.244.7.7 -> 10.96.0.4:80/TCP, from outside')
  })
})
