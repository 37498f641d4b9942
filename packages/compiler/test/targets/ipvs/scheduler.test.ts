import { describe, expect, it } from 'vitest'
import { SCHEDULERS } from '../../../src/dataplane/ipvs/ast.js'
import { kernelSettingsOf } from '../../../src/plan/kernel-settings.js'
import { checkScheduler, schedulerOf } from '../../../src/targets/ipvs/scheduler.js'
import { ipvsSettings } from '../../support/ipvs-states.js'
import { settings } from '../../support/model-builder.js'

const withScheduler = (scheduler: string) => kernelSettingsOf(settings({ ipvs: ipvsSettings({ scheduler }) }))

describe('schedulerOf', () => {
  it('returns rr if no scheduler is configured', () => {
    expect(schedulerOf(withScheduler(''))).toBe('rr')
  })
  it('returns the configured scheduler', () => {
    expect(schedulerOf(withScheduler('sed'))).toBe('sed')
  })
})

describe('checkScheduler', () => {
  it.each(['', ...SCHEDULERS])('accepts %j', (scheduler) => {
    expect(checkScheduler(withScheduler(scheduler))).toEqual([])
  })

  it.each(['RR', 'rr ', 'round-robin', 'constructor'])('rejects %j', (scheduler) => {
    expect(checkScheduler(withScheduler(scheduler))).toEqual([
      {
        severity: 'error',
        code: 'invalidConfiguration',
        object: { kind: 'KubeProxyConfiguration', name: 'config' },
        path: 'ipvs.scheduler',
        message: `"${scheduler}" is not an IPVS scheduler`,
        expected: 'rr, wrr, lc, wlc, lblc, lblcr, dh, sh, mh, sed, nq, fo, ovf, twos',
      },
    ])
  })
})
