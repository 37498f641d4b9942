import type { Outcome } from '@kube-rules/types'
import { ANY_PROXY_PORT } from '../plan/ends-of-decision.js'

/** Removes the local port of the userspace proxy from an outcome, because a plan does not contain this port. */
export function withoutProxyPort<End extends { readonly outcome: Outcome }>(end: End): End {
  return end.outcome.kind === 'proxy' ? { ...end, outcome: ANY_PROXY_PORT } : end
}
