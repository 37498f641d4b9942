import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import { checkOptionalFields, checkOptionalMap, checkOptions } from '../arguments/check-argument.js'
import { checkResult } from '../arguments/check-result.js'
import { checkCompleteDump } from '../arguments/check-state.js'
import type { PriorKnowledgeBySubsystem } from '../commands/change-commands.js'
import type { CompileResult, FamilyResult } from '../compilation/compile-result.js'
import { groupChangesBySubsystem } from '../dataplane/node-resources.js'
import { type Dump, type NodeState, SUBSYSTEMS, type Subsystem } from '../dataplane/node-state.js'
import { STATE_ASSEMBLERS } from '../dataplane/resource-conversions.js'
import { isDumpedByFamily } from '../dataplane/tool-names.js'
import { diffStates, isEmptyFamilyPatch, type NodeResources, type ResultPatch } from '../diff/diff.js'
import { EMPTY_STATE_DIGEST } from '../patch/digest.js'
import { joinChanges } from '../patch/order.js'
import { type Change, createPatch } from '../patch/patch.js'
import type { StaleConnection } from '../plan/stale-connection.js'
import { findStaleConnections } from '../plan/stale-connections.js'
import { SUBSYSTEMS_OF_MODE } from '../targets/modes.js'
import { diffPairsInOrder, pairNodeResources } from './node-changes.js'
import { changesFromUnknownState } from './unknown-changes.js'

/** Facts in addition to a dump. */
export interface ReconcileOptions {
  /**
   * Resources that the node may have from earlier results. Unexpected ones are removed if the dump does not cover them. Default:
   * none.
   */
  readonly suspected?: NodeResources | undefined
  /**
   * Whether the node has no other virtual servers than those in `suspected`. Without a dump, expected ones are then added or edited, and
   * the others are deleted by name, so that existing connections survive. Otherwise the table is cleared. Default: false.
   */
  readonly hasOnlySuspected?: boolean | undefined
  /** Stale UDP connections by family. Default: all to service ports with endpoints, as at a start of kube-proxy. */
  readonly staleConnections?: ReadonlyMap<IpFamily, readonly StaleConnection[]> | undefined
}

/**
 * Returns the patch from a dump of a node, as `parseDump` returns it, to a compile result. Afterwards the node has the
 * expected rules and no other rules of kube-proxy, of any version and mode. Resources of other programs stay, as in
 * `verify`. The dump needs the output of every tool: without the output of a tool, its state counts as unknown and is
 * written as a whole.
 *
 * Pass undefined if the state of the node is unknown. The patch then replaces nftables tables, sets, virtual servers
 * and bound addresses as a whole, and leaves iptables chains with unknown names. In other modes than ipvs, it also
 * leaves virtual servers, and the sets that prove in a later dump that they belong to kube-proxy.
 *
 * @throws DiagnosticsError with `invalidArgument` for anything but a complete dump.
 *
 * @example
 * ```ts
 * const result = compile(input, { nodeName: 'node-1' })
 * const parsed = parseDump('*nat\n:KUBE-SVC-OLD - [0:0]\nCOMMIT\n')
 * const patch = reconcile(parsed.value, result)
 * patch.families.map(({ family }) => family) // => ['IPv4', 'IPv6']
 * ```
 */
export function reconcile(actual: Dump | undefined, next: CompileResult, options: ReconcileOptions = {}): ResultPatch {
  if (actual !== undefined) checkCompleteDump('actual', actual)
  checkResult('next', next)
  const fields = checkOptions(options)
  checkOptionalMap('options', fields, 'suspected', 'a Map of resources by family')
  checkOptionalMap('options', fields, 'staleConnections', 'a Map of stale connections by family')
  checkOptionalFields('options', fields, ['hasOnlySuspected'], 'boolean')
  const { suspected = new Map(), hasOnlySuspected = false, staleConnections: stale } = options
  const families = [...next.families, ...lostFamilies(next, suspected)].map((each) => {
    const { family, plan } = each
    const isLost = !next.families.some((other) => other.family === family)
    const changes = familyChanges(each, next.mode, actual, { suspected, hasOnlySuspected, isLost })
    const { excludeCidrs } = plan.kernel.ipvs
    return {
      family,
      patch: createPatch(
        { from: () => EMPTY_STATE_DIGEST, to: () => diffStates(undefined, each.state).to },
        changes.changes,
      ),
      staleConnections: stale === undefined ? findStaleConnections(undefined, plan) : (stale.get(family) ?? []),
      ...(Object.keys(changes.start).length > 0 && { start: changes.start }),
      ...(excludeCidrs.length > 0 && { excludeCidrs }),
      keepsSharedChains: true,
    }
  })
  return { families: families.filter((each) => !isEmptyFamilyPatch(each)) }
}

/** Returns, without expected resources, the families that have suspected resources but are missing in the result. */
function lostFamilies({ families }: CompileResult, suspected: NodeResources): readonly ExpectedFamily[] {
  const [first] = families
  if (first === undefined) return []
  const lost = [...suspected].filter(([name, own]) => own.size > 0 && families.every(({ family }) => family !== name))
  return lost.map(([family]) => ({ family, state: { family }, plan: { ...first.plan, family, services: [] } }))
}

type ExpectedFamily = Pick<FamilyResult, 'family' | 'state' | 'plan'>

interface Suspicion {
  readonly suspected: NodeResources
  readonly hasOnlySuspected: boolean
  /** Whether the result does not contain the family, so that later dumps are not compared for it. */
  readonly isLost: boolean
}

interface FamilyChanges {
  readonly changes: readonly Change[]
  readonly start: PriorKnowledgeBySubsystem
}

function familyChanges(
  { family, state, plan }: ExpectedFamily,
  mode: CompileResult['mode'],
  actual: Dump | undefined,
  { suspected, hasOnlySuspected, isLost }: Suspicion,
): FamilyChanges {
  const live = actual && withSharedSubsystems(actual, family)
  const pairs = live === undefined ? [] : pairNodeResources({ mode, state, plan }, live)
  const isDumped = (name: Subsystem) => live?.[name] !== undefined
  const unknown = changesFromUnknownState(
    { mode, state, suspected: suspected.get(family) ?? new Map(), keepsSets: !hasOnlySuspected && !isLost },
    (name) => (isDumped(name) ? 'known' : live === undefined ? 'unknown' : 'notDumped'),
  )
  // Includes subsystems without expected resources, because existing resources have to be removed.
  const own = SUBSYSTEMS_OF_MODE[mode].filter((name) => !isDumped(name))
  const names = new Set([...groupChangesBySubsystem(unknown).keys(), ...own])
  return {
    changes: joinChanges([diffPairsInOrder(pairs), unknown]),
    start: Object.fromEntries(
      Array.from(names, (name) => [name, name === 'ipvs' && hasOnlySuspected ? 'suspected' : 'unknown']),
    ),
  }
}

/** Adds an empty state for each subsystem of both families that the dump contains for the other family only. */
function withSharedSubsystems(dump: Dump, family: IpFamily): NodeState {
  const own = dump[family]
  const isDumped = (name: Subsystem) => IP_FAMILIES.some((each) => dump[each][name] !== undefined)
  const shared = SUBSYSTEMS.filter((name) => own[name] === undefined && !isDumpedByFamily(name) && isDumped(name))
  return {
    ...own,
    ...Object.fromEntries(shared.map((name) => [name, STATE_ASSEMBLERS[name](new Map(), family)])),
  }
}
