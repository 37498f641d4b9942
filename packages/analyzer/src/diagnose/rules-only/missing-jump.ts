import { iptablesToolOf } from '@kube-rules/compiler/internal/dataplane/iptables/tools'
import { createCoverageQueries } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import { familyOf } from '@kube-rules/types/internal/ip'
import type { TracePath } from '../../trace/trace-paths.js'
import { isCertain } from '../certainty.js'
import { rulesOfChain } from '../chain-rules.js'
import type { Diagnosis } from '../diagnosis.js'
import { userDefinedChainsOf } from '../node-diagnosis-context.js'
import type { PacketDiagnosisContext } from '../packet-diagnosis-context.js'
import { findServiceOfRules } from '../service-of-packet.js'
import { formatPacketsAtStart, RESTART_TEXT } from './words.js'

const TARGET = 'KUBE-SERVICES'
const FIREWALL = 'a firewall that reloads its rules often removes'

/** The built-in chain of table nat that a packet enters, if none of its rules jumps to the rules of kube-proxy. */
interface ChainWithoutJump {
  readonly chain: 'OUTPUT' | 'PREROUTING'
  readonly isEmpty: boolean
  /** The problem as a clause. */
  readonly problem: string
}

function findChainWithoutJump({ packet, state }: PacketDiagnosisContext): ChainWithoutJump | undefined {
  const chain = packet.origin === 'node' ? 'OUTPUT' : 'PREROUTING'
  const rules = rulesOfChain(state, { table: 'iptables nat', chain })
  if (rules.some(({ jumpsTo }) => jumpsTo === TARGET || jumpsTo.startsWith('KUBE-PORTALS-'))) return undefined
  return { chain, isEmpty: rules.length === 0, problem: `no rule of ${chain} in table nat jumps to ${TARGET}` }
}

/**
 * Diagnoses a packet that does not reach the rules of its Service, because the built-in chain of table nat has no jump
 * to them, from complete rules alone.
 */
export function diagnoseMissingJump(path: TracePath, facts: PacketDiagnosisContext): Diagnosis | undefined {
  const { packet, state } = facts
  const service = findServiceOfRules(facts)
  const nat = state.iptables?.tables.find(({ name }) => name === 'nat')
  const found = findChainWithoutJump(facts)
  if (service === undefined || nat === undefined || found === undefined) return undefined
  if (!userDefinedChainsOf(nat).includes(TARGET)) return undefined
  const { chain, problem } = found
  const jump = `-m comment --comment "kubernetes service portals" -j ${TARGET}`
  return {
    code: 'missingRule',
    summary: `${formatPacketsAtStart(facts)} ${isCertain(path, facts) ? 'do' : 'may'} not reach the rules of ${service.text}: ${problem}`,
    cause: `the rules of ${service.object} exist, but packets do not reach them; ${FIREWALL} such jumps`,
    steps: [
      {
        text: 'Add the jump, as root on the node',
        command: `${iptablesToolOf(familyOf(packet.destination))} -t nat -I ${chain} 1 ${jump}`,
        change: { kind: 'insertRule', table: 'nat', chain, position: 1, rule: `-A ${chain} ${jump}` },
        impact: 'for all Services; kube-proxy adds this jump itself when it writes its rules again',
      },
      { text: `For a permanent fix, find the firewall that removes the jump, and ${RESTART_TEXT}` },
    ],
    object: service.object,
    rule: `nat/${TARGET}`,
    ruleStatus: `exists, but without a jump from ${chain}`,
  }
}

/** Describes a built-in chain that a partial dump has as a whole, and that does not jump to the rules of kube-proxy. */
export function describeMissingJump(
  facts: PacketDiagnosisContext,
): Pick<Diagnosis, 'summary' | 'cause' | 'rule' | 'ruleStatus'> | undefined {
  const { coverage, nftables, ipvs } = facts.state
  const found = findChainWithoutJump(facts)
  if (found === undefined || found.isEmpty || nftables !== undefined || ipvs !== undefined) return undefined
  const rule = `nat/${found.chain}`
  if (!createCoverageQueries(coverage).isComplete('iptables', 'nat', rule)) return undefined
  return {
    summary: `${formatPacketsAtStart(facts)} may not reach any rule of kube-proxy: ${found.problem}`,
    cause: `kube-proxy adds this jump in modes iptables and ipvs; ${FIREWALL} it, and a program that replaces kube-proxy does not need it`,
    rule,
    ruleStatus: `without a jump to ${TARGET}`,
  }
}
