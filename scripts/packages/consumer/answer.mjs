/** Compiles a Service with one endpoint, and adds a second one: the text is the same in every runtime. */
export function answer({ compile, diff, print }) {
  const services = [
    {
      metadata: { namespace: 'default', name: 'web' },
      spec: { clusterIP: '10.96.0.10', ports: [{ name: 'http', port: 80 }] },
    },
  ]
  const slices = (...addresses) => [
    {
      metadata: { namespace: 'default', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 8080 }],
      endpoints: addresses.map((address) => ({ addresses: [address] })),
    },
  ]
  const before = compile({ services, endpointSlices: slices('10.244.1.5') })
  const after = compile({ services, endpointSlices: slices('10.244.1.5', '10.244.2.7') }, { previous: before })
  return [...after.families.map(({ state }) => print(state)), JSON.stringify(diff(before, after), null, 1)].join('\n')
}
