import { describe, expect, it } from 'vitest'
import { formatDiagnostic } from '../../src/diagnostic.js'
import { type Manifests, parseManifests } from '../../src/schema/index.js'
import { deepFreeze } from '../deep-freeze.js'

const metadata = { name: 'web', namespace: 'team-a' }
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata,
  spec: { clusterIP: '10.96.0.10', ports: [{ port: 80 }] },
}
const slice = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata,
  addressType: 'IPv4',
  endpoints: null,
}
const endpoints = { apiVersion: 'v1', kind: 'Endpoints', metadata, subsets: null }
const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'worker-1' } }
const serviceCIDR = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'ServiceCIDR',
  metadata: { name: 'kubernetes' },
  spec: { cidrs: ['10.96.0.0/12'] },
}
const configuration = { apiVersion: 'kubeproxy.config.k8s.io/v1alpha1', kind: 'KubeProxyConfiguration', mode: 'ipvs' }
const all = [service, slice, endpoints, node, serviceCIDR, configuration]

function lines(manifests: Manifests): readonly string[] {
  return manifests.diagnostics.map(formatDiagnostic)
}

function expectAll(manifests: Manifests): void {
  expect(manifests).toEqual({
    services: [service],
    endpointSlices: [slice],
    endpoints: [endpoints],
    nodes: [node],
    serviceCIDRs: [serviceCIDR],
    configuration,
    sources: expect.any(Map),
    ignored: [],
    diagnostics: [],
  })
}

