import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import { checkOptionalMap, checkOptions } from '../arguments/check-argument.js'
import { checkResult } from '../arguments/check-result.js'
import { checkCompleteDump } from '../arguments/check-state.js'
import type { CompileResult, FamilyResult } from '../compilation/compile-result.js'
import { groupChangesBySubsystem } from '../dataplane/node-resources.js'
import { type Dump, type NodeState, SUBSYSTEMS, type Subsystem } from '../dataplane/node-state.js'
import { STATE_ASSEMBLERS } from '../dataplane/resource-conversions.js'
import { isDumpedByFamily } from '../dataplane/tool-names.js'
import type { PriorKnowledgeBySubsystem } from '../dataplane/tool-options.js'
import { diffStates, isEmptyFamilyPatch, type NodeResources, type ResultPatch } from '../diff/diff.js'
import { EMPTY_STATE_DIGEST } from '../patch/digest.js'
import { concatChanges } from '../patch/order.js'
import { type Change, createPatch } from '../patch/patch.js'
import type { StaleConnection } from '../plan/stale-connection.js'
import { findStaleConnections } from '../plan/stale-connections.js'
import { SUBSYSTEMS_OF_MODE } from '../targets/modes.js'
import { diffPairsInOrder, pairNodeResources } from './node-changes.js'
import { createChangesFromUnknownState } from './unknown-changes.js'

/** The known facts about the node that a dump does not contain. */
export interface ReconcileOptions {
  /**
   * The resources that the node may have from earlier results. If such a resource is unexpected and the dump does not
   * cover its subsystem, the resource is removed. If this option is absent, there are no such resources.
   */
  readonly suspected?: NodeResources | undefined
  /**
   * Whether the node has only the virtual servers in `suspected`. If true and there is no dump, expected virtual
   * servers are added or edited and all others are deleted by name, so that existing connections survive. If false, the
   * whole table of virtual servers is cleared. Default: false.
   */
  readonly hasOnlySuspected?: boolean | undefined
  /**
   * The stale UDP connections by family. If absent, all connections to service ports with endpoints are stale, like at
   * a start of kube-proxy.
   */
  readonly staleConnections?: ReadonlyMap<IpFamily, readonly StaleConnection[]> | undefined
}

/**
 * Returns the patch from a dump of a node, as `parseDump` returns it, to a compile result. After the patch, the node
 * has the expected rules and no other rules of kube-proxy, of any version and mode. Resources of other programs stay,
 * like in `verify`. The dump should contain the output of every tool. If the output of a tool is missing, the state of
 * the tool counts as unknown: it is written as a whole if the expected mode uses the tool; otherwise rules of other
 * modes stay there, except those in `suspected`. A family that the result does not have also stays as it is, unless
 * `suspected` has resources of it.
 *
 * Pass undefined if the state of the node is unknown. The patch then replaces nftables tables, sets, virtual servers
 * and bound addresses as a whole, and leaves iptables chains with unknown names. If the expected mode is not ipvs, the
 * patch also leaves virtual servers. It then also leaves the sets, because the sets show in a later dump that the
 * virtual servers belong to kube-proxy.
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
  const types = { suspected: 'other', hasOnlySuspected: 'boolean', staleConnections: 'other' } as const
  const fields = checkOptions<ReconcileOptions>(options, types)
  checkOptionalMap('options', fields, 'suspected', 'a Map of resources by family')
  checkOptionalMap('options', fields, 'staleConnections', 'a Map of stale connections by family')
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

/**
 * Returns the families that have suspected resources but are missing in the result. These families have no expected
 * resources.
 */
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
  /** Whether the result does not contain the family. If so, later dumps are not compared for the family. */
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
  const actualState = actual && withSharedSubsystems(actual, family)
  const pairs = actualState === undefined ? [] : pairNodeResources({ mode, state, plan }, actualState)
  const isDumped = (name: Subsystem) => actualState?.[name] !== undefined
  const unknownStateChanges = createChangesFromUnknownState(
    { mode, state, suspected: suspected.get(family) ?? new Map(), keepsSets: !hasOnlySuspected && !isLost },
    (name) => (isDumped(name) ? 'known' : actualState === undefined ? 'unknown' : 'notDumped'),
  )
  // Includes subsystems without expected resources, because existing resources have to be removed.
  const own = SUBSYSTEMS_OF_MODE[mode].filter((name) => !isDumped(name))
  const names = new Set([...groupChangesBySubsystem(unknownStateChanges).keys(), ...own])
  return {
    changes: concatChanges([diffPairsInOrder(pairs), unknownStateChanges]),
    start: Object.fromEntries(
      Array.from(names, (name) => [name, name === 'ipvs' && hasOnlySuspected ? 'suspected' : 'unknown']),
    ),
  }
}

/** Reports whether a dump contains every subsystem for a family. */
export function hasEverySubsystem(dump: Dump, family: IpFamily): boolean {
  const state = withSharedSubsystems(dump, family)
  return SUBSYSTEMS.every((name) => state[name] !== undefined)
}

/**
 * Adds an empty state of this family for each subsystem with tools that dump both families together, if the dump
 * contains the subsystem only in the other family.
 */
function withSharedSubsystems(dump: Dump, family: IpFamily): NodeState {
  const own = dump[family]
  const isDumped = (name: Subsystem) => IP_FAMILIES.some((each) => dump[each][name] !== undefined)
  const shared = SUBSYSTEMS.filter((name) => own[name] === undefined && !isDumpedByFamily(name) && isDumped(name))
  return {
    ...own,
    ...Object.fromEntries(shared.map((name) => [name, STATE_ASSEMBLERS[name](new Map(), family)])),
  }
}
