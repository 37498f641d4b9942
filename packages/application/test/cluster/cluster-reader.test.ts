import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fewRuns } from '../../../compiler/test/support/runs.js'
import {
  type Cluster,
  type ClusterInputTexts,
  type ClusterOptionValues,
  compileCluster,
  createClusterReader,
  readCluster,
} from '../../src/cluster.js'
import { InputError } from '../../src/messages/errors.js'

const service = (name: string, more = '', spec = '') =>
  `apiVersion: v1\nkind: Service\nmetadata: { name: ${name}${more} }\nspec: { ports: [{ port: 80 }]${spec} }\n`

const DOCUMENTS = [
  service('a', ', namespace: shop', ', clusterIP: 10.96.0.1'),
  service('a', ', namespace: shop', ', clusterIP: 10.96.0.2'),
  service('b'),
  service('c', ', namespace: shop'),
  service('A'),
  `kind: ServiceList\nitems:\n- metadata: { name: d }\n  spec: { ports: [{ port: 80 }] }\n- metadata: {}\n`,
  'apiVersion: v1\nkind: Node\nmetadata: { name: n }\nstatus: { nodeInfo: { kubeletVersion: v1.31.4 } }\n',
  'kind: Pod\napiVersion: v1\nmetadata: { name: p }\n',
  'kind: KubeProxyConfiguration\nmode: ipvs\nmdoe: x\n',
  'kind: KubeProxyConfiguration\nmode: 1\n',
  'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: kube-proxy }\ndata: { config.conf: "kind: KubeProxyConfiguration" }\n',
  '5\n',
  '# nothing\n',
  'a: [\n',
  '[]\n',
]

describe('readCluster', () => {
  it.each([
    ['lists', '[', ']', '[0]'],
    ['List objects', '{"kind":"List","items":[', ']}', '.items[0]'],
  ])('rejects %s that are nested too deeply', (_, open, close, step) => {
    for (const depth of [33, 5_000, 100_000]) {
      const read = () => readCluster({ objects: [{ name: 'x.json', text: open.repeat(depth) + close.repeat(depth) }] })
      expect(read).toThrow(InputError)
      try {
        read()
      } catch (error) {
        const [{ path = '', message, expected } = {}] = (error as InputError).diagnostics
        expect({ path: `.${path}`, message, expected }).toEqual({
          path: expect.stringContaining(step.repeat(30)),
          message: 'lists are nested too deeply',
          expected: 'at most 32',
        })
      }
    }
  })

  it('rejects YAML flow collections that are nested too deeply', () => {
    const text = `kind: ${'['.repeat(20_000)} x ${']'.repeat(20_000)}`
    expect(() => readCluster({ objects: [{ name: 'x.yaml', text }] })).toThrow(
      'x.yaml: document 1, line 1, column 106: nesting exceeded maxDepth (100)',
    )
  })

  it('rejects aliases that multiply the values of a text', () => {
    const list = (name: string, count: number, item: string) =>
      `  ${name}: &${name} [${Array(count).fill(item).join()}]\n`
    const slice = (index: number) =>
      `- { kind: EndpointSlice, metadata: { name: s${index} }, endpoints: *endpoints, ports: *ports }\n`
    const shared = `kind: ConfigMap\ndata:\n${list('endpoints', 99, '{ addresses: [10.0.0.1] }')}${list('ports', 100, '{ port: 80 }')}`
    const text = (count: number) =>
      `- ${shared.trimEnd().replaceAll('\n', '\n  ')}\n${Array.from({ length: count }, (_, index) => slice(index)).join('')}`
    const objects = (count: number) => [{ name: 'x.yaml', text: text(count) }]
    // Endpoints are 298 values, ports 201, and what is around them 5. A slice has 4, and the shared 499.
    expect(() => readCluster({ objects: objects(18) })).toThrow('expected a valid Service')
    expect(() => readCluster({ objects: objects(20) })).toThrow(
      'x.yaml: aliases expand 584 values to 10564 (expected at most 10000)',
    )
  })
})

const texts = fc
  .array(fc.constantFrom(...DOCUMENTS), { maxLength: 6 })
  .map((documents): ClusterInputTexts => ({ objects: [{ name: 'cluster.yaml', text: documents.join('---\n') }] }))

const values = fc.record<ClusterOptionValues>(
  { namespace: fc.constantFrom('shop', 'other'), assume: fc.boolean() },
  { requiredKeys: [] },
)

function outcome(read: () => Cluster): unknown {
  try {
    const { sources, labels, ...cluster } = read()
    return { ...cluster, labels: [...labels], sources: [...sources] }
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return { message: error.message, details: error.details, diagnostics: error.diagnostics }
  }
}

describe('createClusterReader', () => {
  it('returns the same cluster as a fresh reader, regardless of earlier reads', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(texts, values), { maxLength: 5 }), (outputs) => {
        const reader = createClusterReader()
        for (const [each, output] of outputs) {
          expect(outcome(() => reader.read(each, output))).toEqual(outcome(() => readCluster(each, output)))
        }
      }),
      { numRuns: fewRuns(500) },
    )
  })

  it('returns the identical objects for unchanged documents', () => {
    const reader = createClusterReader()
    const given = { assume: true, namespace: 'shop' }
    const read = (...documents: readonly string[]) =>
      reader.read({ objects: [{ name: 'cluster.yaml', text: documents.join('---\n') }] }, given)
    const last = service('c', ', namespace: x', ', clusterIP: 10.0.0.1')
    const before = read(service('a'), service('b'), last)
    const after = read(service('a'), service('b', '', ', type: NodePort'), last)
    expect(after.services[0]).toBe(before.services[0])
    expect(after.services[1]).not.toBe(before.services[1])
    expect(after.services[2]).toBe(before.services[2])
    const again = read(service('a'), service('b', '', ', type: NodePort'), last)
    const result = compileCluster(after, {}, ['IPv4'])
    expect(compileCluster(again, {}, ['IPv4'], { previous: result })).toBe(result)
  })
})