describe('parseManifests', () => {
  it('parses an array of objects, including nested arrays', () => {
    expectAll(parseManifests(all))
    expectAll(parseManifests([[service, [slice]], [], [[endpoints, node, serviceCIDR, configuration]]]))
  })

  it('parses a List, including a List inside the List', () => {
    const inner = { apiVersion: 'v1', kind: 'List', items: [slice, endpoints] }
    expectAll(
      parseManifests({ apiVersion: 'v1', kind: 'List', items: [service, inner, node, serviceCIDR, configuration] }),
    )
  })

  it('parses JSON text', () => {
    expectAll(parseManifests(JSON.stringify(all)))
    expect(parseManifests(JSON.stringify(node)).nodes).toEqual([node])
  })

  it('parses one object', () => {
    expect(parseManifests(service).services).toEqual([service])
    expect(parseManifests(configuration).configuration).toBe(configuration)
  })

  it('returns the identical input objects', () => {
    const manifests = parseManifests({ kind: 'List', items: all })
    expect(manifests.services[0]).toBe(service)
    expect(manifests.endpointSlices[0]).toBe(slice)
    expect(manifests.endpoints[0]).toBe(endpoints)
    expect(manifests.nodes[0]).toBe(node)
    expect(manifests.configuration).toBe(configuration)
  })

  it('does not mutate its input', () => {
    expectAll(parseManifests(deepFreeze({ kind: 'List', items: structuredClone(all) })))
    const wrong = deepFreeze([
      { kind: 'Service', metadata: {}, spec: { ports: [{}] } },
      { kind: 'ServiceList', items: [{}] },
    ])
    expect(lines(parseManifests(wrong))).toHaveLength(3)
  })

  it('parses the items of a typed list as objects of the kind and group of the list', () => {
    const bare = { metadata }
    const bareSlice = { metadata, addressType: 'IPv6' }
    const manifests = parseManifests([
      { apiVersion: 'v1', kind: 'ServiceList', items: [bare] },
      { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSliceList', items: [bareSlice] },
      { kind: 'EndpointsList', items: [bare] },
      { kind: 'NodeList', items: [node, { metadata: { name: 'worker-2' } }] },
      { apiVersion: 'serving.knative.dev/v1', kind: 'ServiceList', items: [{ metadata: { name: 'fn' } }] },
      { apiVersion: 'v1', kind: 'PodList', items: [{ metadata }] },
      { kind: 'ServiceList', items: null },
    ])
    expect(manifests.services).toEqual([bare])
    expect(manifests.endpointSlices).toEqual([bareSlice])
    expect(manifests.endpoints).toEqual([bare])
    expect(manifests.nodes.map((n) => n.metadata?.name)).toEqual(['worker-1', 'worker-2'])
    expect(manifests.ignored).toEqual([
      { kind: 'Service', name: 'fn' },
      { kind: 'Pod', namespace: 'team-a', name: 'web' },
    ])
  })

  it('returns no configuration if the input contains none', () => {
    expect('configuration' in parseManifests([])).toBe(false)
  })
})

describe('parseManifests with YAML text', () => {
  it('parses the text with the parser in the options', () => {
    const parseYaml = (text: string): unknown => (text === 'documents' ? [null, ...all, undefined] : null)
    expectAll(parseManifests('documents', { parseYaml }))
    expect(lines(parseManifests('# empty', { parseYaml }))).toEqual([])
  })

  it('reports an error if the options contain no parser', () => {
    expect(lines(parseManifests('kind: Service'))).toEqual([
      'error: Input manifests: the text is not JSON, and reading YAML requires the option parseYaml (expected Kubernetes objects as JSON or YAML) [invalidValue]',
    ])
  })

  it("reports the parser's message as an error if the parser throws", () => {
    const refuse = (thrown: unknown) => () => {
      throw thrown
    }
    expect(lines(parseManifests('{', { parseYaml: refuse(new Error('line 1:\nbad')) }))).toEqual([
      'error: Input manifests: line 1:\\u000abad (expected Kubernetes objects as JSON or YAML) [invalidValue]',
    ])
    expect(parseManifests('{', { parseYaml: refuse('no') }).diagnostics[0]?.message).toBe('no')
  })
})

describe('parseManifests with the kubeadm ConfigMap', () => {
  function configMap(text: unknown): object {
    return {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'kube-proxy', namespace: 'kube-system' },
      data: { 'config.conf': text },
    }
  }

  it('reads the configuration if it is JSON text', () => {
    expect(parseManifests(configMap(JSON.stringify(configuration))).configuration).toEqual(configuration)
  })

  it('reads the configuration if it is YAML text and the options contain a parser', () => {
    const manifests = parseManifests(configMap('kind: KubeProxyConfiguration'), { parseYaml: () => configuration })
    expect(manifests.configuration).toBe(configuration)
    expect(manifests.diagnostics).toEqual([])
  })

  it('reports an error for YAML text if the options contain no parser', () => {
    expect(lines(parseManifests(configMap('kind: KubeProxyConfiguration')))).toEqual([
      'error: ConfigMap kube-system/kube-proxy: data["config.conf"]: the text is not JSON, and reading YAML requires the option parseYaml' +
        ' (expected Kubernetes objects as JSON or YAML) [invalidValue]',
    ])
  })

  it.each(['config', 'config.yaml', 'kube-proxy'])(
    'reads the configuration from the key %s of other installers',
    (key) => {
      const text = JSON.stringify(configuration)
      const data = { 'aaa.conf': 'server { listen 80; }', [key]: text }
      const manifests = parseManifests({ ...configMap(undefined), data })
      expect(manifests.configuration).toEqual(configuration)
      const [bad] = parseManifests({ ...configMap(undefined), data: { [key]: `${text}}` } }).diagnostics
      expect(bad?.path).toBe(`data["${key}"]`)
    },
  )

  it('prefers config.conf to other keys with a configuration', () => {
    const data = { a: JSON.stringify({ ...configuration, mode: 'ipvs' }), 'config.conf': JSON.stringify(configuration) }
    expect(parseManifests({ ...configMap(undefined), data }).configuration).toEqual(configuration)
  })

  it.each([undefined, 1, '', 'server { listen 80; }'])('ignores the ConfigMap if its config.conf is %j', (text) => {
    const manifests = parseManifests(configMap(text))
    expect(manifests.ignored).toEqual([{ kind: 'ConfigMap', namespace: 'kube-system', name: 'kube-proxy' }])
    expect(lines(manifests)).toEqual([
      'info: ConfigMap kube-system/kube-proxy: kind ConfigMap without a KubeProxyConfiguration is not read [unknownKind]',
    ])
  })

  it('reads only a configuration from the ConfigMap and no other objects', () => {
    const manifests = parseManifests(configMap(JSON.stringify([configuration, service])))
    expect(manifests.services).toEqual([])
    expect(manifests.ignored).toEqual([{ kind: 'Service', namespace: 'team-a', name: 'web' }])
    expect(manifests.configuration).toEqual(configuration)
  })
})

