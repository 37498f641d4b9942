import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { DiagnosticsError, type EndpointSlice, type Service } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { toCommands } from '../../src/commands/to-commands.js'
import { compile } from '../../src/compilation/compile.js'
import type { FamilyResult } from '../../src/compilation/compile-result.js'
import { isEmptyPatch } from '../../src/diff/diff.js'
import { createTracker } from '../../src/tracker/tracker.js'
import type {
  TrackedObject,
  TrackedObjectKind,
  Tracker,
  TrackerOptions,
  TrackerUpdate,
} from '../../src/tracker/tracker-types.js'
import { at, service, slice } from '../support/objects.js'
import { printFamily } from '../support/print-family.js'

const SERVICE = { kind: 'Service', ...service() }
const ONE = { kind: 'EndpointSlice', ...slice(at('10.244.1.1')) }
const TWO = { kind: 'EndpointSlice', ...slice(at('10.244.1.1', '10.244.1.2')) }
const NODE = { kind: 'Node', metadata: { name: 'node-1' }, spec: { podCIDRs: ['10.244.1.0/24'] } }

const OPTIONS: TrackerOptions = { families: ['IPv4'], configuration: { clusterCIDR: '10.244.0.0/16' } }

function tracker(options: TrackerOptions = OPTIONS) {
  return createTracker(options)
}

/** Returns an update, and marks it as applied. */
function sync(following: Tracker): TrackerUpdate {
  const update = following.sync()
  following.markApplied()
  return update
}

/** Creates a tracker with one Service and one endpoint, in sync with its rules. */
function started(options: TrackerOptions = OPTIONS) {
  const started = tracker(options)
  started.upsert(SERVICE)
  started.upsert(ONE)
  sync(started)
  return started
}

function restored(services: readonly Service[], endpointSlices: readonly EndpointSlice[] = []): string {
  return printFamily(
    compile({ services, endpointSlices, configuration: OPTIONS.configuration }, { families: ['IPv4'] }),
    {
      family: 'IPv4',
    },
  )
}

/** Returns the rejected arguments of a call, and the rejected paths in them. */
function problemsOf(call: () => unknown): readonly unknown[] {
  try {
    call()
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error
    expect(error.diagnostics.map(({ code }) => code)).toEqual(['invalidArgument'])
    return error.diagnostics.map(({ object, path }) => [object.name, path])
  }
  return []
}

describe('sync of a tracker', () => {
  it('returns the first patch from an unknown node, and later patches from the previous result', () => {
    const fresh = tracker()
    fresh.upsert(SERVICE)
    const first = sync(fresh)
    expect(first.full).toBe(true)
    expect(first.patch.families[0]?.patch.from).toBe('A'.repeat(16))
    fresh.upsert(ONE)
    const second = sync(fresh)
    expect(second.full).toBe(false)
    expect(second.patch.families[0]?.patch.from).toBe(first.patch.families[0]?.patch.to)
    expect(printFamily(second.result, { family: 'IPv4' })).toBe(restored([SERVICE], [ONE]))
  })

  it('returns an empty patch and the identical result if nothing has changed', () => {
    const following = started()
    const before = sync(following)
    const after = sync(following)
    expect(isEmptyPatch(after.patch)).toBe(true)
    expect(after.result).toBe(before.result)
  })

  it('returns a full patch for an empty cluster if no objects were added', () => {
    const { result, full } = sync(tracker())
    expect(full).toBe(true)
    expect(result.counts.servicePorts).toBe(0)
  })

  it('throws for an invalid configuration, and uses the previous result again after a correction', () => {
    const following = started()
    following.upsert({ kind: 'KubeProxyConfiguration', mode: 'winkernel' } as TrackedObject)
    following.upsert(TWO)
    expect(() => sync(following)).toThrow(DiagnosticsError)
    expect(() => sync(following)).toThrow(DiagnosticsError)
    following.upsert({ kind: 'KubeProxyConfiguration', ...OPTIONS.configuration } as TrackedObject)
    const { full, patch, result } = sync(following)
    expect(full).toBe(false)
    expect(toCommands(patch).map(({ purpose }) => purpose)).toEqual(['change rules'])
    expect(printFamily(result, { family: 'IPv4' })).toBe(restored([SERVICE], [TWO]))
  })

  it('reports object problems, or throws if the tracker is strict', () => {
    const bad = { kind: 'Service', metadata: { namespace: 'ns1', name: 'bad' }, spec: { ports: 7 } } as never
    const lenient = started()
    lenient.upsert(bad)
    expect(sync(lenient).result.diagnostics).toContainEqual(
      expect.objectContaining({ code: 'invalidType', path: 'spec.ports' }),
    )
    const strict = started({ ...OPTIONS, strict: true })
    strict.upsert(bad)
    expect(() => sync(strict)).toThrow(DiagnosticsError)
    strict.delete(bad)
    expect(isEmptyPatch(sync(strict).patch)).toBe(true)
  })
})

