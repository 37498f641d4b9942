import type { Rule } from '../../dataplane/iptables/ast.js'
import type { Features } from '../../model/configuration/features.js'
import { isServicePortChain, isServicePortChainOfAnyVersion } from '../shared/kube-chains.js'
import { LEGACY_INPUT_JUMP, listFilterTableJumps } from './legacy-jumps.js'

/**
 * Returns the jumps of the filter table that the cleanup of a version removes: the jumps of the version itself and, in
 * some versions, one jump of older versions.
 */
export function listRemovedFilterTableJumps(features: Features): readonly Rule[] {
  const jumps = listFilterTableJumps(features)
  return features.cleanupRemovesInputJump ? [...jumps, LEGACY_INPUT_JUMP] : jumps
}

/** Reports whether the cleanup of a version recognizes a chain as a chain of a service port. */
export function isServicePortChainOfVersion(chain: string, { xlbChains, cleanupRemovesXlb }: Features): boolean {
  if (xlbChains && /^KUBE-(?:SVL|EXT)-/.test(chain)) return false
  return cleanupRemovesXlb ? isServicePortChainOfAnyVersion(chain) : isServicePortChain(chain)
}
