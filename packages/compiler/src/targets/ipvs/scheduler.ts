import type { Diagnostic } from '@kube-rules/types'
import type { Settings } from '../../configuration/settings.js'
import { SCHEDULERS } from '../../dataplane/ipvs/ast.js'

const DEFAULT_SCHEDULER = 'rr'

/** The scheduler of every virtual server. */
export function schedulerOf({ ipvs }: Settings): string {
  return ipvs.scheduler === '' ? DEFAULT_SCHEDULER : ipvs.scheduler
}

/** An error where the kernel has no such scheduler; kube-proxy v1.30 finds out when it starts (`CanUseIPVSProxier`). */
export function checkScheduler(settings: Settings): readonly Diagnostic[] {
  const scheduler = schedulerOf(settings)
  if (SCHEDULERS.includes(scheduler)) return []
  return [
    {
      severity: 'error',
      code: 'invalidConfiguration',
      object: { kind: 'KubeProxyConfiguration', name: 'config' },
      path: 'ipvs.scheduler',
      message: `${JSON.stringify(scheduler)} is not a scheduler of ipvs`,
      expected: SCHEDULERS.join(', '),
    },
  ]
}