describe('sync of a tracker', () => {
  it('stores no patch, because a full patch has all rules', async () => {
    const following = tracker()
    following.upsert(SERVICE)
    setFlagsFromString('--expose-gc')
    const collectGarbage = runInNewContext('gc')
    const patch = new WeakRef(sync(following).patch.families[0] as object)
    await expect
      .poll(() => {
        collectGarbage()
        return patch.deref() === undefined
      })
      .toBe(true)
    expect(isEmptyPatch(sync(following).patch)).toBe(true)
  })
})

describe('markFailed of a tracker', () => {
  it('makes the next patch start from an unknown state of the node', () => {
    const following = started()
    following.upsert(TWO)
    sync(following)
    following.markFailed()
    const { full, patch, result } = sync(following)
    expect(full).toBe(true)
    expect(patch.families[0]?.patch.from).toBe('A'.repeat(16))
    expect(printFamily(result, { family: 'IPv4' })).toBe(restored([SERVICE], [TWO]))
    expect(sync(following).full).toBe(false)
  })

  it('after an update from a dump limits deletions in the next patch to unexpected real servers', () => {
    const { configuration, ...options } = { ...OPTIONS, mode: 'ipvs' } as const
    const old = compile({ services: [service()], endpointSlices: [slice(at('10.244.1.9'))], configuration }, options)
    const following = tracker({ ...options, configuration })
    following.upsert(SERVICE)
    following.upsert(ONE)
    following.resync({ IPv4: { ...(old.families[0] as FamilyResult).state }, IPv6: { family: 'IPv6' } })
    sync(following)
    following.markFailed()
    const { patch } = sync(following)
    const inputs = toCommands(patch).flatMap(({ tool, input }) => (tool === 'ipvsadm' ? [input.split('\n')] : []))
    expect(inputs).toEqual([
      ['-A -t 10.96.0.1:80 -s rr', '-a -t 10.96.0.1:80 -r 10.244.1.1:8080 -m -w 1', ''],
      ['-E -t 10.96.0.1:80 -s rr', '-e -t 10.96.0.1:80 -r 10.244.1.1:8080 -m -w 1', ''],
      ['-d -t 10.96.0.1:80 -r 10.244.1.9:8080', ''],
    ])
  })

  it('has no effect on the first patch if no patch was applied', () => {
    const fresh = tracker()
    fresh.markFailed()
    expect(sync(fresh).full).toBe(true)
  })
})

