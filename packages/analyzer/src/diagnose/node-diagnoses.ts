import type { Diagnosis } from './diagnosis.js'
import { diagnoseEmptiedTable } from './emptied-table.js'
import { diagnoseIpvsServers } from './ipvs-servers.js'
import { diagnoseLeftovers } from './leftovers.js'
import { diagnoseMissingJumps } from './missing-jumps.js'
import type { NodeDiagnosisFacts } from './node-facts.js'
import { diagnoseStaleRules } from './stale-rules.js'
import { diagnoseUndeclaredChain } from './undeclared-chain.js'

/**
 * Diagnoses a node, with problems of all Services first. A problem that makes all further ones irrelevant is reported
 * alone.
 */
export function diagnoseNodeFacts(facts: NodeDiagnosisFacts): readonly Diagnosis[] {
  const alone = diagnoseUndeclaredChain(facts) ?? diagnoseEmptiedTable(facts)
  if (alone !== undefined) return [alone]
  return [
    ...diagnoseMissingJumps(facts),
    ...[diagnoseLeftovers(facts)].flatMap((diagnosis) => diagnosis ?? []),
    ...diagnoseStaleRules(facts),
    ...diagnoseIpvsServers(facts),
  ]
}