describe('parseManifests omits', () => {
  it('objects of other kinds and other API groups', () => {
    const manifests = parseManifests([
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata },
      { ...service, apiVersion: 'serving.knative.dev/v1' },
      { ...slice, apiVersion: 'v1' },
      { kind: 'constructor' },
      { kind: 'AllowList', spec: {} },
    ])
    expect(manifests.services).toEqual([])
    expect(manifests.ignored).toEqual([
      { kind: 'Deployment', namespace: 'team-a', name: 'web' },
      { kind: 'Service', namespace: 'team-a', name: 'web' },
      { kind: 'EndpointSlice', namespace: 'team-a', name: 'web' },
      { kind: 'constructor', name: '' },
      { kind: 'AllowList', name: '' },
    ])
    expect(lines(manifests).slice(0, 4)).toEqual([
      'info: [0]: Deployment team-a/web: kind Deployment of apps is not read [unknownKind]',
      'info: [1]: Service team-a/web: kind Service of serving.knative.dev is not read [unknownKind]',
      'info: [2]: EndpointSlice team-a/web: kind EndpointSlice of the core group is not read [unknownKind]',
      'info: [3]: constructor without a name: kind constructor is not read [unknownKind]',
    ])
  })

  it('no object only because its apiVersion is missing', () => {
    const { apiVersion: _, ...bareSlice } = slice
    expect(parseManifests([bareSlice]).endpointSlices).toEqual([bareSlice])
  })

  it('an object that fails its schema, but keeps the other objects', () => {
    const manifests = parseManifests([{ ...service, spec: { clusterIP: 1, ports: 2 } }, node])
    expect(manifests.services).toEqual([])
    expect(manifests.nodes).toEqual([node])
    expect(lines(manifests)).toEqual([
      'error: [0]: Service team-a/web: spec.clusterIP: got 1 (expected a string) [invalidType]',
      'error: [0]: Service team-a/web: spec.ports: got 2 (expected a list) [invalidType]',
    ])
  })

  it('values that are not objects, and objects without a kind', () => {
    const manifests = parseManifests([
      1,
      { kind: 'List', items: [null, 'x', {}] },
      { kind: 5 },
      { kind: 'List', items: {} },
    ])
    expect(lines(manifests)).toEqual([
      'error: Input manifests: [0]: got 1 (expected a Kubernetes object) [invalidType]',
      'error: Input manifests: [1].items[0]: got null (expected a Kubernetes object) [invalidType]',
      'error: Input manifests: [1].items[1]: got "x" (expected a Kubernetes object) [invalidType]',
      'error: Input manifests: [1].items[2].kind: missing (expected a kind such as Service) [missingField]',
      'error: Input manifests: [2].kind: missing (expected a kind such as Service) [missingField]',
      'error: Input manifests: [3].items: got an object (expected a list) [invalidType]',
    ])
  })

  it('empty YAML documents without a diagnostic, and empty list items with a diagnostic', () => {
    expect(parseManifests([null, service, undefined])).toMatchObject({ services: [service], diagnostics: [] })
    const list = { kind: 'List', items: [null] }
    const problem = 'error: Input manifests: [0].items[0]: got null (expected a Kubernetes object) [invalidType]'
    expect(parseManifests([list]).diagnostics.map(formatDiagnostic)).toEqual([problem])
    expect(parseManifests([[null]]).diagnostics).toHaveLength(1)
  })

  it.each([undefined, null, 1, true, () => 1, Symbol.iterator])(
    'the whole input with a diagnostic if the input is %s',
    (input) => {
      expect(parseManifests(input).diagnostics).toHaveLength(1)
    },
  )
})

describe('parseManifests with duplicates', () => {
  it('uses the last of several objects with the same kind, namespace and name', () => {
    const later = { ...service, spec: null }
    const manifests = parseManifests([
      service,
      node,
      later,
      { ...service, metadata: { name: 'web', namespace: 'team-b' } },
    ])
    expect(manifests.services).toHaveLength(2)
    expect(manifests.services[0]).toBe(later)
    expect(lines(manifests)).toEqual([
      'warning: [2]: Service team-a/web: given more than once; the last one is used [duplicateObject]',
    ])
  })

  it('keeps the valid object if its later duplicate fails the schema', () => {
    const manifests = parseManifests([service, { ...service, spec: 1 }])
    expect(manifests.services).toEqual([service])
    expect(manifests.diagnostics.map((d) => d.code)).toEqual(['invalidType'])
  })

  it('uses the last of several configurations', () => {
    const manifests = parseManifests([configuration, { ...configuration, mode: 'iptables' }])
    expect(manifests.configuration?.mode).toBe('iptables')
    expect(lines(manifests)).toEqual([
      'warning: [1]: KubeProxyConfiguration config: given more than once; the last one is used [duplicateObject]',
    ])
  })
})

