import { describe, expect, it } from 'vitest'
import { formatFlagPage, formatStatusPage, HEALTHCHECK_METRICS } from '../../src/health/status-pages.js'

const WARNING = `Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for
debugging purposes only.`

describe('formatStatusPage', () => {
  const facts = { started: 'Thu, 01 Jan 2026 00:00:00 GMT', seconds: 90_061.9, paths: ['/metrics', '/flagz'] }

  it('returns the page of kube-proxy, with sorted paths and whole seconds', () => {
    expect(formatStatusPage({ ...facts, kubernetesVersion: '1.36' })).toBe(`
kube-proxy statusz
${WARNING}

Started: Thu, 01 Jan 2026 00:00:00 GMT
Up: 25 hr 01 min 01 sec
Emulation version: 1.36
Paths: /flagz /metrics
`)
  })

  it('shows no version before the first update', () => {
    expect(formatStatusPage({ ...facts, kubernetesVersion: undefined })).toContain('\nEmulation version: unknown\n')
  })
})

describe('formatFlagPage', () => {
  it('returns the flags in the order of their names', () => {
    const flags = { v: '2', 'proxy-mode': 'ipvs', config: undefined }
    expect(formatFlagPage(flags)).toBe(`\nkube-proxy flagz\n${WARNING}\n\nconfig=\nproxy-mode=ipvs\nv=2\n`)
  })
})

describe('HEALTHCHECK_METRICS', () => {
  it('has the sample of the health check ping', () => {
    expect(HEALTHCHECK_METRICS.split('\n').slice(1)).toEqual([
      '# TYPE kubernetes_healthcheck gauge',
      'kubernetes_healthcheck{name="ping",type="healthz"} 1',
      '',
    ])
  })
})
