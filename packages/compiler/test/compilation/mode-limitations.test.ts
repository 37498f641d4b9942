import { describe, expect, it } from 'vitest'
import { compile, safeCompile } from '../../src/compilation/compile.js'
import type { CompileOptions } from '../../src/compilation/compile-result.js'

const services = [
  {
    metadata: { namespace: 'default', name: 'web' },
    spec: { type: 'ClusterIP', clusterIP: '10.96.0.1', ports: [{ name: 'http', port: 80 }] },
  },
]

const limitationsIn = (mode: NonNullable<CompileOptions['mode']>) =>
  compile({ services }, { mode, families: ['IPv4'] }).diagnostics.filter(({ code }) => code === 'modeLimitation')

describe('compile', () => {
  it('reports a Service without endpoints as a limitation of ipvs mode', () => {
    expect(limitationsIn('ipvs')).toEqual([
      {
        severity: 'info',
        code: 'modeLimitation',
        object: { kind: 'Service', namespace: 'default', name: 'web' },
        message:
          'default/web:http/TCP over IPv4: without endpoints, the virtual server has no real servers, and no rule rejects or drops packets (emptyVirtualServer)',
      },
    ])
  })

  it('reports no limitation of iptables mode for a Service without endpoints', () => {
    expect(limitationsIn('iptables')).toEqual([])
  })

  it('rejects an unknown scheduler in ipvs mode only', () => {
    const input = { services, configuration: { ipvs: { scheduler: 'best' } } }
    const rejected = safeCompile(input, { mode: 'ipvs' })
    if (rejected.ok) throw new Error('it was accepted')
    const errors = rejected.problems.filter(({ severity }) => severity === 'error')
    expect(errors).toMatchObject([{ code: 'invalidConfiguration', path: 'ipvs.scheduler' }])
    expect(safeCompile(input, { mode: 'iptables' }).ok).toBe(true)
  })
})