describe('parseManifests with a configuration', () => {
  it('keeps unknown fields with a warning', () => {
    const odd = { ...configuration, iptables: { masqueradeBits: 1 } }
    const manifests = parseManifests(odd)
    expect(manifests.configuration).toBe(odd)
    expect(lines(manifests)).toEqual([
      'warning: KubeProxyConfiguration config: iptables.masqueradeBits: unknown field, ignored (expected masqueradeBit) [unknownField]',
    ])
  })

  it('omits a configuration that fails its schema', () => {
    const manifests = parseManifests({ ...configuration, mode: 1, foo: 2 })
    expect(manifests.configuration).toBeUndefined()
    expect(lines(manifests)).toEqual([
      'error: KubeProxyConfiguration config: mode: got 1 (expected a string) [invalidType]',
    ])
  })
})

describe('parseManifests with misspelled fields', () => {
  it('warns of fields of Services and EndpointSlices that are similar to a defined field', () => {
    const service = {
      kind: 'Service',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { externalTraficPolicy: 'Local', fieldOfTheFuture: 1, ports: [{ port: 80, nodeport: 30080 }] },
    }
    const slice = {
      kind: 'EndpointSlice',
      metadata: { name: 'web-1', namespace: 'shop', anything: 1 },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.1'], condition: {}, conditions: { raedy: true } }],
    }
    expect(lines(parseManifests([service, slice]))).toEqual([
      'warning: [0]: Service shop/web: spec.externalTraficPolicy: unknown field, ignored; did you mean externalTrafficPolicy? [unknownField]',
      'warning: [0]: Service shop/web: spec.ports[0].nodeport: unknown field, ignored; did you mean nodePort? [unknownField]',
      'warning: [1]: EndpointSlice shop/web-1: endpoints[0].condition: unknown field, ignored; did you mean conditions? [unknownField]',
      'warning: [1]: EndpointSlice shop/web-1: endpoints[0].conditions.raedy: unknown field, ignored; did you mean ready? [unknownField]',
    ])
  })
})

describe('the source position of an object', () => {
  it('accompanies each valid object, and precedes the message about an invalid object', () => {
    const nameless = { kind: 'Service', spec: {} }
    const items = [service, nameless, nameless]
    const manifests = parseManifests([node, { kind: 'List', items }])
    expect([...manifests.sources]).toEqual([
      [node, '[0]'],
      [service, '[1].items[0]'],
    ])
    expect(lines(manifests)).toEqual([
      'error: [1].items[1]: Service without a name: metadata: missing (expected an object) [missingField]',
      'error: [1].items[2]: Service without a name: metadata: missing (expected an object) [missingField]',
    ])
  })

  it('is the position of the ConfigMap if the object is a configuration inside it', () => {
    const data = { 'config.conf': JSON.stringify({ ...configuration, mdoe: 1 }) }
    const manifests = parseManifests([node, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }])
    expect(manifests.sources.get(manifests.configuration as object)).toBe('[1]')
    expect(lines(manifests)).toEqual([
      'warning: [1]: KubeProxyConfiguration config: mdoe: unknown field, ignored (expected mode) [unknownField]',
    ])
  })

  it('is not returned if the object is the whole input', () => {
    expect(parseManifests(service).sources.size).toBe(0)
  })
})

describe('the namespace option', () => {
  const bare = { kind: 'Service', metadata: { name: 'web', labels: { a: 'b' } } }

  it('copies each namespaced object that has no namespace, and sets the namespace of the copy', () => {
    const input = deepFreeze([service, bare, { ...slice, metadata: { name: 'web', namespace: '' } }, node])
    const manifests = parseManifests(input, { namespace: 'team-b' })
    expect(manifests.services).toEqual([service, { ...bare, metadata: { ...bare.metadata, namespace: 'team-b' } }])
    expect(manifests.services[0]).toBe(service)
    expect(manifests.endpointSlices[0]?.metadata).toEqual({ name: 'web', namespace: 'team-b' })
    expect(manifests.nodes).toEqual([node])
    expect(manifests.sources.get(manifests.services[1] as object)).toBe('[1]')
  })

  it('makes two objects duplicates even if only one of them has the namespace in its metadata', () => {
    const manifests = parseManifests([service, bare], { namespace: 'team-a' })
    expect(manifests.services).toHaveLength(1)
    expect(manifests.diagnostics.map(({ code }) => code)).toEqual(['duplicateObject'])
  })

  it('adds no namespace if the option is missing', () => {
    expect(parseManifests(bare).services).toEqual([bare])
  })
})