describe('apply of a tracker', () => {
  it('accepts watch events of the types ADDED, MODIFIED and DELETED', () => {
    const fresh = tracker()
    expect(fresh.apply({ type: 'ADDED', object: SERVICE })).toBe(true)
    expect(fresh.apply({ type: 'ADDED', object: ONE })).toBe(true)
    expect(printFamily(sync(fresh).result, { family: 'IPv4' })).toBe(restored([SERVICE], [ONE]))
    expect(fresh.apply({ type: 'MODIFIED', object: TWO })).toBe(true)
    expect(printFamily(sync(fresh).result, { family: 'IPv4' })).toBe(restored([SERVICE], [TWO]))
    expect(fresh.apply({ type: 'DELETED', object: TWO })).toBe(true)
    expect(printFamily(sync(fresh).result, { family: 'IPv4' })).toBe(restored([SERVICE]))
    expect(fresh.apply({ type: 'DELETED', object: SERVICE })).toBe(true)
    expect(printFamily(sync(fresh).result, { family: 'IPv4' })).toBe(restored([]))
  })

  it.each(['BOOKMARK', 'ERROR'])('ignores an event of the type %j', (type) => {
    const following = started()
    expect(following.apply({ type, object: TWO })).toBe(false)
    expect(following.apply({ type, object: { kind: 'Status', code: 410 } })).toBe(false)
    expect(following.apply({ type, object: undefined })).toBe(false)
    expect(isEmptyPatch(sync(following).patch)).toBe(true)
  })

  it.each(['added', 'update', '', '__proto__', undefined])('throws for an event of the unknown type %j', (type) => {
    const following = started()
    expect(problemsOf(() => following.apply({ type: type as string, object: TWO }))).toEqual([['event', 'type']])
    expect(isEmptyPatch(sync(following).patch)).toBe(true)
  })

  it.each([
    { kind: 'Status', code: 410 },
    { kind: 'ConfigMap', metadata: { namespace: 'ns1', name: 'web' } },
    { kind: 'constructor' },
  ])('ignores the object %j because its kind is not tracked', (object) => {
    const following = started()
    for (const type of ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']) {
      expect(following.apply({ type, object })).toBe(false)
    }
    expect(isEmptyPatch(sync(following).patch)).toBe(true)
  })

  it.each([
    { metadata: { namespace: 'ns1', name: 'web' } },
    { kind: '' },
    { kind: ['Service'] },
    'Service',
    7,
    null,
    undefined,
  ])('throws for %j because it has no kind', (object) => {
    const following = started()
    for (const type of ['ADDED', 'MODIFIED', 'DELETED']) {
      expect(problemsOf(() => following.apply({ type, object }))).toEqual([['object', 'kind']])
    }
    expect(isEmptyPatch(sync(following).patch)).toBe(true)
  })

  it.each([
    ['service', '"service" is not a kind (expected Service)'],
    ['Services', '"Services" is not a kind (expected Service)'],
    ['Servcie', '"Servcie" is not a kind (expected Service)'],
    ['endpointslices', '"endpointslices" is not a kind (expected EndpointSlice)'],
    ['endpoint', '"endpoint" is not a kind (expected Endpoints)'],
    ['kubeProxyConfiguration', '"kubeProxyConfiguration" is not a kind (expected KubeProxyConfiguration)'],
    ['ServiceList', 'ServiceList is a list (expected a Service; replace takes lists)'],
  ])('throws for kind %s', (kind, expected) => {
    const following = started()
    const message = `error: Argument kind: ${expected} [invalidArgument]`
    expect(() => following.upsert(service(), kind as TrackedObjectKind)).toThrow(message)
    expect(() => following.delete(service(), kind as TrackedObjectKind)).toThrow(message)
    expect(() => following.delete({ ...service(), kind })).toThrow(message)
    expect(() => following.apply({ type: 'DELETED', object: { ...service(), kind } })).toThrow(message)
    expect(isEmptyPatch(sync(following).patch)).toBe(true)
  })

  it.each([
    ['an object', service()],
    ['a list', [service()]],
    ['7', 7],
    ['an object', Object.create(null)],
  ])('throws for %s as the kind, because arguments are in the wrong order', (described, kind) => {
    const following = started()
    const message = `error: Argument kind: ${described} is not a kind (expected Service, EndpointSlice, Endpoints, Node, ServiceCIDR, KubeProxyConfiguration; the first argument is the object) [invalidArgument]`
    expect(() => following.delete('Service' as never, kind)).toThrow(message)
    expect(() => following.upsert('Service' as never, kind)).toThrow(message)
    expect(isEmptyPatch(sync(following).patch)).toBe(true)
  })

  it.each(['ns1/web', 'web', ''])('throws for the deletion of the name %j', (name) => {
    const following = started()
    expect(() => following.delete(name as never, 'Service')).toThrow(
      `error: Argument object: ${JSON.stringify(name)} is not an object (expected the Service, or an object with its metadata.namespace and metadata.name) [invalidArgument]`,
    )
    expect(isEmptyPatch(sync(following).patch)).toBe(true)
  })

  it.each([null, undefined, 7, 'ns1/web'])('deletes the invalid object %j that it tracks', (object) => {
    const following = started()
    const before = sync(following).result.diagnostics
    expect(following.upsert(object as never, 'Service')).toBe(true)
    expect(sync(following).result.diagnostics.length).toBeGreaterThan(before.length)
    expect(following.delete(object as never, 'Service')).toBe(true)
    expect(sync(following).result.diagnostics).toEqual(before)
  })

  it('removes an object by its namespace and name', () => {
    const following = started()
    expect(following.delete({ metadata: { namespace: 'ns1', name: 'web' } }, 'Service')).toBe(true)
    expect(sync(following).result.counts.servicePorts).toBe(0)
  })

  it.each([
    [{ apiVersion: 'example.com/v1', kind: 'Endpoint', metadata: { namespace: 'ns1', name: 'web' } }, undefined],
    [{ apiVersion: 'example.com/v1', kind: 'ServiceList', metadata: { namespace: 'ns1', name: 'web' } }, undefined],
    [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'ns1', name: 'web' } }, undefined],
    [service(), 'ConfigMap'],
  ])('ignores %j with kind %s, for which there are no rules', (object, kind) => {
    expect(started().upsert(object, kind as TrackedObjectKind | undefined)).toBe(false)
  })

  it('uses the kind argument if an object has no kind or another kind', () => {
    const fresh = tracker()
    for (const object of [service(), { ...service(), kind: 'Pod' }]) {
      expect(fresh.apply({ type: 'ADDED', object }, 'Service')).toBe(true)
    }
    expect(fresh.apply({ type: 'ADDED', object: slice(at('10.244.1.1')) }, 'EndpointSlice')).toBe(true)
    expect(fresh.apply({ type: 'ADDED', object: service() }, 'Pod' as TrackedObjectKind)).toBe(false)
    expect(printFamily(sync(fresh).result, { family: 'IPv4' })).toBe(restored([SERVICE], [ONE]))
    expect(fresh.apply({ type: 'DELETED', object: service() }, 'Service')).toBe(true)
    expect(sync(fresh).result.counts.servicePorts).toBe(0)
  })
})

