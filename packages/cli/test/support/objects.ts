/** Builds a ClusterIP Service with one port, as `kubectl get -o json` prints it. */
export function service(name: string, clusterIPs: readonly string[], spec: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default' },
    spec: {
      type: 'ClusterIP',
      clusterIP: clusterIPs[0],
      clusterIPs,
      ipFamilies: clusterIPs.map((address) => (address.includes(':') ? 'IPv6' : 'IPv4')),
      ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 8080 }],
      ...spec,
    },
  }
}

/** Builds an EndpointSlice with one ready endpoint for a Service of `service`. */
export function slice(serviceName: string, address: string): object {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `${serviceName}-1`, namespace: 'default', labels: { 'kubernetes.io/service-name': serviceName } },
    addressType: address.includes(':') ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [address], conditions: { ready: true }, nodeName: 'node-1' }],
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  }
}

export function node(name: string, addresses: readonly string[]): object {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    status: { addresses: addresses.map((address) => ({ type: 'InternalIP', address })) },
  }
}

export function configuration(fields: object): object {
  return { apiVersion: 'kubeproxy.config.k8s.io/v1alpha1', kind: 'KubeProxyConfiguration', ...fields }
}

/** Builds the output of `kubectl get -o json` for several objects. */
export function listJson(...items: readonly object[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
}

/** Builds the `listJson` of one Node and these objects. */
export function clusterJson(...items: readonly object[]): string {
  return listJson(node('node-1', ['192.168.0.2', 'fd00:1::2']), ...items)
}
