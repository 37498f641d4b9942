import type { Diagnosis } from './diagnosis.js'
import { emptiedTableDiagnosis } from './emptied-table.js'
import { ipvsDiagnoses } from './ipvs-servers.js'
import { leftoverDiagnosis } from './leftovers.js'
import { missingJumpDiagnoses } from './missing-jumps.js'
import type { NodeDiagnosisFacts } from './node-facts.js'
import { staleRuleDiagnoses } from './stale-rules.js'
import { undeclaredChainDiagnosis } from './undeclared-chain.js'

/**
 * Diagnoses a node, with problems of all Services first. A problem that makes all further ones irrelevant is reported
 * alone.
 */
export function nodeDiagnoses(facts: NodeDiagnosisFacts): readonly Diagnosis[] {
  const alone = undeclaredChainDiagnosis(facts) ?? emptiedTableDiagnosis(facts)
  if (alone !== undefined) return [alone]
  return [
    ...missingJumpDiagnoses(facts),
    ...[leftoverDiagnosis(facts)].flatMap((diagnosis) => diagnosis ?? []),
    ...staleRuleDiagnoses(facts),
    ...ipvsDiagnoses(facts),
  ]
}