describe('replace of a tracker', () => {
  const other = { ...service({ clusterIP: '10.96.0.2' }), metadata: { namespace: 'ns1', name: 'other' } }

  it('replaces all objects of a kind, and keeps the other kinds', () => {
    const following = started()
    following.replace('Service', [other])
    expect(printFamily(sync(following).result, { family: 'IPv4' })).toBe(restored([other], [ONE]))
    following.replace('Service', { items: [service(), other] })
    following.replace('EndpointSlice', new Set([TWO]).values())
    expect(printFamily(sync(following).result, { family: 'IPv4' })).toBe(restored([SERVICE, other], [TWO]))
    following.replace('Service', { kind: 'ServiceList', items: null } as never)
    expect(sync(following).result.counts.servicePorts).toBe(0)
  })

  it('leaves the result unchanged if the list has the objects of the last sync', () => {
    const following = started()
    following.upsert(other, 'Service')
    following.replace('Service', [service()])
    expect(isEmptyPatch(sync(following).patch)).toBe(true)
  })

  it('restores the configuration in the options if the list is empty', () => {
    const following = started()
    following.replace('KubeProxyConfiguration', [{ clusterCIDR: '10.1.0.0/16' }, { clusterCIDR: '10.2.0.0/16' }])
    const podCidr = () => sync(following).result.families[0]?.plan.node.localTrafficDetection
    expect(podCidr()).toMatchObject({ cidr: { text: '10.2.0.0/16' } })
    following.replace('KubeProxyConfiguration', [])
    expect(podCidr()).toMatchObject({ cidr: { text: '10.244.0.0/16' } })
  })

  it.each<readonly [string, unknown, readonly (string | undefined)[]]>([
    ['Pod', [], ['kind', undefined]],
    ['Service', undefined, ['items', undefined]],
    ['Service', SERVICE, ['items', undefined]],
    ['Service', { kind: 'NodeList', items: [] }, ['items', 'kind']],
    ['Service', { kind: 'List', items: [SERVICE, NODE] }, ['items', 'items[1].kind']],
  ])('throws for the kind %s and the items %j, and changes nothing', (kind, items, problem) => {
    const following = started()
    expect(problemsOf(() => following.replace(kind as TrackedObjectKind, items as never))).toEqual([problem])
    expect(isEmptyPatch(sync(following).patch)).toBe(true)
  })
})

