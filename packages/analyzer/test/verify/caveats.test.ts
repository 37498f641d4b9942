import { verify } from '@kube-rules/analyzer'
import { type CompileInput, type CompileOptions, compile } from '@kube-rules/compiler'
import type { EndpointSlice, Service } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { printFamily } from '../../../compiler/test/support/print-family.js'
import { readDump } from '../../../compiler/test/support/read-dump.js'

// A cluster as kubeadm creates it, whose configuration has `clusterCIDR`, the network of all pods.

const CONFIGURATION = { clusterCIDR: '10.244.0.0/16' }
const names = ['dns', 'dns-tcp', 'kubernetes', 'metrics', 'web', 'zoo']

function objects(name: string, index: number): { readonly service: Service; readonly slice: EndpointSlice } {
  const labels = { 'kubernetes.io/service-name': name }
  return {
    service: {
      metadata: { namespace: 'default', name },
      spec: { clusterIP: `10.96.0.${index + 1}`, ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
    },
    slice: {
      metadata: { namespace: 'default', name: `${name}-1`, labels },
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
      endpoints: [{ addresses: [`10.244.1.${index + 1}`] }],
    },
  }
}

const all = names.map(objects)
const node = (name: string, podCIDR: string) => ({ metadata: { name }, spec: { podCIDR, podCIDRs: [podCIDR] } })

const INPUT: CompileInput = {
  services: all.map(({ service }) => service),
  endpointSlices: all.map(({ slice }) => slice),
  nodes: [node('master', '10.244.0.0/24'), node('worker-1', '10.244.1.0/24')],
  configuration: CONFIGURATION,
}

function compiled(more: Partial<CompileInput> = {}, options: CompileOptions = {}) {
  return compile({ ...INPUT, ...more }, { nodeName: 'worker-1', families: ['IPv4'], ...options })
}

function dumpOf(more: Partial<CompileInput> = {}, options: CompileOptions = {}): string {
  return printFamily(compiled(more, options), { family: 'IPv4', format: 'save' })
}

function reportOf(text: string, more: Partial<CompileInput> = {}, options: CompileOptions = {}) {
  const [report] = verify(compiled(more, options), readDump(text)).families
  if (report === undefined) throw new Error('no family')
  return report
}

describe('caveats of verify', () => {
  it('are absent if the node matches the compiled state', () => {
    expect(reportOf(dumpOf())).toMatchObject({ drift: [], caveats: [] })
  })

  it('do not mention the configuration if table nat has lost all its rules', () => {
    const flushed = dumpOf().replace(/\*nat\n[\s\S]*?COMMIT\n/, (table) => table.replace(/^-A .*\n/gm, ''))
    const { caveats, drift } = reportOf(flushed)
    expect(drift.length).toBeGreaterThan(names.length)
    expect(caveats.map(({ about }) => about)).toEqual(['input'])
  })

  it('mention the configuration if rules detect local traffic by another network', () => {
    const { caveats, drift } = reportOf(dumpOf(), { configuration: undefined })
    expect(drift).toHaveLength(names.length)
    const rest = 'is the configuration (clusterCIDR, detectLocalMode, masqueradeAll) the one of its kube-proxy?'
    const message = `the node detects local traffic by 10.244.0.0/16, but the expected rules by nothing: ${rest}`
    expect(caveats).toEqual([{ about: 'configuration', message }])
    const other = { configuration: { clusterCIDR: '10.0.0.0/8' } }
    expect(reportOf(dumpOf(), other).caveats).toEqual([
      {
        about: 'configuration',
        message: `the node detects local traffic by 10.244.0.0/16, but the expected rules by 10.0.0.0/8: ${rest}`,
      },
    ])
    expect(reportOf(dumpOf({ configuration: undefined })).caveats).toMatchObject([
      {
        about: 'configuration',
        message: expect.stringContaining('by nothing, but the expected rules by 10.244.0.0/16'),
      },
    ])
    const prefix = { detectLocalMode: 'InterfaceNamePrefix', detectLocal: { interfaceNamePrefix: 'cali' } }
    expect(reportOf(dumpOf({ configuration: prefix })).caveats).toMatchObject([
      { about: 'configuration', message: expect.stringContaining('by interfaces cali*, but the expected') },
    ])
    const bridge = { detectLocalMode: 'BridgeInterface', detectLocal: { bridgeInterface: 'cbr0' } }
    expect(reportOf(dumpOf({ configuration: bridge })).caveats).toMatchObject([
      { about: 'configuration', message: expect.stringContaining('by interface cbr0, but the expected') },
    ])
  })

  it('mention the configuration in ipvs mode, although all Services share one rule', () => {
    const configuration = { ...CONFIGURATION, mode: 'ipvs' }
    const { caveats } = reportOf(dumpOf({ configuration }), { configuration: { mode: 'ipvs' } })
    expect(caveats).toMatchObject([{ about: 'configuration' }])
  })

  it('name another node if rules detect local traffic by the pod network of that node', () => {
    const configuration = { detectLocalMode: 'NodeCIDR' }
    const { caveats } = reportOf(dumpOf({ configuration }, { nodeName: 'master' }), { configuration })
    const message =
      'the node detects local traffic by 10.244.0.0/24, but the expected rules by 10.244.1.0/24, a podCIDR of the Node: ' +
      'does the dump belong to this node?'
    expect(caveats).toEqual([{ about: 'node', message }])
  })

  it.each([
    ['ipvs', 'iptables'],
    ['iptables', 'ipvs'],
  ])('mention the mode if the node has the state of %s mode instead of %s mode', (held, expected) => {
    const text = dumpOf({ configuration: { ...CONFIGURATION, mode: held } })
    const { caveats } = reportOf(text, { configuration: { ...CONFIGURATION, mode: expected } })
    const message = `the node has rules of ${held} mode and none of ${expected} mode: does its kube-proxy run in ${expected} mode?`
    expect(caveats).toEqual([{ about: 'mode', message }])
  })

  it.each(['1.33', '1.37'])('mention the configuration in nftables mode of %s', (kubernetesVersion) => {
    const options = { mode: 'nftables', kubernetesVersion } as const
    const { caveats } = reportOf(dumpOf({}, options), { configuration: { clusterCIDR: '10.0.0.0/8' } }, options)
    const rest = 'is the configuration (clusterCIDR, detectLocalMode, masqueradeAll) the one of its kube-proxy?'
    const message = `the node detects local traffic by 10.244.0.0/16, but the expected rules by 10.0.0.0/8: ${rest}`
    expect(caveats).toEqual([{ about: 'configuration', message }])
    expect(reportOf(dumpOf({}, options), {}, options)).toMatchObject({ drift: [], caveats: [] })
  })

  it('do not mention the mode if another mode has only leftovers', () => {
    const text = dumpOf().replace('*nat\n', '*nat\n:KUBE-LOAD-BALANCER - [0:0]\n')
    const { caveats, drift } = reportOf(text)
    expect(drift).toHaveLength(1)
    expect(caveats).toEqual([])
  })

  it('mention the configuration if all packets are masqueraded', () => {
    const { caveats } = reportOf(dumpOf({ configuration: { ...CONFIGURATION, iptables: { masqueradeAll: true } } }))
    expect(caveats).toMatchObject([{ about: 'configuration' }])
  })

  it('mention the input in general if most service ports have the same drift', () => {
    const { caveats } = reportOf(dumpOf().replaceAll(/^-A KUBE-SEP-.* -j KUBE-MARK-MASQ\n/gm, ''))
    const drift =
      'missing: packets that should be masqueraded keep their source address, so replies may bypass the node'
    const rest = 'were they deleted, or do configuration, node, mode and version not match the kube-proxy of the node?'
    const message = `6 of 6 service ports have the same drift (${drift}): ${rest}`
    expect(caveats).toEqual([{ about: 'input', message }])
  })

  it('do not mention the configuration if all rules of service ports are missing', () => {
    const { caveats } = reportOf(
      dumpOf().replaceAll(/^(?:-A|:)KUBE-(?:SVC|SEP)-.*\n|^-A KUBE-(?:SVC|SEP|SERVICES) .*\n/gm, ''),
    )
    expect(caveats).toMatchObject([{ about: 'input' }])
  })

  it('do not depend on the names of chains and addresses', () => {
    const endpointSlices = all.map(({ slice }) => ({
      ...slice,
      ports: [{ name: 'http', port: 9090, protocol: 'TCP' }],
    }))
    const { caveats } = reportOf(dumpOf({ endpointSlices }))
    expect(caveats).toMatchObject([
      { about: 'input', message: expect.stringMatching(/^6 of 6 service ports .*did it receive these objects\?$/) },
    ])
  })

  it.each([
    [2, 5, 0],
    [3, 5, 1],
    [3, 6, 0],
    [4, 6, 1],
    [2, 2, 0],
  ])(
    'require drift of more than half of the service ports, and of at least three: %i of %i',
    (drifting, there, count) => {
      const services = all.slice(0, there).map(({ service }) => service)
      const endpointSlices = all.slice(0, there).map(({ slice }) => slice)
      const text = dumpOf({ services, endpointSlices })
      const lines = text.split('\n')
      const jumps = lines.filter((line) => /^-A KUBE-SERVICES -d /.test(line)).slice(0, drifting)
      expect(jumps).toHaveLength(drifting)
      const cut = lines.filter((line) => !jumps.includes(line)).join('\n')
      const report = reportOf(cut, { services, endpointSlices })
      expect(report.drift).toHaveLength(drifting)
      expect(report.caveats).toHaveLength(count)
    },
  )

  it('ignore drift that all service ports share', () => {
    const services = all.slice(0, 4).map(({ service }) => service)
    const text = dumpOf({ services }).replace(/^-A KUBE-MARK-MASQ .*\n/m, '')
    const lines = text.split('\n').filter((line) => /^-A KUBE-SEP-.* -j KUBE-MARK-MASQ$/.test(line))
    const cut = text.split('\n').filter((line) => !lines.slice(0, 2).includes(line))
    const { caveats, drift } = reportOf(cut.join('\n'), { services })
    expect(new Set(drift.map((group) => group.drift[0]?.reason))).toHaveProperty('size', 1)
    expect(drift).toHaveLength(3)
    expect(caveats).toEqual([])
  })
})

describe('a healthy kubeadm node', () => {
  const CANARIES = ':KUBE-KUBELET-CANARY - [0:0]\n:KUBE-PROXY-CANARY - [0:0]\n'
  const text = dumpOf()
    .replace(
      '*nat\n',
      `*nat\n${CANARIES}:KUBE-MARK-DROP - [0:0]\n-A KUBE-MARK-DROP -j MARK --set-xmark 0x8000/0x8000\n`,
    )
    .replace('*filter\n', `*mangle\n:KUBE-IPTABLES-HINT - [0:0]\n${CANARIES}COMMIT\n*filter\n${CANARIES}`)
    .replace(
      '-A KUBE-FORWARD ',
      '-A KUBE-FIREWALL -m comment --comment "kubernetes firewall for dropping marked packets" ' +
        '-m mark --mark 0x8000/0x8000 -j DROP\n-A KUBE-FORWARD ',
    )

  it('has no drift, even if it has kubelet chains', () => {
    expect(reportOf(text)).toMatchObject({
      drift: [],
      unverified: [],
      otherChains: [],
      kubeletChains: ['filter/KUBE-KUBELET-CANARY', 'nat/KUBE-KUBELET-CANARY', 'nat/KUBE-MARK-DROP'],
    })
  })

  it('has no drift in ipvs mode', () => {
    const configuration = { ...CONFIGURATION, mode: 'ipvs' }
    const ipvs = dumpOf({ configuration }).replace('*nat\n', `*nat\n${CANARIES}:KUBE-MARK-DROP - [0:0]\n`)
    expect(reportOf(ipvs, { configuration })).toMatchObject({
      drift: [],
      otherChains: [],
      kubeletChains: ['nat/KUBE-KUBELET-CANARY', 'nat/KUBE-MARK-DROP'],
    })
  })
})
