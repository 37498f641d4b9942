import type { Diagnostic } from '@kube-rules/types'
import { SCHEDULERS } from '../../dataplane/ipvs/ast.js'
import type { KernelSettings } from '../../plan/kernel-settings.js'

const DEFAULT_SCHEDULER = 'rr'

/** Returns the scheduler of every virtual server. */
export function schedulerOf({ ipvs }: KernelSettings): string {
  return ipvs.scheduler === '' ? DEFAULT_SCHEDULER : ipvs.scheduler
}

/**
 * Reports an error if the kernel does not support the scheduler. kube-proxy v1.30 checks the scheduler at startup
 * (`CanUseIPVSProxier`).
 */
export function checkScheduler(kernel: KernelSettings): readonly Diagnostic[] {
  const scheduler = schedulerOf(kernel)
  if (SCHEDULERS.includes(scheduler)) return []
  return [
    {
      severity: 'error',
      code: 'invalidConfiguration',
      object: { kind: 'KubeProxyConfiguration', name: 'config' },
      path: 'ipvs.scheduler',
      message: `${JSON.stringify(scheduler)} is not an IPVS scheduler`,
      expected: SCHEDULERS.join(', '),
    },
  ]
}
