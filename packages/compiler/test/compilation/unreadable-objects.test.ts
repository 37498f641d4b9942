import { DiagnosticsError } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { compile } from '../../src/compilation/compile.js'
import type { CompileInput } from '../../src/compilation/compile-result.js'
import { compileNodes } from '../../src/many-nodes/compile-nodes.js'
import { print } from '../../src/print/print.js'
import { createTracker } from '../../src/tracker/tracker.js'
import { at, service, slice } from '../support/objects.js'

// Objects of another program may be proxies, or have getters. One that throws is left out like any other invalid object.

function thrown(): never {
  throw new Error('unreadable')
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

/** A list of any length without items. */
function longList(length: number): readonly unknown[] {
  return new Proxy([], { get: (list, key) => (key === 'length' ? length : Reflect.get(list, key)) })
}

const named = (name: string) => ({ namespace: 'ns1', name })
const ofWeb = { ...named('web-2'), labels: { 'kubernetes.io/service-name': 'web' } }

/** Objects that throw when they are read, and too long lists. */
const UNREADABLE: Readonly<Record<string, Partial<Record<keyof CompileInput, unknown>>>> = {
  'a Service that is a revoked proxy': { services: [revoked()] },
  'a Service with a getter as metadata': {
    services: [
      {
        get metadata() {
          return thrown()
        },
      },
    ],
  },
  'a Service with a getter as spec': {
    services: [
      {
        metadata: named('bad'),
        get spec() {
          return thrown()
        },
      },
    ],
  },
  'a Service with a getter in a port': {
    services: [
      {
        metadata: named('bad'),
        spec: {
          clusterIP: '10.96.0.9',
          ports: [
            {
              get port() {
                return thrown()
              },
            },
          ],
        },
      },
    ],
  },
  'a Service with too many ports': {
    services: [{ metadata: named('bad'), spec: { clusterIP: '10.96.0.9', ports: longList(2 ** 32 - 1) } }],
  },
  'an EndpointSlice with a getter as labels': {
    endpointSlices: [
      {
        metadata: {
          ...named('bad'),
          get labels() {
            return thrown()
          },
        },
      },
    ],
  },
  'an EndpointSlice with an endpoint that is a revoked proxy': {
    endpointSlices: [{ metadata: ofWeb, addressType: 'IPv4', ports: [{ name: '', port: 80 }], endpoints: [revoked()] }],
  },
  'an EndpointSlice with too many endpoints': {
    endpointSlices: [{ metadata: ofWeb, addressType: 'IPv4', ports: [], endpoints: longList(2 ** 31) }],
  },
  'an Endpoints object with a getter as metadata': {
    endpoints: [
      {
        get metadata() {
          return thrown()
        },
      },
    ],
  },
}

const INPUT = { services: [service()], endpointSlices: [slice(at('10.244.1.5'))] }
const OPTIONS = { families: ['IPv4'] } as const

function textOf({ families: [family] }: ReturnType<typeof compile>): string {
  return family === undefined ? '' : print(family.state)
}

describe('an object that throws when it is read', () => {
  const expected = textOf(compile(INPUT, OPTIONS))

  it.each(Object.entries(UNREADABLE))('is reported and omitted: %s', (_, objects) => {
    const input = { ...INPUT } as Record<string, unknown>
    for (const [kind, list] of Object.entries(objects))
      input[kind] = [...((input[kind] as readonly unknown[] | undefined) ?? []), ...(list as readonly unknown[])]
    const result = compile(input as unknown as CompileInput, OPTIONS)
    expect(result.diagnostics.filter(({ severity }) => severity === 'error')).toMatchObject([
      { code: 'invalidType', object: { kind: expect.stringMatching(/^(?:Service|EndpointSlice|Endpoints)$/) } },
    ])
    expect(textOf(result)).toBe(expected)
    const nodes = compileNodes(input as unknown as CompileInput, { ...OPTIONS, nodeNames: ['node-1'] })
    expect(Array.from(nodes, ({ nodeName }) => nodeName)).toEqual(['node-1'])
  })

  it('is reported by replace and rejected by upsert of a tracker', () => {
    const tracker = createTracker()
    const bad = {
      metadata: named('bad'),
      get spec() {
        return thrown()
      },
    }
    tracker.replace('Service', [service(), bad as never])
    const [error] = tracker.sync().result.diagnostics.filter(({ severity }) => severity === 'error')
    expect(error).toMatchObject({ code: 'invalidType', object: { kind: 'Service', name: 'bad' } })
    expect(() => tracker.upsert(bad as never, 'Service')).toThrow(DiagnosticsError)
  })
})

describe('an unreadable argument', () => {
  it.each<[string, object]>([
    [
      'a getter that throws as services',
      {
        get services() {
          return thrown()
        },
      },
    ],
    ['a revoked proxy as services', { services: revoked() }],
    ['a list of Services that is too long', { services: longList(2 ** 32 - 1) }],
    [
      'a getter that throws in the configuration',
      {
        ...INPUT,
        configuration: {
          get mode() {
            return thrown()
          },
        },
      },
    ],
    ['a revoked proxy as host', { ...INPUT, host: revoked() }],
  ])('is rejected with a DiagnosticsError: %s', (_, input) => {
    for (const call of [
      () => compile(input as CompileInput, OPTIONS),
      () => compileNodes(input as CompileInput, { ...OPTIONS, nodeNames: ['node-1'] }),
    ])
      expect(call).toThrow(DiagnosticsError)
  })
})
