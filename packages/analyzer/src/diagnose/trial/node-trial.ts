import type { CompileResult, FamilyResult } from '@kube-rules/compiler/internal/compilation/compile-result'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import type { Packet } from '@kube-rules/types'
import { createTracer } from '../../trace/trace.js'
import type { TraceContext } from '../../trace/trace-context.js'
import type { TracePath } from '../../trace/trace-paths.js'
import { type CompileArguments, type ServiceName, selectServices, tryCompile } from '../service-alternatives.js'
import { changeElement } from './change-elements.js'
import { changeInput } from './change-input.js'
import { compareNode } from './compared-node.js'
import { insertRule } from './insert-rules.js'
import { rewriteRules } from './rewrite-rules.js'
import type { StepChange } from './step-change.js'

/** The node on which changes are tried. */
export interface TrialNode {
  readonly state: NodeState
  readonly traceContext: TraceContext
  /** The objects and their rules. If absent, only changes of rules in the dump can be tried. */
  readonly objects?: TrialObjects | undefined
}

/** The objects of a node, and the rules that kube-proxy would write for them. */
export interface TrialObjects {
  readonly result: CompileResult
  readonly family: FamilyResult
  readonly from: CompileArguments | undefined
  /** The Services of the packet and of the cause; changed objects are compiled with only these. */
  readonly services: readonly ServiceName[]
}

/** The packet of a diagnosis, and the node on which its steps are tried. */
export interface PacketTrial extends TrialNode {
  readonly packet: Packet
  /** The paths before any step. */
  readonly paths: readonly TracePath[]
}

/** A node after changes: its plan, if there are objects, and its rules as a function from packets to paths. */
export interface ChangedNode {
  readonly plan: Plan | undefined
  readonly trace: (packet: Packet) => readonly TracePath[]
}

/**
 * Applies changes to a node, one after the other. Undefined if they cannot be tried, because the objects or the table
 * are unknown.
 */
export function applyStepChanges(node: TrialNode, changes: readonly StepChange[]): ChangedNode | undefined {
  let current: TrialNode | undefined = node
  for (const change of changes) current = current && applyStepChange(current, change)
  return current && { plan: current.objects?.family.plan, trace: createTracer(current.state, node.traceContext) }
}

function applyStepChange(node: TrialNode, change: StepChange): TrialNode | undefined {
  switch (change.kind) {
    case 'useAddress':
      return node
    case 'insertRule': {
      const state = insertRule(knownStateOf(node), change)
      return state && { ...node, state }
    }
    case 'addSetEntry':
    case 'setServerWeight': {
      const state = changeElement(knownStateOf(node), change)
      return state && { ...node, state }
    }
    default:
      return node.objects && applyObjectChange(node, node.objects, change)
  }
}

/** Returns the state of a node. If there are objects, it is completed with the tables of kube-proxy for them. */
export function knownStateOf({ state, objects }: TrialNode): NodeState {
  return objects === undefined ? state : compareNode(state, objects.result, objects.family).completed()
}

/** Applies a change of objects, or of all rules of kube-proxy. */
function applyObjectChange(node: TrialNode, objects: TrialObjects, change: StepChange): TrialNode | undefined {
  const { state } = node
  const { family, result } = objects
  if (change.kind === 'rewriteRules') return { ...node, state: compareNode(state, result, family).rewritten() }
  const compiled = compileChanged(objects, change)
  const changed = compiled?.families.find((each) => each.family === family.family)
  if (compiled === undefined || changed === undefined) return undefined
  return {
    ...node,
    state: state === family.state ? changed.state : rewriteRules(state, compiled.mode, changed),
    objects: { ...objects, family: changed },
  }
}

function compileChanged(
  { result, family, from, services }: TrialObjects,
  change: StepChange,
): CompileResult | undefined {
  if (from === undefined) return undefined
  const nodeName = family.plan.node.name
  const input = changeInput(selectServices(from.input, services, nodeName), change)
  const proxy: { readonly mode?: ProxyMode | undefined; readonly version?: string | undefined } =
    change.kind === 'changeProxy' ? change : {}
  const { mode = result.mode, version: kubernetesVersion = result.kubernetesVersion } = proxy
  return tryCompile(input, { ...from.options, nodeName, mode, kubernetesVersion })
}