describe('the previous result of parseManifests', () => {
  const wrong = { kind: 'Service', metadata: { name: 'X' } }

  it('is reused for identical objects', () => {
    const bare = { kind: 'Service', metadata: { name: 'web' } }
    const options = { namespace: 'team-b' }
    const previous = parseManifests([bare, wrong, node], options)
    const next = parseManifests([wrong, bare, { ...node }], { ...options, previous })
    expect(next).toEqual(parseManifests([wrong, bare, node], options))
    expect(next.services[0]).toBe(previous.services[0])
    expect(next.diagnostics[0]?.object).toBe(previous.diagnostics[0]?.object)
  })

  it('is not reused for an identical object that now has another kind or namespace', () => {
    const item = { metadata: { name: 'web' } }
    const previous = parseManifests({ kind: 'ServiceList', items: [item] }, { namespace: 'a' })
    expect(parseManifests({ kind: 'ServiceList', items: [item] }, { namespace: 'b', previous }).services).toEqual([
      { metadata: { name: 'web', namespace: 'b' } },
    ])
    const slices = { kind: 'EndpointSliceList', items: [item] }
    expect(parseManifests(slices, { namespace: 'a', previous })).toEqual(parseManifests(slices, { namespace: 'a' }))
  })

  it('is ignored if it is a copy of a result that parseManifests returned', () => {
    const previous = { ...parseManifests([wrong]) }
    expect(parseManifests([wrong], { previous })).toEqual(parseManifests([wrong]))
  })
})

describe('parseManifests with hostile input', () => {
  it('reports lists that are nested 100,000 levels deep', () => {
    const text = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    expect(lines(parseManifests(text))).toEqual([
      `error: Input manifests: ${'[0]'.repeat(32)}: lists are nested too deeply (expected at most 32) [invalidValue]`,
    ])
  })

  it('parses lists that are nested up to 32 levels deep', () => {
    const text = `${'['.repeat(32)}${JSON.stringify(node)}${']'.repeat(32)}`
    expect(parseManifests(text).nodes).toEqual([node])
  })

  it('accepts a field that is not read, even if it is nested 100,000 levels deep', () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
    const text = `{"kind":"Node","metadata":{"name":"worker-1"},"spec":{"x":${deep}}}`
    expect(parseManifests(text).nodes).toHaveLength(1)
  })

  it('accepts lists that contain themselves, or that contain the same list many times', () => {
    const own: unknown[] = [service]
    own.push(own, own)
    expect(parseManifests(own).services).toEqual([service])
    let laughs: unknown[] = [node]
    for (let level = 0; level < 30; level++) laughs = [laughs, laughs, laughs]
    expect(parseManifests(laughs).nodes).toEqual([node])
  })

  it('accepts names of prototype members as names of fields, kinds and objects', () => {
    const text =
      '[{"__proto__":{"kind":"Node"}},{"kind":"__proto__"},{"kind":"Node","metadata":{"name":"constructor"}}]'
    const manifests = parseManifests(text)
    expect(manifests.nodes.map((n) => n.metadata?.name)).toEqual(['constructor'])
    expect(manifests.ignored).toEqual([{ kind: '__proto__', name: '' }])
    expect(manifests.diagnostics.map((d) => d.code)).toEqual(['missingField', 'unknownKind'])
  })

  it('reports a list in a field that must be an object', () => {
    const wrong = { kind: 'Service', metadata: [], spec: [], status: [] }
    expect(parseManifests(wrong).diagnostics.map((d) => d.path)).toEqual(['metadata', 'spec', 'status'])
  })

  it('reports each of 200,000 invalid items', () => {
    const items = Array.from({ length: 200_000 }, () => 0)
    expect(parseManifests(items).diagnostics).toHaveLength(200_000)
  })

  it('gives unnamed ports of slices the empty name, as the API server does', () => {
    const slice = {
      kind: 'EndpointSlice',
      apiVersion: 'discovery.k8s.io/v1',
      metadata: { name: 'web-1', namespace: 'shop' },
      addressType: 'IPv4',
      endpoints: [],
      ports: [{ port: 8080 }, { name: null, port: 8081 }, { name: 'a', port: 8082 }],
    }
    const { endpointSlices, diagnostics } = parseManifests([slice])
    expect(endpointSlices[0]?.ports?.map(({ name }) => name)).toEqual(['', '', 'a'])
    expect(diagnostics).toEqual([])
    const named = { ...slice, ports: [{ name: '', port: 8080 }] }
    expect(parseManifests([named]).endpointSlices[0]).toBe(named)
  })
})
