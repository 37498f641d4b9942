import { describe, expect, it } from 'vitest'
import { translateConfiguration } from '../../src/cluster/translate-configuration.js'

const HEAD = { apiVersion: 'kubeproxy.config.k8s.io/v1alpha1', kind: 'KubeProxyConfiguration' }

describe('translateConfiguration', () => {
  it('reads the machine configuration of Talos', () => {
    const document = {
      version: 'v1alpha1',
      machine: { type: 'worker' },
      cluster: {
        network: { podSubnets: ['10.1.0.0/16', 'fd01::/64'] },
        proxy: { mode: 'ipvs', extraArgs: { 'ipvs-strict-arp': 'true', 'nodeport-addresses': '10.0.0.0/8,fd00::/8' } },
      },
    }
    expect(translateConfiguration(document)).toEqual({
      ...HEAD,
      clusterCIDR: '10.1.0.0/16,fd01::/64',
      mode: 'ipvs',
      ipvs: { strictARP: true },
      nodePortAddresses: ['10.0.0.0/8', 'fd00::/8'],
    })
    expect(translateConfiguration({ machine: {}, cluster: {} })).toEqual({ ...HEAD, clusterCIDR: '10.244.0.0/16' })
  })

  it('reads the configuration of K3s and RKE2', () => {
    const document = {
      'write-kubeconfig-mode': '0644',
      'kube-proxy-arg': ['proxy-mode=ipvs', '--ipvs-scheduler=lc', 'masquerade-all', 'iptables-masquerade-bit=13'],
    }
    expect(translateConfiguration(document)).toEqual({
      ...HEAD,
      clusterCIDR: '10.42.0.0/16',
      mode: 'ipvs',
      ipvs: { scheduler: 'lc' },
      iptables: { masqueradeAll: true, masqueradeBit: 13 },
    })
    const dual = { 'cluster-cidr': ['10.1.0.0/16', 'fd01::/64'], 'kube-proxy-arg': 'feature-gates=A=true,B=false' }
    expect(translateConfiguration(dual)).toEqual({
      ...HEAD,
      clusterCIDR: '10.1.0.0/16,fd01::/64',
      featureGates: { A: true, B: false },
    })
  })

  it('reads a Cluster of kops', () => {
    const kubeProxy = {
      enabled: true,
      proxyMode: 'ipvs',
      clusterCIDR: '100.96.0.0/11',
      ipvsStrictARP: true,
      cpuRequest: '10m',
    }
    expect(
      translateConfiguration({ apiVersion: 'kops.k8s.io/v1alpha2', kind: 'Cluster', spec: { kubeProxy } }),
    ).toEqual({ ...HEAD, mode: 'ipvs', clusterCIDR: '100.96.0.0/11', ipvs: { strictARP: true } })
  })

  it('reads /configz of kube-proxy, with the fields of old and new versions', () => {
    const common = {
      FeatureGates: { ServiceTrafficDistribution: false },
      ClientConnection: { Kubeconfig: '/var/lib/kube-proxy/kubeconfig.conf', QPS: 5 },
      BindAddress: '0.0.0.0',
      HealthzBindAddress: '0.0.0.0:10256',
      HostnameOverride: '',
      NodePortAddresses: ['primary'],
      DetectLocalMode: 'ClusterCIDR',
    }
    const expected = {
      ...HEAD,
      bindAddress: '0.0.0.0',
      healthzBindAddress: '0.0.0.0:10256',
      featureGates: { ServiceTrafficDistribution: false },
      nodePortAddresses: ['primary'],
      detectLocalMode: 'ClusterCIDR',
      clusterCIDR: '10.1.0.0/16,fd01::/64',
    }
    const old = {
      ...common,
      Mode: 'ipvs',
      ClusterCIDR: '10.1.0.0/16,fd01::/64',
      DetectLocal: { BridgeInterface: '', InterfaceNamePrefix: '' },
      IPTables: { MasqueradeBit: 14, MasqueradeAll: true, LocalhostNodePorts: false, SyncPeriod: '30s' },
      IPVS: { Scheduler: 'lc', ExcludeCIDRs: null, StrictARP: true, TCPTimeout: '0s' },
    }
    expect(translateConfiguration({ 'kubeproxy.config.k8s.io': old })).toEqual({
      ...expected,
      mode: 'ipvs',
      iptables: { masqueradeBit: 14, masqueradeAll: true, localhostNodePorts: false },
      ipvs: { scheduler: 'lc', strictARP: true },
    })
    const current = {
      ...common,
      Mode: 'nftables',
      DetectLocal: { BridgeInterface: '', ClusterCIDRs: ['10.1.0.0/16', 'fd01::/64'], InterfaceNamePrefix: '' },
      Linux: { MasqueradeAll: true, OOMScoreAdj: -999 },
      NFTables: { MasqueradeBit: 13 },
    }
    expect(translateConfiguration({ 'kubeproxy.config.k8s.io': current })).toEqual({
      ...expected,
      mode: 'nftables',
      nftables: { masqueradeBit: 13, masqueradeAll: true },
      iptables: { masqueradeAll: true },
    })
  })

  it('keeps unknown flags as unknown fields, and leaves out flags without an effect on rules', () => {
    const flags = ['conntrack-min=1', 'v=4', 'proxy-modes=ipvs', '__proto__=1', 'masquerade-all=perhaps']
    const translated = translateConfiguration({ 'kube-proxy-arg': flags, 'cluster-cidr': '10.1.0.0/16' })
    expect(Object.entries(translated)).toEqual([
      ...Object.entries(HEAD),
      ['clusterCIDR', '10.1.0.0/16'],
      ['proxy-modes', 'ipvs'],
      ['__proto__', '1'],
      ['iptables', { masqueradeAll: 'perhaps' }],
    ])
  })

  it.each([
    [{ kind: 'Service', machine: {} }],
    [{ kind: 'ConfigMap', 'kube-proxy-arg': [] }],
    [{ kind: 'Cluster', apiVersion: 'cluster.x-k8s.io/v1beta1', spec: { kubeProxy: {} } }],
    [{ cni: { exclusive: true } }],
    [[{ machine: {} }]],
    [{ 'kubeproxy.config.k8s.io': null }],
    [{}],
  ])('returns the document %j unchanged', (document) => {
    expect(translateConfiguration(document)).toBe(document)
  })
})
