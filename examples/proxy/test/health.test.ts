import { networkInterfaces } from 'node:os'
import type { CompileResult } from '@kube-rules/compiler'
import { createProxyHealth } from '@kube-rules/compiler/proxy'
import { expect, it, onTestFinished, vi } from 'vitest'
import { SILENT } from '../bed/fake-node.js'
import { createServiceHealth } from '../src/health.js'

function resultWith(port: number, localEndpoints: number, ...addresses: readonly string[]): CompileResult {
  const healthCheckNodePorts = port === 0 ? [] : [{ namespace: 'default', name: 'web', port, localEndpoints }]
  const plan = { nodePorts: { all: addresses.length === 0, addresses } }
  return { families: [{ family: 'IPv4', plan, healthCheckNodePorts }] } as unknown as CompileResult
}

it('a health-check port returns the current answer to both families, until its Service is deleted', async () => {
  const serviceHealth = createServiceHealth(createProxyHealth(60_000), SILENT, () => {})
  onTestFinished(serviceHealth.close)
  serviceHealth.update(resultWith(32_123, 2))
  await vi.waitFor(() => fetch('http://127.0.0.1:32123/'), 5_000)
  const loopbacks = (networkInterfaces().lo ?? []).map(({ address, family }) =>
    family === 'IPv6' ? `[${address}]` : address,
  )
  for (const address of loopbacks) {
    const { status, headers } = await fetch(`http://${address}:32123/`)
    expect([status, headers.get('x-load-balancing-endpoint-weight')]).toEqual([200, '2'])
  }
  serviceHealth.update(resultWith(32_123, 0))
  expect((await fetch('http://127.0.0.1:32123/')).status).toBe(503)
  serviceHealth.update(resultWith(0, 0))
  await vi.waitFor(() => expect(fetch('http://127.0.0.1:32123/')).rejects.toThrow(), 5_000)
})

it('a health-check port listens only on the addresses for node ports', async () => {
  const serviceHealth = createServiceHealth(createProxyHealth(60_000), SILENT, () => {})
  onTestFinished(serviceHealth.close)
  serviceHealth.update(resultWith(32_124, 1, '127.0.0.2', '127.0.0.3'))
  for (const address of ['127.0.0.2', '127.0.0.3']) await vi.waitFor(() => fetch(`http://${address}:32124/`), 5_000)
  await expect(fetch('http://127.0.0.1:32124/')).rejects.toThrow()
  serviceHealth.update(resultWith(32_124, 1, '127.0.0.2'))
  await vi.waitFor(() => expect(fetch('http://127.0.0.3:32124/')).rejects.toThrow(), 5_000)
  expect((await vi.waitFor(() => fetch('http://127.0.0.2:32124/'), 10_000)).status).toBe(200)
})
