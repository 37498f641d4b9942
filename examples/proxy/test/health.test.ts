import { createServer } from 'node:net'
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

/** The ports below those that the kernel gives to connections. */
const [LOWEST, HIGHEST] = [20_000, 32_000]

/** Returns a port that no server uses, which another run of these tests on this machine does not try first. */
async function freePort(): Promise<number> {
  for (let tries = 0; ; tries++) {
    const port = LOWEST + ((process.pid * 16 + tries) % (HIGHEST - LOWEST))
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, () => resolve(true))
    })
    if (!isFree) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}

const hasIPv6 = (networkInterfaces().lo ?? []).some(({ family }) => family === 'IPv6')

async function answerAt(host: string, port: number): Promise<readonly unknown[]> {
  const { status, headers } = await fetch(`http://${host}:${port}/`)
  return [status, headers.get('x-load-balancing-endpoint-weight')]
}

it('a health-check port returns the current answer, until its Service is deleted', async () => {
  const port = await freePort()
  const serviceHealth = createServiceHealth(createProxyHealth(60_000), SILENT, () => {})
  onTestFinished(serviceHealth.close)
  serviceHealth.update(resultWith(port, { IPv4: 2 }))
  expect(await vi.waitFor(() => answerAt('127.0.0.1', port), 5_000)).toEqual([200, '2'])
  serviceHealth.update(resultWith(port, { IPv4: 0 }))
  expect(await answerAt('127.0.0.1', port)).toEqual([503, '0'])
  serviceHealth.update(resultWith(port, {}))
  await vi.waitFor(() => expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow(), 5_000)
})

it.skipIf(!hasIPv6)('a health-check port returns the answer of the family of the connection', async () => {
  const port = await freePort()
  const serviceHealth = createServiceHealth(createProxyHealth(60_000), SILENT, () => {})
  onTestFinished(serviceHealth.close)
  serviceHealth.update(resultWith(port, { IPv4: 1, IPv6: 0 }))
  expect(await vi.waitFor(() => answerAt('127.0.0.1', port), 5_000)).toEqual([200, '1'])
  expect(await vi.waitFor(() => answerAt('[::1]', port), 5_000)).toEqual([503, '0'])
  serviceHealth.update(resultWith(port, { IPv4: 1, IPv6: 2 }))
  expect(await answerAt('[::1]', port)).toEqual([200, '2'])
})

it.skipIf(!hasIPv6).each([
  ['IPv4', '127.0.0.1', '[::1]'],
  ['IPv6', '[::1]', '127.0.0.1'],
])('a health-check port of a Service with only %s refuses the other family', async (family, own, other) => {
  const port = await freePort()
  const serviceHealth = createServiceHealth(createProxyHealth(60_000), SILENT, () => {})
  onTestFinished(serviceHealth.close)
  serviceHealth.update(resultWith(port, { [family]: 1 }))
  expect(await vi.waitFor(() => answerAt(own, port), 5_000)).toEqual([200, '1'])
  await expect(fetch(`http://${other}:${port}/`)).rejects.toThrow()
})

it('a health-check port listens only on the addresses for node ports', async () => {
  const port = await freePort()
  const serviceHealth = createServiceHealth(createProxyHealth(60_000), SILENT, () => {})
  onTestFinished(serviceHealth.close)
  serviceHealth.update(resultWith(port, { IPv4: 1 }, '127.0.0.2', '127.0.0.3'))
  for (const address of ['127.0.0.2', '127.0.0.3']) await vi.waitFor(() => fetch(`http://${address}:${port}/`), 5_000)
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
  serviceHealth.update(resultWith(port, { IPv4: 1 }, '127.0.0.2'))
  await vi.waitFor(() => expect(fetch(`http://127.0.0.3:${port}/`)).rejects.toThrow(), 5_000)
  expect((await vi.waitFor(() => fetch(`http://127.0.0.2:${port}/`), 10_000)).status).toBe(200)
})
