import { type Cidr, cidrContains } from '@kube-rules/types'
import { isIpsetId } from '../../dataplane/ipset/resources.js'
import { planIpset } from '../../dataplane/ipset/script.js'
import { planIptables } from '../../dataplane/iptables/script.js'
import { idOfRealServerKey, isIpvsId, placeOfId } from '../../dataplane/ipvs/resources.js'
import { planIpvsadm } from '../../dataplane/ipvs/script.js'
import type { Stage } from '../../dataplane/netfilter/stage.js'
import { type Change, idOf, type Patch } from '../../diff/patch.js'
import type { ScriptOptions } from '../target.js'
import { isAddressId } from './address-resources.js'
import { planAddresses } from './addresses.js'

/**
 * The runs of tools that carry a patch of `diffIpvs` out: entries, servers, addresses and rules are added, each after
 * what it needs; then addresses, servers and entries are removed, each after what needs it. Rules match only sets that
 * exist, an address is served before it is bound, and what the patch does not touch stays as it is all the time.
 *
 * Only the commits of iptables are atomic: ipset, ipvsadm and ip apply their input line by line. For a first load this
 * is the order of one full sync of kube-proxy v1.30 but for the entries of sets, which kube-proxy adds after addresses.
 */
export function planIpvs(patch: Patch, options: ScriptOptions): readonly Stage[] {
  const { family, backend, ensure } = options
  const { sets, servers, addresses, rules } = byLanguage(patch.changes)
  const ipset = planIpset(sets)
  const ipvsadm = planIpvsadm(wantedChanges(servers, options.excludeCidrs ?? []), {
    stopped: realServerIds(options.terminating),
    waiting: realServerIds(options.waiting),
    ensure,
  })
  const ip = planAddresses(addresses, { ensure })
  return joinNeighbours([
    ...ipset.additions,
    ...ipvsadm.additions,
    ...ip.additions,
    ...planIptables({ ...patch, changes: rules }, { family, backend, ensureJumps: ensure }),
    ...ip.removals,
    ...ipvsadm.removals,
    ...ipset.removals,
  ])
}

interface ChangesByLanguage {
  readonly sets: Change[]
  readonly servers: Change[]
  readonly addresses: Change[]
  readonly rules: Change[]
}

function byLanguage(changes: readonly Change[]): ChangesByLanguage {
  const sorted: ChangesByLanguage = { sets: [], servers: [], addresses: [], rules: [] }
  for (const change of changes) sorted[languageOf(idOf(change))].push(change)
  return sorted
}

function languageOf(id: string): keyof ChangesByLanguage {
  if (isIpsetId(id)) return 'sets'
  if (isIpvsId(id)) return 'servers'
  return isAddressId(id) ? 'addresses' : 'rules'
}

/** The changes without deletions that kube-proxy would not make, of virtual servers with all their real servers. */
function wantedChanges(changes: readonly Change[], excludeCidrs: readonly Cidr[]): readonly Change[] {
  if (excludeCidrs.length === 0) return changes
  const spared = new Set(changes.flatMap((change) => (isSpared(change, excludeCidrs) ? [idOf(change)] : [])))
  return changes.filter((change) => {
    if (change.kind !== 'delete') return true
    return ![change.resource.id, ...change.resource.refs].some((id) => spared.has(id))
  })
}

function isSpared(change: Change, excludeCidrs: readonly Cidr[]): boolean {
  if (change.kind !== 'delete' || change.resource.refs.length > 0) return false
  const { address } = placeOfId(change.resource.id).virtualServer
  return excludeCidrs.some((cidr) => cidrContains(cidr, address))
}

function realServerIds(keys: readonly string[] = []): ReadonlySet<string> {
  return new Set(keys.map(idOfRealServerKey))
}

/** Runs of one tool that follow one another are one run. */
function joinNeighbours(stages: readonly Stage[]): readonly Stage[] {
  const joined: Stage[] = []
  for (const stage of stages) {
    const last = joined.at(-1)
    if (last !== undefined && canJoin(last, stage)) joined[joined.length - 1] = joinStages(last, stage)
    else joined.push(stage)
  }
  return joined
}

/** Commits of iptables stay apart where they are staged on purpose. */
function canJoin(first: Stage, second: Stage): boolean {
  return (first.tool === 'ipvsadm' || first.tool === 'ipset') && first.tool === second.tool
}

function joinStages(first: Stage, second: Stage): Stage {
  return { ...first, input: first.input + second.input, purpose: `${first.purpose}, ${second.purpose}` }
}