describe('several watch events between two synchronizations', () => {
  it('have no effect if an added object is deleted again', () => {
    const following = started()
    const other = { ...SERVICE, metadata: { namespace: 'ns1', name: 'other' } }
    following.apply({ type: 'ADDED', object: other })
    following.apply({ type: 'MODIFIED', object: { ...other } })
    following.apply({ type: 'DELETED', object: other })
    expect(isEmptyPatch(sync(following).patch)).toBe(true)
  })

  it('have no effect if the earlier object is restored', () => {
    const following = started()
    following.apply({ type: 'MODIFIED', object: TWO })
    following.apply({ type: 'DELETED', object: TWO })
    following.apply({ type: 'ADDED', object: ONE })
    expect(isEmptyPatch(sync(following).patch)).toBe(true)
  })

  it('have the effect of the last event in one command if they concern one object', () => {
    const following = started()
    for (const count of [3, 4, 5, 2]) {
      const addresses = Array.from({ length: count }, (_, index) => `10.244.1.${index + 1}`)
      following.apply({ type: 'MODIFIED', object: { ...ONE, ...slice(at(...addresses)) } })
    }
    const { patch, result } = sync(following)
    expect(toCommands(patch).map(({ tool, purpose }) => [tool, purpose])).toEqual([
      ['iptables-restore', 'change rules'],
    ])
    expect(printFamily(result, { family: 'IPv4' })).toBe(restored([SERVICE], [TWO]))
  })
})

