import { networkInterfaces } from 'node:os'
import type { CompileResult, IpFamily } from '@kube-rules/compiler'
import { createProxyHealth } from '@kube-rules/proxy-kit'
import { expect, it, onTestFinished, vi } from 'vitest'
import { SILENT } from '../bed/fake-node.js'
import { createServiceHealth } from '../src/health.js'

type Counts = Partial<Record<IpFamily, number>>

/** Builds a result with a health-check port in each family of `counts`, which are the numbers of local endpoints. */
function resultWith(port: number, counts: Counts, ...addresses: readonly string[]): CompileResult {
  const families = (['IPv4', 'IPv6'] as const).map((family) => {
    const localEndpoints = counts[family]
    const healthCheckNodePorts =
      localEndpoints === undefined ? [] : [{ namespace: 'default', name: 'web', port, localEndpoints }]
    return { family, plan: { nodePorts: { all: addresses.length === 0, addresses } }, healthCheckNodePorts }
  })
  return { families } as unknown as CompileResult
}

const hasIPv6 = (networkInterfaces().lo ?? []).some(({ family }) => family === 'IPv6')

async function answerAt(host: string, port: number): Promise<readonly unknown[]> {
  const { status, headers } = await fetch(`http://${host}:${port}/`)
  return [status, headers.get('x-load-balancing-endpoint-weight')]
}

it('a health-check port returns the current answer, until its Service is deleted', async () => {
  const serviceHealth = createServiceHealth(createProxyHealth(60_000), SILENT, () => {})
  onTestFinished(serviceHealth.close)
  serviceHealth.update(resultWith(32_123, { IPv4: 2 }))
  expect(await vi.waitFor(() => answerAt('127.0.0.1', 32_123), 5_000)).toEqual([200, '2'])
  serviceHealth.update(resultWith(32_123, { IPv4: 0 }))
  expect(await answerAt('127.0.0.1', 32_123)).toEqual([503, '0'])
  serviceHealth.update(resultWith(32_123, {}))
  await vi.waitFor(() => expect(fetch('http://127.0.0.1:32123/')).rejects.toThrow(), 5_000)
})

it.skipIf(!hasIPv6)('a health-check port returns the answer of the family of the connection', async () => {
  const serviceHealth = createServiceHealth(createProxyHealth(60_000), SILENT, () => {})
  onTestFinished(serviceHealth.close)
  serviceHealth.update(resultWith(32_125, { IPv4: 1, IPv6: 0 }))
  expect(await vi.waitFor(() => answerAt('127.0.0.1', 32_125), 5_000)).toEqual([200, '1'])
  expect(await vi.waitFor(() => answerAt('[::1]', 32_125), 5_000)).toEqual([503, '0'])
  serviceHealth.update(resultWith(32_125, { IPv4: 1, IPv6: 2 }))
  expect(await answerAt('[::1]', 32_125)).toEqual([200, '2'])
})

it.skipIf(!hasIPv6).each([
  ['IPv4', '127.0.0.1', '[::1]'],
  ['IPv6', '[::1]', '127.0.0.1'],
])('a health-check port of a Service with only %s refuses the other family', async (family, own, other) => {
  const serviceHealth = createServiceHealth(createProxyHealth(60_000), SILENT, () => {})
  onTestFinished(serviceHealth.close)
  serviceHealth.update(resultWith(32_126, { [family]: 1 }))
  expect(await vi.waitFor(() => answerAt(own, 32_126), 5_000)).toEqual([200, '1'])
  await expect(fetch(`http://${other}:32126/`)).rejects.toThrow()
})

it('a health-check port listens only on the addresses for node ports', async () => {
  const serviceHealth = createServiceHealth(createProxyHealth(60_000), SILENT, () => {})
  onTestFinished(serviceHealth.close)
  serviceHealth.update(resultWith(32_124, { IPv4: 1 }, '127.0.0.2', '127.0.0.3'))
  for (const address of ['127.0.0.2', '127.0.0.3']) await vi.waitFor(() => fetch(`http://${address}:32124/`), 5_000)
  await expect(fetch('http://127.0.0.1:32124/')).rejects.toThrow()
  serviceHealth.update(resultWith(32_124, { IPv4: 1 }, '127.0.0.2'))
  await vi.waitFor(() => expect(fetch('http://127.0.0.3:32124/')).rejects.toThrow(), 5_000)
  expect((await vi.waitFor(() => fetch('http://127.0.0.2:32124/'), 10_000)).status).toBe(200)
})
