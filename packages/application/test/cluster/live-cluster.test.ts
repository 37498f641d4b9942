import { createClusterSource } from '@kube-rules/application/cluster'
import { describe, expect, it } from 'vitest'

const node = (name: string, annotations: object = {}) => ({
  metadata: { name, annotations, managedFields: [{}] },
  status: { nodeInfo: { kubeletVersion: 'v1.29.0' }, images: [{}], addresses: [] },
})

const pod = (nodeName: string, container: object) => ({
  metadata: { name: `kube-proxy-${nodeName}` },
  spec: { nodeName, containers: [{ name: 'sidecar' }, { name: 'kube-proxy', ...container }] },
})

function configurationOf(answers: Parameters<typeof createClusterSource>[0], nodeName?: string) {
  const { source, notes } = createClusterSource(answers, nodeName)
  const { items } = JSON.parse(source.text)
  return { configuration: items.find(({ kind }: { kind: string }) => kind === 'KubeProxyConfiguration'), notes }
}

const HEAD = { apiVersion: 'kubeproxy.config.k8s.io/v1alpha1', kind: 'KubeProxyConfiguration' }

describe('createClusterSource', () => {
  it('takes the version of the image of kube-proxy, and keeps fields that rules or diagnoses depend on', () => {
    const service = {
      metadata: {
        name: 'web',
        managedFields: [{}],
        annotations: { 'service.kubernetes.io/topology-mode': 'Auto', secret: 'x' },
      },
      spec: { clusterIP: '10.0.0.1' },
    }
    const slice = {
      metadata: { name: 'web-1', uid: 'u', ownerReferences: [{}] },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.244.1.5'], targetRef: { kind: 'Pod', name: 'web-1' } }],
    }
    const image = '602401143452.dkr.ecr.eu-west-1.amazonaws.com/eks/kube-proxy:v1.28.6-minimal-eksbuild.2'
    const { source } = createClusterSource(
      {
        services: { items: [service] },
        slices: { items: [slice] },
        nodes: { items: [node('a'), node('b')] },
        pods: { items: [pod('a', { image, command: ['kube-proxy', '--config=/c'] })] },
      },
      'a',
    )
    const ofNode = (name: string, nodeInfo: object) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, annotations: {} },
      status: { nodeInfo, addresses: [] },
    })
    expect(JSON.parse(source.text).items).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'web', annotations: { 'service.kubernetes.io/topology-mode': 'Auto' } },
        spec: { clusterIP: '10.0.0.1' },
      },
      {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { name: 'web-1', annotations: {} },
        addressType: 'IPv4',
        endpoints: slice.endpoints,
      },
      ofNode('a', { kubeletVersion: 'v1.29.0', kubeProxyVersion: 'v1.28.6' }),
      ofNode('b', { kubeletVersion: 'v1.29.0' }),
    ])
  })

  it('reads the flags in the Pod of the node, also from one text for a shell', () => {
    const talos = {
      command: ['/usr/local/bin/kube-proxy', '--proxy-mode=nftables', '--hostname-override=$(NODE_NAME)'],
    }
    const gke = {
      command: [
        '/bin/sh',
        '-c',
        'exec kube-proxy --master=https://10.0.0.1 --cluster-cidr=10.4.0.0/14 --v=2 1>>/var/log/k.log 2>&1',
      ],
    }
    const kops = { command: ['/go-runner', '--log-file=/x', '/usr/local/bin/kube-proxy', '--proxy-mode', 'ipvs'] }
    const staticPods = { items: [pod('a', talos), pod('b', gke), pod('c', kops)] }
    const nodes = { items: [node('a'), node('b'), node('c')] }
    expect(configurationOf({ nodes, staticPods })).toEqual({
      configuration: { ...HEAD, mode: 'nftables' },
      notes: ['configuration of kube-proxy: the flags of Pod kube-proxy-a; Pods on b, c have different flags'],
    })
    expect(configurationOf({ nodes, staticPods }, 'b').configuration).toEqual({ ...HEAD, clusterCIDR: '10.4.0.0/14' })
    expect(configurationOf({ nodes, staticPods }, 'c').configuration).toEqual({ ...HEAD, mode: 'ipvs' })
  })

  it('reads the flags of the Pods on other nodes, if they are equal', () => {
    const ipvs = { command: ['kube-proxy', '--proxy-mode=ipvs', '--v=2'] }
    const nodes = { items: [node('a'), node('b'), node('c')] }
    const equal = { items: [pod('b', ipvs), pod('c', { command: ['kube-proxy', '--v=2', '--proxy-mode=ipvs'] })] }
    expect(configurationOf({ nodes, pods: equal })).toEqual({
      configuration: { ...HEAD, mode: 'ipvs' },
      notes: ['configuration of kube-proxy: the flags of its Pods on other nodes'],
    })
    const different = { items: [pod('b', ipvs), pod('c', { command: ['kube-proxy', '--proxy-mode=nftables'] })] }
    expect(configurationOf({ nodes, pods: different })).toEqual({
      notes: ['the configuration of kube-proxy is unknown, because its Pods have different flags; --config passes one'],
    })
  })

  it('names at most three nodes with different flags', () => {
    const command = (mode: string) => ({ command: ['kube-proxy', `--proxy-mode=${mode}`] })
    const others = ['b', 'c', 'd', 'e', 'f'].map((name) => pod(name, command('ipvs')))
    const { notes } = configurationOf({
      nodes: { items: [node('a')] },
      pods: { items: [...others, pod('a', command('nftables'))] },
    })
    expect(notes).toEqual([
      'configuration of kube-proxy: the flags of Pod kube-proxy-a; Pods on b, c, d and 2 more nodes have different flags',
    ])
  })

  it('reads the arguments of K3s in the annotation of the Node', () => {
    const args = (...words: readonly string[]) => ({ 'k3s.io/node-args': JSON.stringify(words) })
    const server = node('a', args('server', '--cluster-cidr', '10.52.0.0/16'))
    const agent = node('b', args('agent', '--kube-proxy-arg=proxy-mode=ipvs'))
    expect(configurationOf({ nodes: { items: [server, agent] } }, 'b')).toEqual({
      configuration: { ...HEAD, clusterCIDR: '10.52.0.0/16', mode: 'ipvs' },
      notes: ['configuration of kube-proxy: the arguments of K3s at Node b'],
    })
  })

  it('notes that there is no configuration if the annotation is not a JSON list', () => {
    const notes = ['no configuration of kube-proxy was found in the cluster; --config passes one']
    for (const text of ['{', '{}']) {
      expect(configurationOf({ nodes: { items: [node('a', { 'k3s.io/node-args': text })] } })).toEqual({ notes })
    }
    expect(configurationOf({})).toEqual({ notes })
  })
})
