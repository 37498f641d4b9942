import { compile, diff, toCommands } from '@kube-rules/compiler'

const service = {
  metadata: { namespace: 'default', name: 'web' },
  spec: { clusterIP: '10.96.0.10', ports: [{ name: 'http', port: 80 }] },
}
const slice = (...addresses: string[]) => ({
  metadata: { namespace: 'default', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080 }],
  endpoints: addresses.map((address) => ({ addresses: [address] })),
})
const options = { nodeName: 'node-1', families: ['IPv4'] } as const

const before = compile({ services: [service], endpointSlices: [slice('10.244.1.5')] }, options)
for (const { tool, args, input } of toCommands(diff(undefined, before))) console.log(tool, args, input) // a new node

const after = compile(
  { services: [service], endpointSlices: [slice('10.244.1.5', '10.244.2.7')] },
  { ...options, previous: before },
)
for (const { tool, args, input } of toCommands(diff(before, after))) console.log(tool, args, input)
