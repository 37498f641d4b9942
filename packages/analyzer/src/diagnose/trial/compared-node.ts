import type { CompileResult, FamilyResult } from '@kube-rules/compiler/internal/compilation/compile-result'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { createLazyGetter, enableMemo, memoize } from '@kube-rules/compiler/internal/internal/memo'
import type { DriftGroup, FamilyReport } from '../../verify/report.js'
import { verify } from '../../verify/verify.js'
import { completeState, rewriteRules } from './rewrite-rules.js'

/** The state of a node, compared with the rules that kube-proxy would write. */
export interface ComparedNode {
  /** Returns the drift of the family; empty if the state is of another node or mode. */
  readonly drift: () => readonly DriftGroup[]
  /** Returns the state after kube-proxy writes its rules again. */
  readonly rewritten: () => NodeState
  /** Returns the state with the missing subsystems and tables of the compiled state. */
  readonly completed: () => NodeState
}

/**
 * Compares the state of a node with the rules that kube-proxy would write. The last comparison is cached with the
 * state, because all packets of a node share it. `report` is the report of the family, if it is known.
 */
export function compareNode(
  state: NodeState,
  result: CompileResult,
  family: FamilyResult,
  report?: FamilyReport | undefined,
): ComparedNode {
  const recent = memoize(state, noComparison)
  if (recent.made?.family !== family || recent.made.mode !== result.mode) {
    recent.made = { mode: result.mode, family, compared: makeComparison(state, result, family, report) }
  }
  return recent.made.compared
}

interface RecentComparison {
  made?: { readonly mode: CompileResult['mode']; readonly family: FamilyResult; readonly compared: ComparedNode }
}

function noComparison(): RecentComparison {
  return {}
}

function makeComparison(
  state: NodeState,
  result: CompileResult,
  family: FamilyResult,
  report: FamilyReport | undefined,
): ComparedNode {
  return {
    drift: createLazyGetter(() => driftOf(report ?? verifyFamily(state, result, family))),
    rewritten: createLazyGetter(() => enableMemo(rewriteRules(state, result.mode, family))),
    completed: createLazyGetter(() => enableMemo({ ...completeState(state, family.state) })),
  }
}

/** Verifies the family of the packet. The other family has no part in its path. */
function verifyFamily(state: NodeState, result: CompileResult, family: FamilyResult): FamilyReport | undefined {
  const dump = { IPv4: { family: 'IPv4' }, IPv6: { family: 'IPv6' }, [state.family]: state } as const
  return verify({ ...result, families: [family] }, dump).families[0]
}

function driftOf(report: FamilyReport | undefined): readonly DriftGroup[] {
  return report === undefined || report.caveats.some(({ about }) => about !== 'input') ? [] : report.drift
}
