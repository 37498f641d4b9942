import { checkIpset } from '../../dataplane/ipset/check.js'
import { checkState } from '../../dataplane/iptables/check.js'
import { checkIpvs } from '../../dataplane/ipvs/check.js'
import { invariant } from '../../internal/invariant.js'
import type { StateCounts, Target } from '../target.js'
import { LIMITATIONS, limitationsOf } from './limitations.js'
import { loadableSets } from './loadable-sets.js'
import { lower } from './lower.js'
import { checkScheduler } from './scheduler.js'
import type { IpvsModeState } from './state.js'

/** Mode `ipvs`. */
export const ipvsTarget: Target<IpvsModeState> = {
  limitations: LIMITATIONS,
  limitationsOf,
  validate: checkScheduler,
  lower,
  check,
  count,
}

function check({ virtualServers, ipsets, iptables }: IpvsModeState): void {
  const problems = [...checkIpvs(virtualServers), ...checkIpset(loadableSets(ipsets)), ...checkState(iptables)]
  invariant(problems.length === 0, `a state the kernel would refuse: ${JSON.stringify(problems)}`)
}

function count({ iptables }: IpvsModeState): StateCounts {
  const blocks = iptables.tables.flatMap((table) => table.blocks)
  const jumps = iptables.tables.reduce((total, table) => total + table.jumps.length, 0)
  const chains = blocks.reduce((total, block) => total + block.chains.length, 0)
  return { chains, rules: blocks.reduce((total, { rules }) => total + rules.length, jumps) }
}
