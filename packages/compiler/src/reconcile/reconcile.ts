import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import type { Starts } from '../commands/script-changes.js'
import type { CompileResult, FamilyResult } from '../compilation/compile-result.js'
import { changesBySubsystem } from '../dataplane/node-resources.js'
import { type Dump, type NodeState, SUBSYSTEMS, type Subsystem } from '../dataplane/node-state.js'
import { RESOURCE_FORMS } from '../dataplane/resource-forms.js'
import { isDumpedByFamily } from '../dataplane/tool-words.js'
import { diffStates, isEmptyFamily, type NodeResources, type ResultPatch } from '../diff/diff.js'
import { argumentError } from '../model/reading/argument-error.js'
import { describe } from '../model/reading/findings.js'
import { isObject } from '../model/reading/read-field.js'
import { NO_DIGEST } from '../patch/digest.js'
import { joinChanges } from '../patch/order.js'
import { type Change, patchOf } from '../patch/patch.js'
import { type StaleConnection, staleConnections } from '../plan/stale-connections.js'
import { SUBSYSTEMS_OF_MODE } from '../targets/modes.js'
import { changesOfPairs, pairsOnNode } from './node-changes.js'
import { changesFromUnknown } from './unknown-changes.js'

/** What is known beside a dump. */
export interface ReconcileOptions {
  /**
   * Resources that the node may hold, of results that were applied, in part or as a whole: what nobody wants of them is removed where
   * the dump does not tell. Default: none.
   */
  readonly suspected?: NodeResources | undefined
  /** The UDP connections to be forgotten, by family. Default: all to service ports that have endpoints, as where kube-proxy starts. */
  readonly staleConnections?: ReadonlyMap<IpFamily, readonly StaleConnection[]> | undefined
}

/**
 * What has to change so that a node that holds `actual`, as `parse` reads it from a dump, holds what was compiled and nothing else of
 * kube-proxy, of whatever version and mode. What belongs to others stays, as `verify` says. The dump has to have what every tool
 * prints: a tool of which it has nothing is taken for one that was not asked, and what it is there for is written as a whole.
 *
 * Undefined stands for a node of which nothing is known. Then the patch replaces as a whole what can be replaced (tables of nftables,
 * sets, virtual servers, bound addresses), and leaves what has no name that is known: chains of iptables.
 *
 * Throws DiagnosticsError (`invalidArgument`) for what is no dump, and for a fragment of one.
 */
export function reconcile(
  actual: Dump | undefined,
  next: CompileResult,
  { suspected = new Map(), staleConnections: stale }: ReconcileOptions = {},
): ResultPatch {
  if (actual !== undefined) checkDump(actual)
  const families = next.families.map((each) => {
    const { family, plan } = each
    const changes = familyChanges(each, next.mode, actual, suspected)
    const { excludeCidrs } = plan.kernel.ipvs
    return {
      family,
      patch: patchOf({ from: () => NO_DIGEST, to: () => diffStates(undefined, each.state).to }, changes.changes),
      staleConnections: stale === undefined ? staleConnections(undefined, plan) : (stale.get(family) ?? []),
      ...(Object.keys(changes.start).length > 0 && { start: changes.start }),
      ...(excludeCidrs.length > 0 && { excludeCidrs }),
      keepsSharedChains: true,
    }
  })
  return { families: families.filter((each) => !isEmptyFamily(each)) }
}

interface FamilyChanges {
  readonly changes: readonly Change[]
  readonly start: Starts
}

function familyChanges(
  { family, state, plan }: FamilyResult,
  mode: CompileResult['mode'],
  actual: Dump | undefined,
  suspected: NodeResources,
): FamilyChanges {
  const live = actual && withSharedLanguages(actual, family)
  const pairs = live === undefined ? [] : pairsOnNode({ mode, state, plan }, live)
  const isDumped = (name: Subsystem) => live?.[name] !== undefined
  const unknown = changesFromUnknown({ mode, state, suspected: suspected.get(family) ?? new Map() }, (name) =>
    isDumped(name) ? 'known' : live === undefined ? 'unknown' : 'notDumped',
  )
  // Also where nothing is wanted in a language of the mode: what is there has to go.
  const own = SUBSYSTEMS_OF_MODE[mode].filter((name) => !isDumped(name))
  const names = new Set([...changesBySubsystem(unknown).keys(), ...own])
  return {
    changes: joinChanges([changesOfPairs(pairs), unknown]),
    start: Object.fromEntries(Array.from(names, (name) => [name, 'unknown'])),
  }
}

/** With nothing in it of a language whose tool prints both families, where the dump has it of the other family. */
function withSharedLanguages(dump: Dump, family: IpFamily): NodeState {
  const own = dump[family]
  const isDumped = (name: Subsystem) => IP_FAMILIES.some((each) => dump[each][name] !== undefined)
  const shared = SUBSYSTEMS.filter((name) => own[name] === undefined && !isDumpedByFamily(name) && isDumped(name))
  return {
    ...own,
    ...Object.fromEntries(shared.map((name) => [name, RESOURCE_FORMS[name].assemble(new Map(), family)])),
  }
}

/** A result of `parse`, or one family alone, would look like a node that holds nothing. */
export function checkDump(actual: unknown): void {
  const expected = 'the value of a successful parse of a dump, as a whole'
  for (const family of IP_FAMILIES) {
    const state = isObject(actual) ? actual[family] : undefined
    if (!isObject(state) || state.family !== family) {
      throw argumentError('actual', `${describe(actual)} is no dump: it has no ${family}`, expected, family)
    }
    if (state.fragment !== undefined) throw argumentError('actual', 'the dump is a fragment', expected, family)
  }
}
