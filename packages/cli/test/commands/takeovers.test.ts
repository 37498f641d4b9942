import { describe, expect, it } from 'vitest'
import { run } from '../support/run.js'

// A tenant takes over addresses of others. Reviewers must see it, whatever the names and however many addresses there
// are.

const BASE = `
apiVersion: v1
kind: Node
metadata: { name: node-1 }
spec: { podCIDR: 10.244.1.0/24 }
status: { addresses: [{ type: InternalIP, address: 192.168.0.2 }] }
---
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clusterCIDR: 10.244.0.0/16
---
${service('shop', 'web', '{ clusterIP: 10.96.0.20, ports: [{ name: p, port: 80 }] }', '10.244.2.8')}`

function service(namespace: string, name: string, spec: string, endpoint: string): string {
  return `apiVersion: v1
kind: Service
metadata: { namespace: ${namespace}, name: ${name} }
spec: ${spec}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { namespace: ${namespace}, name: ${name}-1, labels: { kubernetes.io/service-name: ${name} } }
addressType: IPv4
ports: [{ name: p, port: 8080 }]
endpoints: [{ addresses: [${endpoint}], nodeName: node-2 }]
---
`
}

const evilIn = (namespace: string) =>
  BASE + service(namespace, 'evil', '{ clusterIP: 10.96.0.20, ports: [{ name: p, port: 80 }] }', '10.244.6.6')

const traffic = (old: string, next: string, ...args: readonly string[]) =>
  run(['diff', 'old.yaml', 'new.yaml', '--traffic', '--family', '4', ...args], {
    files: { 'old.yaml': old, 'new.yaml': next },
  })

describe.each(['aaa', 'zzz'])('a Service in %s with the cluster IP of another Service', (namespace) => {
  it('is a difference with a warning in the text', async () => {
    const { exitCode, stdout } = await traffic(BASE, evilIn(namespace))
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(
      /^new warning: Service \S+: spec\.clusterIP: .* 10\.96\.0\.20:80 TCP, .*\[addressConflict\]\n\n/,
    )
    expect(stdout).toMatch(/\n {2}new: one of \S+ \(\S+, masqueraded\), \S+ \(\S+, masqueraded\) at random\n/)
    expect(stdout).toContain('\n  in use before: TCP 10.96.0.20:80 (shop/web)\n')
    expect(stdout).not.toContain('no difference')
  })

  it('is a change with a warning in the Markdown', async () => {
    const { exitCode, stdout } = await traffic(BASE, evilIn(namespace), '-o', 'markdown')
    expect(exitCode).toBe(1)
    const [summary, warning, change, ...others] = stdout.trimEnd().split('\n')
    expect(summary).toMatch(/^\*\*1 change\*\* from `old` to `new` in \d+ classes of packets$/)
    expect(warning).toMatch(/^- warning: `Service .* \[addressConflict\]`$/)
    expect(change).toMatch(/: `TCP 10\.96\.0\.20:80 \(shop\/web\)`, .* → `one of .* at random`$/)
    expect(others).toEqual([])
  })

  it('is contested in a change that does not concern it', async () => {
    const next = evilIn(namespace).replace('10.244.1.0/24', '10.244.1.0/25')
    const { exitCode, stdout } = await traffic(evilIn(namespace), next)
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^contested in old and new: TCP 10\.96\.0\.20:80, /)
    expect(stdout).toMatch(/\n\n0 differences, \d contested in \d+ classes of packets\n$/)
    const markdown = await traffic(evilIn(namespace), next, '-o', 'markdown')
    expect(markdown.stdout).toMatch(
      /^\*\*0 changes\*\* from `old` to `new`, 1 contested in `old` and `new` in \d+ classes/,
    )
    expect(markdown.exitCode).toBe(0)
  })

  it('is in the certificate', async () => {
    const { exitCode, stdout } = await run(['prove', '-f', 'new.yaml', '--family', '4'], {
      files: { 'new.yaml': evilIn(namespace) },
    })
    expect(stdout).toMatch(/proven for every packet, \d+ classes; limitations of iptables mode: .*contested \(\d+\)/)
    expect(exitCode).toBe(0)
  })

  it('is random in an explanation, which does not exclude any of the Services', async () => {
    const { stdout } = await run(['explain', '-f', 'new.yaml', '10.96.0.20:80', '--from', 'pod'], {
      files: { 'new.yaml': evilIn(namespace) },
    })
    expect(stdout).toMatch(/packets from a pod to 10\.96\.0\.20:80\/TCP go to one of \S+ and \S+ at random\n/)
    expect(stdout).not.toContain('never to')
  })
})

describe('a Service with an address of the node after eleven other addresses', () => {
  const ips = [...Array.from({ length: 11 }, (_, index) => `203.0.113.${101 + index}`), '192.168.0.2']
  const spec = `{ clusterIP: 10.96.7.7, externalIPs: [${ips}], ports: [{ name: p, port: 10250 }] }`
  const hidden = BASE + service('aaa', 'metrics', spec, '10.244.6.6')

  it('is listed first, with the node, in the Markdown', async () => {
    const { stdout } = await traffic(BASE, hidden, '-o', 'markdown')
    expect(stdout.split('\n').slice(1, 3)).toEqual([
      '- warning: `Service aaa/metrics: spec.externalIPs: aaa/metrics:p claims 192.168.0.2, which is an address of the node [nodeAddressConflict]`',
      '- **`aaa/metrics:p/TCP`**: `TCP 192.168.0.2:10250 (the node)`, `any other source`: `to the node, not handled by kube-proxy` → `10.244.6.6:8080`',
    ])
  })

  it('is listed first in the text', async () => {
    const { stdout } = await traffic(BASE, hidden)
    expect(stdout).toMatch(
      /^new warning: .*\n\ndiffers: TCP 192\.168\.0\.2:10250, .*\n {2}old: to the node, not handled by kube-proxy\n/,
    )
  })
})

describe('the Markdown of hostile names', () => {
  it('has them in code spans, shortened', async () => {
    const hostile = `@octocat www.evil.example https://evil.example/x GH-1 #1 \`<img src=x> ${'x'.repeat(70_000)}`
    const metadata = JSON.stringify({ namespace: 'shop', name: hostile })
    const next = `${BASE}apiVersion: v1\nkind: Service\nmetadata: ${metadata}\nspec: { clusterIP: 10.96.7.8, ports: [{ port: 80 }] }\n`
    const { exitCode, stdout } = await traffic(BASE, next, '-o', 'markdown')
    expect(exitCode).toBe(2)
    expect(stdout.length).toBeLessThan(1000)
    const outside = stdout.replace(/`[^`\n]*`/g, '')
    expect(outside).not.toMatch(/[@#<]|evil|GH-/)
    expect(stdout).toContain('`shop/@octocat www.evil.example https://evil.example/x GH-1 #1 \\u0060<im…xxx')
  })
})
