import { describe, expect, it } from 'vitest'
import { run } from '../support/run.js'

// Ten changes as reviewers of manifests see them: the manifests have no cluster IP, no EndpointSlice and no status.

const WORKLOADS = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec:
  replicas: 2
  template:
    metadata: { labels: { app: web } }
    spec:
      containers: [{ name: web, ports: [{ name: http, containerPort: 8080 }, { name: alt, containerPort: 9090 }] }]
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: canary, namespace: shop }
spec:
  template:
    metadata: { labels: { app: canary } }
    spec: { containers: [{ name: web, ports: [{ name: http, containerPort: 8080 }] }] }
`
const WEB = `
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec:
  type: LoadBalancer
  selector: { app: web }
  ports: [{ name: http, port: 80, targetPort: http }]
`
const API = `
apiVersion: v1
kind: Service
metadata: { name: api, namespace: shop }
spec:
  selector: { app: web }
  ports: [{ name: http, port: 8000, targetPort: 8080 }]
`
const manifests = (...documents: readonly string[]) => documents.join('---')
const OLD = manifests(WORKLOADS, WEB, API)

const traffic = (next: string, ...args: readonly string[]) =>
  run(['diff', 'old.yaml', 'new.yaml', '--traffic', ...args], { files: { 'old.yaml': OLD, 'new.yaml': next } })

/** The change, the new manifests, and the expected list items without the addresses that are the same in all. */
const CHANGES: readonly (readonly [string, string, readonly string[]])[] = [
  [
    'the Deployment is scaled up',
    OLD.replace('replicas: 2', 'replicas: 4'),
    [
      'web:http WEB, any other source: POD-1 or POD-0 → 4 endpoints with POD-2 and POD-3',
      'api:http API, any other source: POD-1 or POD-0 → 4 endpoints with POD-2 and POD-3',
    ],
  ],
  [
    'the port of a Service changes',
    OLD.replace('port: 80,', 'port: 8081,'),
    [
      'web:http NODE:PORT (the node), TCP loopback port PORT, any other source: to the node, not handled by kube-proxy (dropped for some packets to loopback addresses) → POD-1 or POD-0',
      'web:http WEB, any other source: POD-1 or POD-0 → not handled by kube-proxy or to the node, not handled by kube-proxy (dropped for some packets to loopback addresses)',
      'web:http CLUSTER:8081, LB:8081, any other source: not handled by kube-proxy → POD-1 or POD-0',
    ],
  ],
  [
    'a source range is added',
    OLD.replace('type: LoadBalancer', 'type: LoadBalancer\n  loadBalancerSourceRanges: [192.0.2.128/25]'),
    [
      'web:http LB:80, any other source: POD-1 or POD-0 → dropped; because no source range of the Service contains its source',
    ],
  ],
  [
    'the external traffic policy becomes Local',
    OLD.replace('type: LoadBalancer', 'type: LoadBalancer\n  externalTrafficPolicy: Local'),
    [
      'web:http NODE:PORT, LB:80, from the network, any other source: POD-1 or POD-0, masqueraded → POD-0, with the client IP',
    ],
  ],
  [
    'a Service is removed',
    manifests(WORKLOADS, API),
    [
      'web:http WEB, any other source: POD-1 or POD-0 → not handled by kube-proxy or to the node, not handled by kube-proxy (dropped for some packets to loopback addresses)',
    ],
  ],
  ['a port is renamed', OLD.replace('{ name: http, port: 80,', '{ name: https, port: 80,'), []],
  [
    'a Service gets a node port',
    manifests(WORKLOADS, WEB, API.replace('spec:', 'spec:\n  type: NodePort')),
    [
      'api:http NODE:PORT (the node), TCP loopback port PORT, any other source: to the node, not handled by kube-proxy (dropped for some packets to loopback addresses) → POD-1 or POD-0',
    ],
  ],
  [
    'a Service selects other pods',
    manifests(WORKLOADS, WEB, API.replace('app: web', 'app: canary')),
    ['api:http API, any other source: POD-1 or POD-0 → CANARY'],
  ],
  [
    'a Service gets session affinity',
    OLD.replace('type: LoadBalancer', 'type: LoadBalancer\n  sessionAffinity: ClientIP'),
    ['web:http WEB, any other source: no session affinity → session affinity of 10800 s'],
  ],
  [
    'a target port names no container port',
    OLD.replace('targetPort: 8080', 'targetPort: htp'),
    [
      'api:http API, any other source: POD-1 or POD-0 → rejected with icmp-port-unreachable; because the Service has no endpoints; its selector matches pods, but EndpointSlice api-assumed-ipv4 has no port named http (it has none); its targetPort is htp',
    ],
  ],
  [
    'a Service selects no pods',
    OLD.replace(API, API.replace('app: web', 'app: wbe')),
    [
      'api:http API, any other source: POD-1 or POD-0 → rejected with icmp-port-unreachable; because the Service has no endpoints; no pod that matches its selector app=wbe is listed in an EndpointSlice',
    ],
  ],
  [
    'a named target port changes',
    OLD.replace('targetPort: http', 'targetPort: alt'),
    ['web:http WEB, any other source: POD-1 or POD-0 → POD-1:9090 or POD-0:9090'],
  ],
]

describe('diff --traffic -o markdown', () => {
  it.each(CHANGES)('prints at most five lines if %s', async (_change, next, items) => {
    const { exitCode, stdout } = await traffic(next, '-o', 'markdown')
    const [summary = '', ...rest] = stdout.trimEnd().split('\n')
    expect(rest.length).toBeLessThanOrEqual(4)
    expect(rest.at(-1)).toMatch(/^- assumed: `node node-1, \d cluster IPs, /)
    expect(rest.slice(0, -1).map(named)).toEqual(items)
    expect(exitCode).toBe(items.length === 0 ? 0 : 1)
    const count = items.length === 1 ? '1 change' : `${items.length} changes`
    expect(summary.replace(/\d+ classes/, 'N classes')).toBe(
      items.length === 0
        ? 'no difference in N classes of packets'
        : `**${count}** from \`old\` to \`new\` in N classes of packets`,
    )
  })
})

