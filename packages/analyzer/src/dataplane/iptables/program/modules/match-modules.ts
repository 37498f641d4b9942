import { ADDRESS_MODULES } from './address-modules.js'
import { BARE_OPTIONS } from './bare-options.js'
import { CONNECTION_MODULES } from './connection-modules.js'
import { COUNTER_MODULES } from './counter-modules.js'
import { HEADER_MODULES } from './header-modules.js'
import { INTERFACE_MODULES } from './interface-modules.js'
import { ipvs } from './ipvs.js'
import type { MatchModule } from './match-module.js'
import { recent } from './recent.js'
import { set } from './set.js'
import { TRANSPORT_MODULES } from './transport-modules.js'

/**
 * The options without a module, and all modules of iptables-extensions(8) and of the kernel. They read the words of a
 * match without a type. Add a match of kube-proxy to `matches.ts` of the compiler instead, which also prints and
 * normalizes it.
 */
export const MATCH_MODULES: readonly MatchModule[] = [
  BARE_OPTIONS,
  ...TRANSPORT_MODULES,
  ...ADDRESS_MODULES,
  ...HEADER_MODULES,
  ...INTERFACE_MODULES,
  ...CONNECTION_MODULES,
  ...COUNTER_MODULES,
  ...[ipvs, recent, set],
]

const BY_NAME: ReadonlyMap<string, MatchModule> = new Map(MATCH_MODULES.map((module) => [module.name, module]))

/** Returns the module with a name; undefined for a module of other programs. */
export function findMatchModule(name: string): MatchModule | undefined {
  return BY_NAME.get(name)
}