describe('upsert and delete of a tracker', () => {
  it.each<[TrackedObjectKind, TrackedObject]>([
    ['Service', service({ clusterIP: '10.96.0.2' })],
    ['EndpointSlice', slice(at('10.244.1.1', '10.244.1.2'))],
    ['Endpoints', { metadata: { namespace: 'ns2', name: 'web' }, subsets: [] }],
    ['Node', { metadata: { name: 'node-1' }, status: { addresses: [{ type: 'InternalIP', address: '192.0.2.7' }] } }],
    ['ServiceCIDR', { metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.96.0.0/12'] } }],
    ['KubeProxyConfiguration', { clusterCIDR: '10.0.0.0/8' }],
  ])('require the kind argument if the object is a %s without a kind', (kind, object) => {
    // Only nftables mode has rules for a ServiceCIDR.
    const mode = kind === 'ServiceCIDR' ? 'nftables' : 'iptables'
    const following = started({ families: ['IPv4'], mode })
    const seen = () => {
      const { result } = sync(following)
      return { text: printFamily(result, { family: 'IPv4' }), diagnostics: result.diagnostics }
    }
    const before = seen()
    expect(problemsOf(() => following.upsert(object))).toEqual([['object', 'kind']])
    expect(seen()).toEqual(before)
    expect(following.upsert(object, kind)).toBe(true)
    const after = seen()
    expect(after).not.toEqual(before)
    expect(problemsOf(() => following.delete(object))).toEqual([['object', 'kind']])
    expect(seen()).toEqual(after)
    const replaced = kind === 'Service' ? SERVICE : kind === 'EndpointSlice' ? ONE : undefined
    expect(replaced === undefined ? following.delete(object, kind) : following.upsert(replaced)).toBe(true)
    expect(seen()).toEqual(before)
  })

  it('use the kind argument in preference to the kind in the object', () => {
    const fresh = tracker()
    expect(fresh.upsert({ ...service(), kind: 'Pod' } as TrackedObject, 'Service')).toBe(true)
    expect(fresh.upsert(SERVICE, 'Pod' as TrackedObjectKind)).toBe(false)
    expect(sync(fresh).result.counts.servicePorts).toBe(1)
  })

  it('identify an object by its kind, namespace and name', () => {
    const following = started()
    following.delete({ kind: 'Service', metadata: { namespace: 'ns2', name: 'web' } } as TrackedObject)
    following.delete({ kind: 'Endpoints', metadata: { namespace: 'ns1', name: 'web' } } as TrackedObject)
    expect(isEmptyPatch(sync(following).patch)).toBe(true)
    following.delete({ kind: 'Service', metadata: { namespace: 'ns1', name: 'web' } } as TrackedObject)
    expect(sync(following).result.counts.servicePorts).toBe(0)
  })

  it('use the Node that the rules are compiled for', () => {
    const following = started({ ...OPTIONS, nodeName: 'node-1', configuration: { detectLocalMode: 'NodeCIDR' } })
    following.upsert(NODE)
    const [family] = sync(following).result.families
    expect(family?.plan.node.localTrafficDetection).toMatchObject({ kind: 'cidr', cidr: { text: '10.244.1.0/24' } })
  })

  it('use the Node version, even after an upgrade, unless the options set a version', () => {
    const reporting = (nodeInfo: Readonly<Record<string, string>>) =>
      ({ ...NODE, status: { nodeInfo } }) as TrackedObject
    const following = started({ ...OPTIONS, nodeName: 'node-1' })
    const { kubernetesVersion: newest } = sync(following).result
    const versionAfter = (nodeInfo: Readonly<Record<string, string>>) => {
      following.upsert(reporting(nodeInfo))
      return sync(following).result.kubernetesVersion
    }
    expect(versionAfter({ kubeProxyVersion: 'v1.30.4', kubeletVersion: 'v1.31.0' })).toBe('1.30')
    expect(versionAfter({ kubeProxyVersion: '', kubeletVersion: 'v1.34.1-distribution.2' })).toBe('1.34')
    expect(versionAfter({ kubeletVersion: 'v1.99.0' })).toBe(newest)
    const fixed = started({ ...OPTIONS, nodeName: 'node-1', kubernetesVersion: '1.31' })
    fixed.upsert(reporting({ kubeProxyVersion: 'v1.30.4' }))
    expect(sync(fixed).result.kubernetesVersion).toBe('1.31')
  })

  it('report each diagnostic once, and again if it disappeared in between', () => {
    const following = started()
    const bad = {
      kind: 'Service',
      metadata: { namespace: 'ns1', name: 'bad' },
      spec: { clusterIP: '10.96.0.7', ports: [{ port: 70000 }] },
    }
    const messages = () => sync(following).newDiagnostics.map(({ object, code }) => `${object.name} ${code}`)
    const first = messages()
    following.upsert(bad as TrackedObject)
    expect(messages()).toEqual(['bad invalidPort'])
    following.upsert({ ...bad } as TrackedObject)
    expect(messages()).toEqual([])
    following.markFailed()
    expect(messages()).toEqual([])
    following.delete(bad as TrackedObject)
    expect(messages()).toEqual([])
    following.upsert(bad as TrackedObject)
    expect(messages()).toEqual(['bad invalidPort'])
    expect(first.filter((message) => message.startsWith('bad'))).toEqual([])
  })

  it('use the latest configuration object, or the configuration in the options after it is deleted', () => {
    const following = started()
    const podCidr = () => sync(following).result.families[0]?.plan.node.localTrafficDetection
    const configuration = (name: string, clusterCIDR: string) =>
      ({ kind: 'KubeProxyConfiguration', metadata: { name }, clusterCIDR }) as TrackedObject
    following.upsert(configuration('a', '10.1.0.0/16'))
    following.upsert(configuration('b', '10.2.0.0/16'))
    following.upsert(configuration('a', '10.3.0.0/16'))
    expect(podCidr()).toMatchObject({ cidr: { text: '10.3.0.0/16' } })
    following.delete(configuration('a', '10.3.0.0/16'))
    expect(podCidr()).toMatchObject({ cidr: { text: '10.244.0.0/16' } })
  })

  it.each([
    {},
    { metadata: null },
    { metadata: 'web' },
    { metadata: { namespace: 7, name: ['web'] } },
    { metadata: { namespace: { toString: 7 }, name: { toString: 7 } } },
    { metadata: JSON.parse('{"__proto__": {"name": "web"}}') },
  ])('report an unnamed object until it is deleted: %j', (fields) => {
    const following = started()
    const nameless = { kind: 'Service', ...fields } as unknown as TrackedObject
    following.upsert(nameless)
    following.upsert({ ...nameless })
    const { patch, result } = sync(following)
    expect(isEmptyPatch(patch)).toBe(true)
    expect(result.diagnostics.filter(({ severity }) => severity === 'error').length).toBeGreaterThan(0)
    expect(result.diagnostics.filter(({ code }) => code === 'duplicateObject')).toEqual([])
    following.delete(nameless)
    expect(sync(following).result.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  })

  it('do not affect other trackers', () => {
    const [one, two] = [started(), tracker()]
    expect(sync(two).result.counts.servicePorts).toBe(0)
    expect(sync(one).result.counts.servicePorts).toBe(1)
  })
})

describe('createTracker and clusters of more than 1,000 endpoints', () => {
  const OTHER = { ...SERVICE, metadata: { namespace: 'ns1', name: 'other' } }
  const OTHER_SLICE = { kind: 'EndpointSlice', ...slice(at('10.244.9.1'), { name: 'other-1', service: 'other' }) }
  const addresses = Array.from({ length: 1000 }, (_, index) => `10.244.${index >> 8}.${index & 255}`)
  const MANY = { kind: 'EndpointSlice', ...slice(at(...addresses)) }
  const commented = '-A KUBE-SEP-[A-Z2-7]{16} -m comment --comment ns1/other:http -s 10.244.9.1'
  const text = ({ result }: TrackerUpdate) => printFamily(result, { family: 'IPv4' })

  it('keep the comments of unchanged Services until the next full update', () => {
    const following = started()
    following.upsert(OTHER)
    following.upsert(OTHER_SLICE)
    sync(following)
    following.upsert(MANY)
    expect(text(sync(following))).toMatch(new RegExp(commented))
    expect(isEmptyPatch(following.sync().patch)).toBe(true)
    following.markFailed()
    const full = sync(following)
    expect(full.full).toBe(true)
    expect(text(full)).not.toMatch(new RegExp(commented))
    expect(isEmptyPatch(following.sync().patch)).toBe(true)
  })
})
