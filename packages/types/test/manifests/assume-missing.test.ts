import { describe, expect, it } from 'vitest'
import { cidrContains, parseCidr } from '../../src/cidr.js'
import { DiagnosticsError } from '../../src/diagnostic.js'
import { type AssumableCluster, type AssumeMissingOptions, assumeMissing } from '../../src/manifests/index.js'
import { parseManifests } from '../../src/schema/index.js'

type Given = Readonly<Record<string, unknown>>

function clusterOf(...values: readonly Given[]): AssumableCluster {
  return {
    objects: parseManifests(values, { namespace: 'shop' }),
    documents: values,
    namespace: 'shop',
  }
}

const service = (spec: Given = {}): Given => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'shop', name: 'web' },
  spec: { clusterIP: '10.96.0.1', selector: { app: 'web' }, ports: [{ port: 80 }], ...spec },
})

const pod = (labels: Given = { app: 'web' }, ports: readonly Given[] = []) => ({
  metadata: { labels },
  spec: { containers: [{ name: 'web', ports }] },
})

const workload = (kind: string, spec: Given = {}, template = pod()): Given => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { namespace: 'shop', name: 'web' },
  spec: { ...spec, template },
})

const node = (name: string): Given => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] },
})

function slicesOf(values: readonly Given[], host?: AssumeMissingOptions) {
  return assumeMissing(clusterOf(...values), host).objects.endpointSlices
}

const addressesOf = (...values: readonly Given[]) =>
  slicesOf(values).flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses))
const nodesOf = (...values: readonly Given[]) =>
  slicesOf(values).flatMap(({ endpoints }) => (endpoints ?? []).map(({ nodeName }) => nodeName))
const portsOf = (...values: readonly Given[]) => slicesOf(values).map(({ ports }) => ports?.map(({ port }) => port))

