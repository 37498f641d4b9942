import { configuration, node, service, slice } from './objects.js'

const CONFIG = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'kube-proxy', namespace: 'kube-system' } }
export const list = (...items: readonly object[]) => ({ kind: 'List', apiVersion: 'v1', items })
/** The objects of a cluster with the paths of the API server. */
export const lists = {
  '/api/v1/services': list(service('web', ['10.0.0.1'])),
  '/apis/discovery.k8s.io/v1/endpointslices': list(slice('web', '10.1.0.1')),
  '/api/v1/nodes': list(node('node-1', ['192.168.0.2'])),
  '/apis/networking.k8s.io/v1/servicecidrs': list(),
  '/api/v1/namespaces/kube-system/configmaps/kube-proxy': {
    ...CONFIG,
    data: { 'config.conf': JSON.stringify(configuration({ mode: 'nftables', clusterCIDR: '10.1.0.0/16' })) },
  },
  '/api/v1/namespaces/kube-system/configmaps/kube-proxy-config': {
    ...CONFIG,
    metadata: { name: 'kube-proxy-config', namespace: 'kube-system' },
    data: {},
  },
  '/api/v1/namespaces/kube-system/pods': list(),
}

/** The paths that kubectl gets for the words of a command. */
export const PATHS: readonly (readonly [string, keyof typeof lists])[] = [
  ['services', '/api/v1/services'],
  ['endpointslices.discovery.k8s.io', '/apis/discovery.k8s.io/v1/endpointslices'],
  ['nodes', '/api/v1/nodes'],
  ['servicecidrs.networking.k8s.io', '/apis/networking.k8s.io/v1/servicecidrs'],
  ['kube-proxy', '/api/v1/namespaces/kube-system/configmaps/kube-proxy'],
  ['kube-proxy-config', '/api/v1/namespaces/kube-system/configmaps/kube-proxy-config'],
  ['pods', '/api/v1/namespaces/kube-system/pods'],
]

/** A Pod of kube-proxy on node-1. */
export const proxyPod = {
  metadata: { name: 'kube-proxy-x7k2p', namespace: 'kube-system' },
  spec: { nodeName: 'node-1', containers: [{ name: 'kube-proxy', image: 'registry.k8s.io/kube-proxy:v1.33.1' }] },
}
