import { describe, expect, it } from 'vitest'
import { configuration, listJson, node, service, slice } from '../../support/objects.js'
import { run } from '../../support/run.js'

const ADDRESSES = ['192.168.0.2', 'fd00:1::2']

async function stat(
  before: readonly object[],
  after: readonly object[],
  ...args: string[]
): Promise<readonly string[]> {
  const host = node('node-1', ADDRESSES)
  const files = { 'old.json': listJson(host, ...before), 'new.json': listJson(host, ...after) }
  const { exitCode, stdout } = await run(['diff', 'old.json', 'new.json', '--stat', ...args], { files })
  expect(exitCode).toBe(stdout === '' ? 0 : 1)
  return stdout.split('\n').slice(0, -1)
}

/** Builds a slice of `web` with ready endpoints at these addresses. */
function endpoints(...addresses: readonly string[]): object {
  const ready = addresses.map((address) => ({ addresses: [address], conditions: { ready: true } }))
  return { ...slice('web', addresses[0] ?? '10.1.0.1'), endpoints: ready }
}

const web = service('web', ['10.0.0.1'])
const dual = service('web', ['10.0.0.1', 'fd00::1'])

describe('kube-rules diff --stat', () => {
  it('counts added and removed endpoints by address and port', async () => {
    const before = [web, endpoints('10.1.0.1', '10.1.0.2', '10.1.0.3')]
    expect(await stat(before, [web, endpoints('10.1.0.2', '10.1.0.3', '10.1.0.4', '10.1.0.5')])).toEqual([
      '+2 -1 endpoints default/web:http',
    ])
    expect(await stat(before, [web])).toEqual(['+0 -3 endpoints default/web:http'])
    expect(await stat([web], before)).toEqual(['+3 -0 endpoints default/web:http'])
  })

  it('counts only endpoints that receive packets', async () => {
    const unready = {
      ...slice('web', '10.1.0.1'),
      endpoints: [{ addresses: ['10.1.0.1'], conditions: { ready: false } }],
    }
    expect(await stat([web, endpoints('10.1.0.1')], [web, unready])).toEqual(['+0 -1 endpoints default/web:http'])
    expect(await stat([web], [web, unready])).toEqual([])
  })

  it('lists added and removed service ports, sorted by name', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name, index) => service(name, [`10.0.1.${index}`]))
    expect(await stat([c, b, a].filter(Boolean) as object[], [web, service('b', ['10.0.1.9'])])).toEqual([
      'removed default/a:http',
      'changed default/b:http',
      'removed default/c:http',
      'added default/web:http',
    ])
  })

  it('prints service ports without a port name', async () => {
    const unnamed = service('x', ['10.0.1.1'], { ports: [{ port: 80, protocol: 'TCP' }] })
    expect(await stat([web], [web, unnamed])).toEqual(['added default/x'])
  })

  it.each([
    ['its cluster IP', { clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9'] }],
    ['its port number', { ports: [{ name: 'http', port: 81, protocol: 'TCP' }] }],
    ['its external IPs', { externalIPs: ['192.0.2.1'] }],
    ['its traffic policy', { internalTrafficPolicy: 'Local' }],
    ['its session affinity', { sessionAffinity: 'ClientIP' }],
  ])('prints a service port as changed after a change to %s', async (_, spec) => {
    const slices = { ...slice('web', '10.1.0.1') }
    const changed = service('web', ['10.0.0.1'], spec)
    expect(await stat([web, slices], [changed, slices])).toEqual(['changed default/web:http'])
  })

  it('prints endpoint changes and, if another field changed too, that the service port changed', async () => {
    const affine = service('web', ['10.0.0.1'], { sessionAffinity: 'ClientIP' })
    expect(await stat([web, endpoints('10.1.0.1')], [affine, endpoints('10.1.0.2')])).toEqual([
      '+1 -1 endpoints default/web:http',
      'changed default/web:http',
    ])
  })

  it('prints a change if an endpoint moves to another node', async () => {
    const local = service('web', ['10.0.0.1'], { externalIPs: ['192.0.2.1'], externalTrafficPolicy: 'Local' })
    const here = slice('web', '10.1.0.1')
    const there = { ...here, endpoints: [{ addresses: ['10.1.0.1'], nodeName: 'node-2' }] }
    expect(await stat([local, here], [local, there])).toEqual(['changed default/web:http'])
  })

  it('prints the family of a service port if it exists in both families', async () => {
    expect(await stat([], [dual])).toEqual(['added default/web:http (IPv4)', 'added default/web:http (IPv6)'])
    expect(await stat([dual], [dual, endpoints('fd00:2::1')])).toEqual(['+1 -0 endpoints default/web:http (IPv6)'])
    expect(await stat([web], [dual])).toEqual(['added default/web:http (IPv6)'])
    expect(await stat([], [dual], '--family', '6')).toEqual(['added default/web:http'])
  })

  it('prints the number of conntrack deletions', async () => {
    const dns = service('dns', ['10.0.0.53'], { ports: [{ name: 'dns', port: 53, protocol: 'UDP' }] })
    expect(await stat([web, dns], [web])).toEqual(['removed default/dns:dns', '1 conntrack deletion'])
  })

  it('distinguishes service ports of the same name by protocol', async () => {
    const dns = (...protocols: string[]) =>
      service('dns', ['10.0.0.53'], { ports: protocols.map((protocol) => ({ name: 'dns', port: 53, protocol })) })
    expect(await stat([dns('TCP')], [dns('TCP', 'SCTP')])).toEqual(['added default/dns:dns'])
  })

  it('prints changes that affect every service port first', async () => {
    const before = [web, endpoints('10.1.0.1')]
    const masqueradeAll = configuration({ iptables: { masqueradeAll: true } })
    expect(await stat(before, [...before, masqueradeAll])).toEqual([
      'changed configuration',
      'changed default/web:http',
    ])
    expect(await stat(before, [web, masqueradeAll])).toEqual([
      'changed configuration',
      '+0 -1 endpoints default/web:http',
    ])
    const some = configuration({ nodePortAddresses: ['192.168.0.0/24'] })
    expect(await stat(before, [...before, some])).toEqual(['changed configuration', 'changed node'])
  })

  it('prints "changed other rules" if nothing else explains a difference', async () => {
    const many = (count: number) => ({
      ...slice('web', '10.1.0.1'),
      endpoints: Array.from({ length: count }, (_, index) => ({
        addresses: [`10.1.${index >> 8}.${index & 255}`],
        conditions: { ready: index === 1 },
      })),
    })
    expect(await stat([web, many(1000)], [web, many(1001)])).toEqual(['changed other rules'])
  })
})