describe('assumeMissing', () => {
  it.each<readonly [string, Given, number]>([
    ['a Deployment', workload('Deployment', { replicas: 3 }), 3],
    ['a Deployment without replicas', workload('Deployment'), 1],
    ['an Argo Rollout', workload('Rollout', { replicas: 2 }), 2],
    ['a CronJob', { ...workload('CronJob'), spec: { jobTemplate: { spec: { template: pod() } } } }, 1],
    ['a Deployment that is scaled to zero', workload('Deployment', { replicas: 0 }), 0],
    ['a StatefulSet', workload('StatefulSet', { replicas: 2 }), 2],
    ['a Rollout', workload('Rollout', { replicas: 2 }), 2],
    ['a Pod', { kind: 'Pod', metadata: { ...pod().metadata, namespace: 'shop', name: 'x' }, spec: pod().spec }, 1],
    ['a DaemonSet and two nodes', workload('DaemonSet'), 2],
    [
      'only a workload of another namespace',
      { ...workload('Deployment'), metadata: { namespace: 'x', name: 'web' } },
      2,
    ],
    ['only pods with other labels', workload('Deployment', {}, pod({ app: 'db' })), 0],
  ])('assumes the expected number of endpoints if the input contains %s', (_what, given, count) => {
    expect(addressesOf(service(), given)).toHaveLength(count)
  })

  it('assumes a different test address for each pod', () => {
    const addresses = addressesOf(service(), workload('Deployment', { replicas: 50 }))
    const cidr = parseCidr('198.19.0.0/17')
    expect(addresses.every((text) => cidr !== undefined && cidrContains(cidr, text))).toBe(true)
    expect(new Set(addresses).size).toBe(50)
  })

  it('keeps the addresses of pods when pods or Services are added', () => {
    const three = addressesOf(service(), workload('Deployment', { replicas: 3 }))
    const other = { ...service(), metadata: { namespace: 'shop', name: 'other' } }
    expect(addressesOf(service(), workload('Deployment', { replicas: 5 })).slice(0, 3)).toEqual(three)
    expect(addressesOf(other, service(), workload('Deployment', { replicas: 3 }))).toEqual([...three, ...three])
  })

  it.each<readonly [string, readonly Given[], readonly string[]]>([
    ['with default names if there are no Nodes', [], ['node-1', 'node-2', 'node-1']],
    ['of the input and a default name if there is one Node', [node('a')], ['a', 'node-2', 'a']],
    [
      'with another default name if a Node has the first default name',
      [node('node-2')],
      ['node-2', 'node-1', 'node-2'],
    ],
    ['of the input if there are several Nodes', [node('c'), node('a'), node('b')], ['a', 'b', 'c']],
  ])('assumes pods on nodes %s', (_what, nodes, names) => {
    expect(nodesOf(service(), workload('Deployment', { replicas: 3 }), ...nodes)).toEqual(names)
  })

  it.each<readonly [string, Given, readonly (readonly (number | undefined)[])[]]>([
    ['the port of the Service', {}, [[80]]],
    ['a number', { targetPort: 8080 }, [[8080]]],
    ['the name of a container port', { targetPort: 'http' }, [[8081]]],
    ['the name of a container port with another protocol: none', { targetPort: 'dns' }, [[]]],
    ['a name that no container port has: none', { targetPort: 'x' }, [[]]],
  ])('assumes the port number from %s', (_what, port, numbers) => {
    const ports = [
      { name: 'http', containerPort: 8081 },
      { name: 'dns', containerPort: 53, protocol: 'UDP' },
    ]
    const given = [service({ ports: [{ port: 80, ...port }] }), workload('Deployment', {}, pod({ app: 'web' }, ports))]
    expect(portsOf(...given)).toEqual(numbers)
  })

  it('assumes one slice for each set of port numbers', () => {
    const named = (name: string, containerPort: number) => ({
      ...workload('Deployment', {}, pod({ app: 'web', version: name }, [{ name: 'http', containerPort }])),
      metadata: { namespace: 'shop', name },
    })
    const given = [service({ ports: [{ port: 80, targetPort: 'http' }] }), named('a', 1), named('b', 2), named('c', 1)]
    expect(slicesOf(given).map(({ metadata, endpoints }) => [metadata?.name, endpoints?.length])).toEqual([
      ['web-assumed-ipv4', 2],
      ['web-assumed-ipv4-2', 1],
    ])
  })

  it('assumes different port numbers for different names if no workload is in the input', () => {
    const portFor = (targetPort: string) => portsOf(service({ ports: [{ port: 80, targetPort }] }))
    expect(portFor('http')).toEqual(portFor('http'))
    expect(portFor('http')).not.toEqual(portFor('web'))
  })

  it('assumes no endpoints for Services with endpoints, without a selector or without rules', () => {
    const slice = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { namespace: 'shop', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      endpoints: [],
    }
    const endpoints = { apiVersion: 'v1', kind: 'Endpoints', metadata: { namespace: 'shop', name: 'web' } }
    expect(addressesOf(service(), slice)).toEqual([])
    expect(addressesOf(service(), endpoints)).toEqual([])
    expect(addressesOf(service({ selector: null }))).toEqual([])
    expect(addressesOf(service({ clusterIP: 'None' }))).toEqual([])
    expect(addressesOf(service({ type: 'ExternalName', externalName: 'example.org' }))).toEqual([])
  })

  it('reports a selector that no workload matches', () => {
    const { assumed } = assumeMissing(clusterOf(node('a'), service(), workload('Job', {}, pod({}))))
    expect(assumed).toEqual([
      {
        object: { kind: 'Service', namespace: 'shop', name: 'web' },
        kind: 'noEndpoints',
        path: 'spec.selector',
        value: 'no workload in the input has the labels of the selector',
      },
    ])
  })

  it('names the workloads that are scaled to zero', () => {
    const web = workload('Deployment', { replicas: 0 })
    const api = { ...workload('StatefulSet', { replicas: 0 }), metadata: { namespace: 'shop', name: 'api' } }
    const reasonFor = (...values: readonly Given[]) =>
      assumeMissing(clusterOf(node('a'), service(), ...values)).assumed.map(({ value }) => value)
    expect(reasonFor(web)).toEqual(['Deployment shop/web has 0 replicas'])
    expect(reasonFor(web, api)).toEqual(['Deployment shop/web and StatefulSet shop/api have 0 replicas'])
  })

  it.each<readonly [string, readonly Given[], AssumeMissingOptions, readonly (string | undefined)[]]>([
    ['if there is no Node', [], {}, ['node-1']],
    ['if there is no Node but a node name', [], { nodeName: 'n' }, ['n']],
    ['if the Node has no addresses', [{ ...node('a'), status: {} }], {}, ['a']],
    ['unless the Node has addresses', [node('a')], {}, []],
    ['unless the only Node has another name', [node('a')], { nodeName: 'n' }, []],
    ['unless the host has addresses', [], { nodeName: 'n', hasHost: true }, []],
    ['unless two Nodes exist and no name selects one', [node('a'), { ...node('b'), status: {} }], {}, []],
  ])('assumes node addresses %s', (_what, nodes, host, names) => {
    const { objects, assumed } = assumeMissing(clusterOf(...nodes, service()), host)
    const added = objects.nodes.filter(({ status }) => status?.addresses?.[0]?.address === '192.0.2.1')
    expect(added.map(({ metadata }) => metadata?.name)).toEqual(names)
    expect(assumed.filter(({ kind }) => kind === 'node').map(({ value }) => value)).toEqual(
      names.length === 0 ? [] : ['192.0.2.1', '2001:db8::1'],
    )
  })

  it('reports the namespace that it assumes for objects, unless the user selected a namespace', () => {
    const homeless = { ...service({ selector: null }), metadata: { name: 'x' } }
    const reported = (namespace: string) => {
      const cluster = { ...clusterOf(node('a'), homeless), namespace }
      return assumeMissing(cluster).assumed
    }
    expect(reported('default')).toMatchObject([
      { object: { namespace: 'default', name: 'x' }, kind: 'namespace', value: 'default' },
    ])
    expect(reported('shop')).toEqual([])
  })

  it('ignores the kinds of other API groups', () => {
    const knative = { apiVersion: 'serving.knative.dev/v1', kind: 'Service', metadata: { name: 'other' } }
    const slice = {
      apiVersion: 'example.com/v1',
      kind: 'EndpointSlice',
      metadata: { namespace: 'shop', name: 'web-1' },
    }
    const { assumed } = assumeMissing({ ...clusterOf(knative, slice), namespace: 'default' })
    expect(assumed.filter(({ kind }) => kind === 'namespace')).toEqual([])
  })

  it('assumes the same values for two versions of a cluster', () => {
    const [small, large] = [1, 400].map((replicas) =>
      clusterOf(node('a'), service(), workload('Deployment', { replicas })),
    )
    const of = (cluster?: AssumableCluster, other?: AssumableCluster) =>
      cluster && assumeMissing(cluster, { alongside: other }).objects.endpointSlices[0]?.endpoints
    expect(of(small, large)).toEqual(of(large, small)?.slice(0, 1))
  })

  it('rejects more replicas than there are test addresses', () => {
    const given = [service(), workload('Deployment', { replicas: 6000 })]
    expect(() => slicesOf(given)).toThrow(DiagnosticsError)
    expect(() => slicesOf(given)).toThrow('Deployment shop/web: spec.replicas: 6000 pods are too many to assume')
  })

  it('reads workloads in lists, and ignores malformed workloads', () => {
    const list = {
      kind: 'List',
      items: [service(), { kind: 'DeploymentList', items: [{ ...workload('x'), kind: undefined }] }],
    }
    const broken = [{ kind: 'Deployment' }, { kind: 'Pod', metadata: 3, spec: { containers: 'x' } }, { kind: 7 }]
    expect(addressesOf(list, ...broken)).toHaveLength(1)
  })
})
