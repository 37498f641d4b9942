import { iptablesToolOf } from '@kube-rules/compiler/internal/dataplane/iptables/tools'
import { familyOf } from '@kube-rules/types/internal/ip'
import type { TracePath } from '../../trace/trace-paths.js'
import { isCertain } from '../certainty.js'
import { rulesOfChain } from '../chain-rules.js'
import type { Diagnosis } from '../diagnosis.js'
import { userDefinedChainsOf } from '../node-diagnosis-context.js'
import type { PacketDiagnosisContext } from '../packet-diagnosis-context.js'
import { findServiceOfRules } from '../service-of-packet.js'
import { formatPacketsAtStart, RESTART_TEXT } from './words.js'

/**
 * Diagnoses a packet that does not reach the rules of its Service, because the built-in chain of table nat has no jump
 * to them, from complete rules alone.
 */
export function diagnoseMissingJump(path: TracePath, facts: PacketDiagnosisContext): Diagnosis | undefined {
  const { packet, state } = facts
  const service = findServiceOfRules(facts)
  const nat = state.iptables?.tables.find(({ name }) => name === 'nat')
  if (service === undefined || nat === undefined || !userDefinedChainsOf(nat).includes(TARGET)) return undefined
  const chain = packet.origin === 'node' ? 'OUTPUT' : 'PREROUTING'
  const rules = rulesOfChain(state, { table: 'iptables nat', chain })
  if (rules.some(({ jumpsTo }) => jumpsTo === TARGET)) return undefined
  const jump = `-m comment --comment "kubernetes service portals" -j ${TARGET}`
  return {
    code: 'missingRule',
    summary: `${formatPacketsAtStart(facts)} ${isCertain(path, facts) ? 'do' : 'may'} not reach the rules of ${service.text}: no rule of ${chain} in table nat jumps to ${TARGET}`,
    cause: `the rules of ${service.object} exist, but packets do not reach them; a firewall that reloads its rules often removes such jumps`,
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

const TARGET = 'KUBE-SERVICES'
