import type { CompileResult } from '@kube-rules/compiler'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createHealth, createServiceHealth, splitAddress } from '../src/health.js'

const SILENT = { info: () => {}, warning: () => {}, error: () => {} }
const AT_NOON = Date.parse('2026-01-01T12:00:00Z')

function healthAt() {
  const clock = { now: AT_NOON }
  return { clock, health: createHealth(60_000, () => clock.now) }
}

it('health is good while the proxy starts', () => {
  const { clock, health } = healthAt()
  health.queued()
  clock.now += 3_600_000
  expect(health.report(true)).toEqual({
    status: 200,
    body: '{"lastUpdated": "2026-01-01T13:00:00.000Z","currentTime": "2026-01-01T13:00:00.000Z", "nodeEligible": true}',
  })
})

it('health is bad if a change is pending for longer than the limit, and good again after a sync', () => {
  const { clock, health } = healthAt()
  health.updated(clock.now)
  health.queued()
  clock.now += 59_999
  expect(health.report(false).status).toBe(200)
  clock.now += 1
  expect(health.report(false)).toEqual({
    status: 503,
    body: '{"lastUpdated": "2026-01-01T12:00:00.000Z","currentTime": "2026-01-01T12:01:00.000Z"}',
  })
  health.updated(clock.now)
  expect(health.report(false).status).toBe(200)
})

it('health counts a change that arrives during a sync as pending', () => {
  const { clock, health } = healthAt()
  const start = clock.now
  clock.now += 10
  health.queued()
  health.updated(start)
  clock.now += 60_000
  expect(health.report(false).status).toBe(503)
})

it.each([
  [{ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }],
  [{ spec: { taints: [{ key: 'ToBeDeletedByClusterAutoscaler' }] } }],
])('/healthz returns 503 and /livez returns 200 if the Node is about to be removed: %j', (node) => {
  const { health } = healthAt()
  health.setNode(node)
  expect(health.report(true)).toMatchObject({ status: 503, body: expect.stringContaining('"nodeEligible": false') })
  expect(health.report(false).status).toBe(200)
  health.setNode({ metadata: {} })
  expect(health.report(true).status).toBe(200)
})

function resultWith(port: number, localEndpoints: number, ...addresses: readonly string[]): CompileResult {
  const healthCheckNodePorts = port === 0 ? [] : [{ namespace: 'default', name: 'web', port, localEndpoints }]
  const plan = { nodePorts: { all: addresses.length === 0, addresses } }
  return { families: [{ family: 'IPv4', plan, healthCheckNodePorts }] } as unknown as CompileResult
}

it('a health-check port returns the same answers as a health-check port of kube-proxy', async () => {
  const serviceHealth = createServiceHealth(healthAt().health, SILENT, () => {})
  onTestFinished(serviceHealth.close)
  serviceHealth.update(resultWith(32_123, 2))
  const response = await vi.waitFor(() => fetch('http://127.0.0.1:32123/'), 5_000)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(response.headers.get('x-load-balancing-endpoint-weight')).toBe('2')
  expect(await response.text()).toBe(
    '{\n\t"service": {\n\t\t"namespace": "default",\n\t\t"name": "web"\n\t},\n\t"localEndpoints": 2,\n\t"serviceProxyHealthy": true\n}',
  )
  serviceHealth.update(resultWith(32_123, 0))
  expect((await fetch('http://127.0.0.1:32123/')).status).toBe(503)
  serviceHealth.update(resultWith(0, 0))
  await vi.waitFor(() => expect(fetch('http://127.0.0.1:32123/')).rejects.toThrow(), 5_000)
})

it('a health-check port listens only on the addresses for node ports', async () => {
  const serviceHealth = createServiceHealth(healthAt().health, SILENT, () => {})
  onTestFinished(serviceHealth.close)
  serviceHealth.update(resultWith(32_124, 1, '127.0.0.2', '127.0.0.3'))
  for (const address of ['127.0.0.2', '127.0.0.3']) await vi.waitFor(() => fetch(`http://${address}:32124/`), 5_000)
  await expect(fetch('http://127.0.0.1:32124/')).rejects.toThrow()
  serviceHealth.update(resultWith(32_124, 1, '127.0.0.2'))
  await vi.waitFor(() => expect(fetch('http://127.0.0.3:32124/')).rejects.toThrow(), 5_000)
  expect((await vi.waitFor(() => fetch('http://127.0.0.2:32124/'), 10_000)).status).toBe(200)
})

it.each([
  ['0.0.0.0:10256', '0.0.0.0', 10256],
  ['[::]:10256', '::', 10256],
  [':10249', '', 10249],
])('splitAddress reads %s', (address, host, port) => {
  expect(splitAddress(address)).toEqual({ host, port })
})
