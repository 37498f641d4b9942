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
  it('reports in mode ipvs what is done otherwise than the plan says', () => {
    expect(limitationsIn('ipvs')).toEqual([
      {
        severity: 'info',
        code: 'modeLimitation',
        object: { kind: 'Service', namespace: 'default', name: 'web' },
        message:
          'default/web:http/TCP over IPv4: without endpoints there is a virtual server without real servers, and no rule that rejects or drops (emptyVirtualServer)',
      },
    ])
  })

  it('reports nothing of the kind in mode iptables', () => {
    expect(limitationsIn('iptables')).toEqual([])
  })

  it('refuses a scheduler that the kernel does not have, in mode ipvs only', () => {
    const input = { services, configuration: { ipvs: { scheduler: 'best' } } }
    const refused = safeCompile(input, { mode: 'ipvs' })
    if (refused.ok) throw new Error('it was accepted')
    const errors = refused.problems.filter(({ severity }) => severity === 'error')
    expect(errors).toMatchObject([{ code: 'invalidConfiguration', path: 'ipvs.scheduler' }])
    expect(safeCompile(input, { mode: 'iptables' }).ok).toBe(true)
  })
})
