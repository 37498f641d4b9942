import type { ChainResult } from './chain-result.js'
import type { PathState } from './path-state.js'
import type { Chain } from './program.js'
import type { RunContext } from './split-path.js'

/** Effects in the chain that contains them. */
export interface EffectContext {
  readonly run: RunContext
  /** Formats the assumption that the instruction of the effects matches. */
  readonly condition: () => string
  /** Follows a path through a chain that the instruction calls. */
  readonly call: (chain: Chain, path: PathState) => readonly ChainResult[]
}