/** Removes code spans, and replaces assumed addresses by names. `WEB` is all frontends of the Service web. */
function named(line: string): string {
  return ADDRESSES.reduce((text, [address, name]) => text.replaceAll(address, name), line.replaceAll('`', ''))
    .replace(/^- \*\*shop\/(\S+)\/TCP\*\*: TCP /, '$1 ')
    .replace(/3[0-2]\d{3}/g, 'PORT')
    .replace(/(POD-\d|CANARY):8080/g, '$1')
    .replace(/^(web:http) (?=.*CLUSTER:)(?:(?:NODE:PORT|CLUSTER:80|LB:80|loopback port PORT), ){4}/, '$1 WEB, ')
}

const ADDRESSES: readonly (readonly [string, string])[] = [
  ['192.0.2.1', 'NODE'],
  ['198.18.132.183', 'CLUSTER'],
  ['198.19.179.45', 'LB'],
  ['198.18.39.176:8000', 'API'],
  ['198.19.81.7', 'POD-0'],
  ['198.19.22.56', 'POD-1'],
  ['198.19.19.111', 'POD-2'],
  ['198.19.48.100', 'POD-3'],
  ['198.19.5.167:8080', 'CANARY'],
]

describe('the comparison of manifests', () => {
  it('exits with 2 instead of reporting equality if a Service has no endpoints on either side', async () => {
    const unselected = OLD.replace(
      'app: web }\n  ports: [{ name: http, port: 8000',
      'app: x }\n  ports: [{ name: http, port: 8000',
    )
    const files = { 'old.yaml': unselected, 'new.yaml': unselected.replace('port: 8000', 'port: 8001') }
    const { exitCode, stdout } = await run(['diff', 'old.yaml', 'old.yaml', '--traffic', '--family', '4'], { files })
    expect(stdout).toMatch(
      /^no difference for other packets in \d+ classes of packets\n\nnot compared, because they cannot receive packets: shop\/api \(no endpoints\)\n$/,
    )
    expect(exitCode).toBe(2)
    const markdown = await run(['diff', 'old.yaml', 'old.yaml', '--traffic', '-o', 'markdown'], { files })
    expect(markdown.stdout.split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(/^no difference for other packets in \d+ classes of packets$/),
      '- not compared, because they cannot receive packets: `shop/api` (no endpoints)',
    ])
  })

  it('names the code of the error if a Service is invalid', async () => {
    const files = { 'old.yaml': OLD, 'new.yaml': OLD.replace('port: 8000', 'port: 800000') }
    const { exitCode, stdout, stderr } = await run(['diff', 'new.yaml', 'new.yaml', '--traffic', '-o', 'markdown'], {
      files,
    })
    expect(stdout).toContain('`shop/api` (invalid: invalidPort)')
    expect(stderr).toMatch(/Service shop\/api: spec\.ports\[0\]\.port: got 800000 \(expected .*\) \[invalidPort\]/)
    expect(exitCode).toBe(2)
  })

  it('exits with 2 if both sides reject all packets without assumed values', async () => {
    const next = OLD.replace('type: LoadBalancer', 'type: LoadBalancer\n  externalTrafficPolicy: Local')
    const { exitCode, stdout } = await traffic(next, '--no-assume')
    expect(stdout).toContain(
      'not compared, because they cannot receive packets: shop/api (no cluster IP), shop/web (no cluster IP)',
    )
    expect(exitCode).toBe(2)
  })

  it('exits with 1 for a difference, even if some Services are not compared', async () => {
    const next = OLD.replace('replicas: 2', 'replicas: 3').replace(
      'app: web }\n  ports: [{ name: http, port: 8000',
      'app: x }\n  ports: [{ name: http, port: 8000',
    )
    expect((await traffic(next)).exitCode).toBe(1)
  })

  it('lists assumed values and uncompared Services in the JSON document', async () => {
    const { stdout } = await traffic(OLD.replace('spec:\n  selector: { app: web }', 'spec:'), '-o', 'json')
    const { assumed, notCompared } = JSON.parse(stdout)
    expect(notCompared).toEqual([])
    expect(assumed).toContainEqual({
      object: { kind: 'Service', namespace: 'shop', name: 'api' },
      kind: 'clusterIP',
      path: 'spec.clusterIPs',
      value: '198.18.39.176',
    })
  })

  it.each([
    [
      'an empty EndpointSlice',
      'apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: { namespace: a, name: x-1, labels: { kubernetes.io/service-name: x } }\naddressType: IPv4\nendpoints: []\n',
      0,
    ],
    ['no EndpointSlice', '', 2],
  ])('for a Service that has %s exits with %s', async (_what, slice, code) => {
    const text = `apiVersion: v1\nkind: Service\nmetadata: { namespace: a, name: x }\nspec: { clusterIP: 10.0.0.1, selector: { a: b }, ports: [{ port: 80 }] }\n---\n${slice}`
    const { exitCode, stdout } = await run(
      ['compare', '-f', '-', '--kubernetes-versions', '1.31,1.32', '--no-assume'],
      { stdin: text },
    )
    expect(stdout).toContain('not compared, because they cannot receive packets: a/x (no endpoints)')
    expect(exitCode).toBe(code)
  })

  it('does not keep explain from tracing a packet to a Service that has only a selector', async () => {
    const { exitCode, stdout } = await run(['explain', '-f', '-', 'shop/web', '--from', 'pod'], { stdin: OLD })
    expect(stdout).toContain('=> 198.19.81.7:8080')
    expect(exitCode).toBe(0)
  })
})
