import { describe, expect, it } from 'vitest'
import { createProxyHealth } from '../../src/proxy/proxy-health.js'

describe('createProxyHealth', () => {
  it('is healthy until the first update', () => {
    const health = createProxyHealth(60_000)
    health.queued(0)
    expect(health.report('/healthz', 3_600_000)).toEqual({ status: 200, lastUpdated: 3_600_000, nodeEligible: true })
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
})
