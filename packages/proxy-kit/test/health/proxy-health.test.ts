import { describe, expect, it } from 'vitest'
import { processBehaviorOf } from '../../src/configuration/process-behavior.js'
import { formatHealthBody } from '../../src/health/health-body.js'
import { createProxyHealth, type ProxyHealth } from '../../src/health/proxy-health.js'

describe('createProxyHealth', () => {
  it('is healthy until the first update', () => {
    const health = createProxyHealth(60_000)
    health.queued(0)
    expect(health.report('/healthz', 3_600_000)).toMatchObject({
      ...{ status: 200, lastUpdated: 3_600_000, nodeEligible: true },
    })
  })

  it('is unhealthy while a change waits too long, and is healthy after an update', () => {
    const health = createProxyHealth(60_000)
    health.updated(1_000, 0)
    health.queued(2_000)
    expect(health.report('/livez', 61_999)).toMatchObject({ status: 200, lastUpdated: 61_999 })
    expect(health.report('/livez', 62_000)).toMatchObject({ status: 503, lastUpdated: 1_000 })
    expect(health.isHealthy(62_000)).toBe(false)
    health.updated(62_000, 61_000)
    expect(health.report('/livez', 62_000).status).toBe(200)
  })

  it('counts a change that arrives during an update as waiting', () => {
    const health = createProxyHealth(60_000)
    health.queued(10)
    health.updated(20, 0)
    expect(health.report('/livez', 60_010).status).toBe(503)
  })

  it.each([
    [{ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }],
    [{ spec: { taints: [{ key: 'ToBeDeletedByClusterAutoscaler' }] } }],
  ])('makes only /healthz fail if the Node is about to be removed: %j', (node) => {
    const health = createProxyHealth(60_000)
    health.setNode(node)
    expect(health.report('/healthz', 0)).toMatchObject({ status: 503, nodeEligible: false })
    expect(health.report('/livez', 0).status).toBe(200)
    health.setNode({ metadata: {} })
    expect(health.report('/healthz', 0).status).toBe(200)
  })

  it('makes /healthz fail until the Node is seen, and while it does not exist, with needsNode', () => {
    const health = createProxyHealth(60_000, { needsNode: true })
    expect(health.report('/healthz', 0)).toMatchObject({ status: 503, nodeEligible: false, isHealthy: true })
    health.setNode({})
    expect(health.report('/healthz', 0).status).toBe(200)
    health.setNode(undefined)
    expect(health.report('/healthz', 0).status).toBe(503)
  })
})

describe('formatHealthBody', () => {
  const formatTime = (time: number) => new Date(Date.UTC(2026, 0, 1) + time).toISOString()
  const body = (path: '/healthz' | '/livez', kubernetesVersion?: string, prepare = (_: ProxyHealth) => {}) => {
    const health = createProxyHealth(60_000, { needsNode: true })
    prepare(health)
    const families = ['IPv4', 'IPv6'] as const
    return formatHealthBody(path, health.report(path, 9_000), { kubernetesVersion, families, now: 9_000, formatTime })
  }
  const updated = (health: ProxyHealth) => {
    health.setNode({})
    health.updated(5_000, 4_000)
  }
  const ofFamily = '{"lastUpdated":"2026-01-01T00:00:05.000Z","healthy":true}'

  it('contains the health of each family from 1.33 on', () => {
    const times = '"lastUpdated":"2026-01-01T00:00:09.000Z","currentTime":"2026-01-01T00:00:09.000Z"'
    const status = `"status":{"IPv4":${ofFamily},"IPv6":${ofFamily}}`
    expect(body('/healthz', '1.36', updated)).toBe(`{${times},"nodeEligible":true,"healthy":true,${status}}`)
    expect(body('/livez', undefined, updated)).toBe(`{${times},"healthy":true,${status}}`)
  })

  it('contains the zero time of Go and no family before any update', () => {
    expect(body('/healthz', '1.36')).toBe(
      '{"lastUpdated":"0001-01-01T00:00:00Z","currentTime":"2026-01-01T00:00:09.000Z","nodeEligible":false,"healthy":true}',
    )
  })

  it('has the old form up to 1.32', () => {
    const times = '"lastUpdated": "2026-01-01T00:00:09.000Z","currentTime": "2026-01-01T00:00:09.000Z"'
    expect(body('/healthz', '1.32', updated)).toBe(`{${times}, "nodeEligible": true}`)
    expect(body('/livez', '1.32', updated)).toBe(`{${times}}`)
  })
})

describe('processBehaviorOf', () => {
  it('describes each version', () => {
    const names = ['1.32', '1.33', '1.35', '1.36', '1.37', undefined].map((version) => {
      return Object.entries(processBehaviorOf(version)).flatMap(([name, isOn]) => (isOn ? [name] : []))
    })
    const all = ['healthOfFamilies', 'healthNeedsNode', 'endsWithoutNode']
    expect(names).toEqual([[], all.slice(0, 1), all.slice(0, 2), all.slice(0, 2), all, all])
  })
})
