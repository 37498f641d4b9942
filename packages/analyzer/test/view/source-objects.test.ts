import type { EndpointSlice, Endpoints, Service } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import { compileNodes } from '../../../compiler/src/many-nodes/compile-nodes.js'
import { formatServicePort } from '../../../compiler/src/model/services/format-service-port.js'
import { cases } from '../../../compiler/test/support/clusters.js'
import { runs } from '../../../compiler/test/support/runs.js'
import { sourceObjectsOf } from '../../src/view/source-objects.js'

function service(name: string): Service {
  return {
    metadata: { namespace: 'default', name },
    spec: { clusterIP: `10.96.0.${name.length}`, ports: [{ name: 'http', port: 80 }] },
  }
}

function slice(name: string, of: string): EndpointSlice {
  return {
    metadata: { namespace: 'default', name, labels: { 'kubernetes.io/service-name': of } },
    ...{ addressType: 'IPv4', ports: [{ name: 'http', port: 8080 }], endpoints: [{ addresses: ['10.244.1.1'] }] },
  }
}

const endpoints: Endpoints = {
  metadata: { namespace: 'default', name: 'legacy' },
  subsets: [{ addresses: [{ ip: '10.244.1.2' }], ports: [{ name: 'http', port: 8080 }] }],
}
const input = {
  services: [service('web'), service('legacy')],
  endpointSlices: [slice('web-b', 'web'), slice('web-a', 'web'), slice('other', 'gone')],
  endpoints: [endpoints, { ...endpoints, metadata: { namespace: 'default', name: 'web' } }],
  nodes: [{ metadata: { name: 'node-1' } }],
}

const reference = (kind: string, name: string) => ({ kind, namespace: 'default', name })
const WEB = [reference('Service', 'web'), reference('EndpointSlice', 'web-a'), reference('EndpointSlice', 'web-b')]

describe('sourceObjectsOf', () => {
  it('returns the Service and its slices, in order of precedence', () => {
    expect(sourceObjectsOf(compile(input), 'default/web:http/TCP')).toEqual(WEB)
  })

  it('returns the Endpoints of a Service without slices', () => {
    expect(sourceObjectsOf(compile(input), 'default/legacy:http/TCP')).toEqual([
      reference('Service', 'legacy'),
      reference('Endpoints', 'legacy'),
    ])
  })

  it.each(['default/gone:http/TCP', 'default/nobody:http/TCP', '', 'shared by all service ports'])(
    'returns nothing for %s',
    (servicePort) => {
      expect(sourceObjectsOf(compile(input), servicePort)).toEqual([])
    },
  )

  it('returns nothing for a result that did not come from compile', () => {
    expect(sourceObjectsOf({ ...compile(input) }, 'default/web:http/TCP')).toEqual([])
  })

  it('returns the same objects for a result of compileNodes', () => {
    const [node] = [...compileNodes(input, { nodeNames: ['node-1'] })]
    expect(node && sourceObjectsOf(node.result, 'default/web:http/TCP')).toEqual(WEB)
  })

  it('returns objects of the input for every service port of a plan', () => {
    fc.assert(
      fc.property(cases, ({ cluster, options }) => {
        const result = compile(cluster, options)
        const { services, endpointSlices, endpoints } = cluster
        const named = (kind: string, list: readonly Pick<Service, 'metadata'>[]) =>
          list.map(({ metadata }) => `${kind} ${metadata?.namespace}/${metadata?.name}`)
        const given = [
          ...named('Service', services),
          ...named('EndpointSlice', endpointSlices),
          ...named('Endpoints', endpoints),
        ]
        for (const { plan } of result.families) {
          for (const { id, endpoints } of plan.services) {
            const found = sourceObjectsOf(result, formatServicePort(id))
            expect(found[0]).toEqual({ kind: 'Service', namespace: id.namespace, name: id.name })
            expect(given).toEqual(
              expect.arrayContaining(found.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`)),
            )
            if (endpoints.length > 0) expect(found.length).toBeGreaterThan(1)
          }
        }
      }),
      { numRuns: runs(60) },
    )
  })
})
