import type { Outcome } from '@kube-rules/types'
import type { CompletedPath } from './walk.js'

/** Returns the outcome of a completed path. */
export function outcomeOf({ end, packet }: CompletedPath): Outcome {
  if (typeof end === 'object') return endedEarly(end)
  const { masqueraded, translatedBy, destination, destinationPort } = packet
  if (translatedBy === undefined) return { kind: 'unmatched', to: end, masqueraded }
  const isRedirected = translatedBy === 'redirect' || translatedBy === 'redirectToInterface'
  if (isRedirected) return { kind: 'proxy', port: destinationPort }
  return { kind: 'delivered', address: destination, port: destinationPort, masqueraded }
}

function endedEarly(end: Exclude<CompletedPath['end'], string>): Outcome {
  switch (end.kind) {
    case 'dropped':
      return { kind: 'dropped' }
    case 'rejected':
      return { kind: 'rejected', with: end.with }
    case 'unknown':
      return { kind: 'unknown', reason: end.reason }
  }
}
