import {
  checkList,
  checkObject,
  checkOptions,
  checkString,
} from '@kube-rules/compiler/internal/arguments/check-argument'
import { checkResult } from '@kube-rules/compiler/internal/arguments/check-result'
import { checkDump } from '@kube-rules/compiler/internal/arguments/check-state'
import type { CompileInput, CompileResult } from '@kube-rules/compiler/internal/compilation/compile-result'
import type { Dump, NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { IptablesBackend } from '@kube-rules/compiler/internal/dataplane/tool-options'
import { itemsOfArgument } from '@kube-rules/compiler/internal/model/reading/object-list'
import type { Fields } from '@kube-rules/compiler/internal/model/reading/read-field'
import type { EndpointSlice } from '@kube-rules/types'
import { checkReport } from '../arguments/check-results.js'
import { annotateOwners } from '../verify/annotate-owners.js'
import type { VerifyReport } from '../verify/report.js'
import { diagnoseBothBackends } from './both-backends.js'
import { diagnoseState, examineState } from './diagnose-state.js'
import type { Diagnosis } from './diagnosis.js'
import { readLastEndpointChanges } from './slice-facts.js'
import { tryNodeSteps } from './trial/try-node-steps.js'

/** Optional facts for diagnoses of a node, in addition to its report. */
export interface DiagnoseNodeOptions {
  /** The compile input. EndpointSlices with a change time (an annotation) provide the age of rules. */
  readonly input?: Pick<CompileInput, 'endpointSlices'> | undefined
}

/**
 * Diagnoses a node: effect, cause, remedy and rule. Problems that affect all Services come first. Returns an empty
 * list if there is no problem. `report` is the result of `verify` for the same result and dump.
 */
export function diagnoseNode(
  desired: CompileResult,
  dump: Dump,
  report: VerifyReport,
  options: DiagnoseNodeOptions = {},
): readonly Diagnosis[] {
  checkResult('desired', desired)
  checkDump('dump', dump)
  checkReport('report', report)
  const input = inputOf(options)
  const { mode } = desired
  const changes = readLastEndpointChanges(input)
  const diagnoses = desired.families.flatMap((compiled) => {
    const { family, state } = compiled
    const { drift = [], caveats = [] } = report.families.find((each) => each.family === family) ?? {}
    // A result for another node or mode gives no information about this node.
    if (drift.length === 0 || caveats.some(({ about }) => about !== 'input')) return []
    const live = annotateOwners(dump[family], state)
    const about = { mode, compiled, changes }
    const examine = (changed: NodeState) => examineState(changed, desired, about)
    return tryNodeSteps(diagnoseState(live, drift, about), { mode, family: compiled, live, examine })
  })
  return withoutRepetition(diagnoses)
}

function checkBackends(backends: unknown): readonly Fields[] {
  const expected = 'a list of backends, each with name, dump and report'
  return checkList('backends', backends, expected).map((each) => checkObject('backends', each, expected))
}

function inputOf(options: DiagnoseNodeOptions): NonNullable<DiagnoseNodeOptions['input']> {
  checkOptions<DiagnoseNodeOptions>(options, { input: 'other' })
  const { input = {} } = options
  const { endpointSlices } = checkObject('options.input', input, 'the input of compile')
  if (endpointSlices !== undefined) {
    itemsOfArgument('options.input.endpointSlices', 'EndpointSlice', endpointSlices as Iterable<EndpointSlice>)
  }
  return input
}

/** Removes duplicates, such as diagnoses that are identical in both families. */
function withoutRepetition(diagnoses: readonly Diagnosis[]): readonly Diagnosis[] {
  return [...new Map(diagnoses.map((diagnosis) => [JSON.stringify(diagnosis), diagnosis])).values()]
}

/** The state of one iptables backend, with its `verify` report. */
export interface BackendState {
  /** The name for the user, such as the name of a file. */
  readonly name: string
  /** The backend; absent if unknown. */
  readonly backend?: IptablesBackend | undefined
  /** The dump of this backend. */
  readonly dump: Dump
  /** The result of `verify` for that dump. */
  readonly report: VerifyReport
}

/**
 * Reports, for each family, that both iptables backends contain kube-proxy rules. Returns an empty list if only one
 * backend contains kube-proxy rules.
 */
export function diagnoseBackends(
  desired: CompileResult,
  backends: readonly BackendState[],
  options: DiagnoseNodeOptions = {},
): readonly Diagnosis[] {
  checkResult('desired', desired)
  for (const { name, dump, report } of checkBackends(backends)) {
    checkString('backends', name, 'the name of a backend')
    checkDump('backends', dump)
    checkReport('backends', report)
  }
  const input = inputOf(options)
  const changes = readLastEndpointChanges(input)
  const diagnoses = desired.families.flatMap(({ family, plan }) => {
    const states = backends.flatMap(({ name, backend, dump, report }) => {
      const familyReport = report.families.find((each) => each.family === family)
      return familyReport === undefined ? [] : [{ name, backend, live: dump[family], report: familyReport }]
    })
    return diagnoseBothBackends(states, plan, changes) ?? []
  })
  return withoutRepetition(diagnoses)
}
