import type { SetElement } from '../../dataplane/nftables/state.js'
import type { Frontend } from '../../plan/plan.js'
import { FIREWALL_ALLOW_SET, FIREWALL_SET } from './fixed-names.js'

/**
 * Returns the elements of kube-proxy v1.29 for the source ranges of a frontend: its destination, and each destination with a
 * permitted source. Later generations have a chain for each service port, see `firewall-chain`.
 */
export function allowedSourceElements(
  { address = '', allowedSources }: Frontend,
  key: string,
  comment: string,
): readonly SetElement[] {
  if (allowedSources === undefined) return []
  const { ranges, includesThisNode } = allowedSources
  return [
    { set: FIREWALL_SET, element: { key, comment } },
    ...ranges.map(({ text }) => ({ set: FIREWALL_ALLOW_SET, element: { key: `${key} . ${text}`, comment } })),
    ...(includesThisNode ? [{ set: FIREWALL_ALLOW_SET, element: { key: `${key} . ${address}` } }] : []),
  ]
}
