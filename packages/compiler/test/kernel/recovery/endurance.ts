import { appendFileSync } from 'node:fs'
import { verify } from '../../../../analyzer/src/verify/verify.js'
import { toCommands } from '../../../src/commands/to-commands.js'
import type { CompileResult } from '../../../src/compilation/compile-result.js'
import { isAtLeast } from '../../../src/model/configuration/versions.js'
import { reconcile } from '../../../src/reconcile/reconcile.js'
import type { ProxyMode } from '../../../src/targets/modes.js'
import type { Tracker } from '../../../src/tracker/tracker.js'
import { drawnVersions } from '../../support/drawn-versions.js'
import { readDump } from '../../support/read-dump.js'
import { type CommandExecutor, inNewNamespace, type Sandbox, succeeded } from '../sandbox/sandbox.js'
import { changed, eventsOf, follow, type Situation, startTracker } from './cluster-events.js'
import { type CommandFault, carryOut, nextUpdate } from './controller.js'
import { editByHand, flushByHand } from './hand-edits.js'
import {
  dumpNode,
  dumpOfFreshLoad,
  linesBeside,
  linesWithout,
  type NodeKind,
  type NodeParts,
  setUpText,
} from './node.js'
import { type Random, randomOf } from './random.js'

// A node through thousands of events, on which everything goes wrong that can. After each sync that reported success it
// has to hold what a new node holds after a load of the full text.

interface EnduranceOptions extends NodeKind {
  /** The mode that the node is in most of the time. */
  readonly mode: ProxyMode
  /** Those to which it changes now and then. */
  readonly otherModes: readonly ProxyMode[]
  readonly events: number
  /** The mean number. */
  readonly eventsPerSync: number
  readonly seed: number
  /** Called now and then with what there is so far. */
  readonly progress?: ((report: EnduranceReport) => void) | undefined
}

interface EnduranceReport {
  events: number
  modeChanges: number
  /** Those that reported success. */
  syncs: number
  /** Of these, those that started from a dump, and from nothing. */
  fromDump: number
  fromNothing: number
  /** By kind. */
  readonly faults: Record<string, number>
  /** Nodes that were not as they should be, and what a sync said that failed for no reason. */
  readonly drift: string[]
  readonly unexplained: string[]
}

/** Those that know all modes but userspace. nft rejects some source ranges in the set of 1.29 (`overlappingSourceRanges`). */
const VERSIONS = drawnVersions('nftables').filter((version) => isAtLeast(version, '1.30'))

const COMMAND_FAULTS: readonly CommandFault['kind'][] = ['fails before', 'fails after', 'killed']
const NODE_FAULTS = ['edited by hand', 'flushed by hand', 'second writer'] as const
const RESTARTS = ['restart', 'failed() called'] as const
const HELD_LOCK = 'held lock'
/** So short that the tools wait for it, and longer than they wait. */
const HOLDING_SECONDS = [0.2, 60]

/** After so many nodes that are wrong, or syncs that fail, nothing new is to be learned. */
const ENOUGH = 5

interface Endurance {
  readonly run: CommandExecutor
  readonly options: EnduranceOptions
  readonly random: Random
  readonly report: EnduranceReport
  readonly lock: Lock
  situation: Situation
  tracker: Tracker
  /** Whether the tracker knows what the node holds. */
  isKnown: boolean
  /** Whether only a dump says what the node holds: somebody else changed it. */
  needsDump: boolean
  /** The commands since the node was last as it should be. */
  trail: string[]
}

/** The lock that the legacy tools take; others who hold it. */
interface Lock {
  readonly hold: (seconds: number) => Promise<void>
  readonly release: () => Promise<void>
}

export function endure(sandbox: Sandbox, options: EnduranceOptions): Promise<EnduranceReport> {
  return inNewNamespace(sandbox, async (execute) => {
    const run: CommandExecutor = async (command, input = '') => {
      const ran = await execute(command, input)
      endurance?.trail.push(`${command.join(' ')}: ${ran.status}\n${input}`)
      return ran
    }
    let endurance: Endurance | undefined
    succeeded(await run(['sh', '-e'], setUpText(options)))
    const events = eventsOf(options.events, options.seed)
    const random = randomOf(options.seed)
    const situation = { cluster: events.start, mode: options.mode, kubernetesVersion: random.oneOf(VERSIONS) }
    endurance = {
      ...{ run, options, random, situation, lock: lockOf(sandbox) },
      report: {
        events: 0,
        modeChanges: 0,
        syncs: 0,
        fromDump: 0,
        fromNothing: 0,
        faults: {},
        drift: [],
        unexplained: [],
      },
      tracker: startTracker(situation),
      ...{ isKnown: false, needsDump: false, trail: [] },
    }
    for (let index = 0; index < options.events && !isEnough(endurance.report); index++) {
      endurance.report.events++
      advance(endurance, { ...endurance.situation, cluster: changed(endurance.situation.cluster, events, index) })
      if (random.once(60)) changeMode(endurance)
      if (random.once(options.eventsPerSync)) while (!(await sync(endurance)) && !isEnough(endurance.report));
      if ((index + 1) % Math.ceil(options.events / 20) === 0) options.progress?.(endurance.report)
    }
    // After an update from a dump, no leftover is allowed.
    endurance.needsDump = true
    while (!(await sync(endurance)) && !isEnough(endurance.report));
    return endurance.report
  })
}

function isEnough({ drift, unexplained }: EnduranceReport): boolean {
  return drift.length + unexplained.length >= ENOUGH
}

function advance(endurance: Endurance, next: Situation): void {
  follow(endurance.tracker, endurance.situation, next)
  endurance.situation = next
}

/** Most of the time the node is in its own mode. */
function changeMode(endurance: Endurance): void {
  const { situation, options, random, report } = endurance
  const mode = situation.mode === options.mode ? random.oneOf([options.mode, ...options.otherModes]) : options.mode
  if (mode !== situation.mode) report.modeChanges++
  advance(endurance, { ...situation, mode })
}

/** One sync, in which something may go wrong. Whether it reported success. */
async function sync(endurance: Endurance): Promise<boolean> {
  const { run, options, random, report } = endurance
  const fault = random.once(3) ? random.oneOf(faultsOf(options)) : undefined
  if (fault !== undefined) await beforeSync(endurance, fault)
  const withDump = endurance.needsDump || random.once(endurance.isKnown ? 25 : 2)
  const dump = withDump ? readDump((await dumpNode(run, options)).text) : undefined
  const { commands, result, mayHaveLeftovers } = nextUpdate(endurance.tracker, options.backend, dump)
  const isHeld = fault === HELD_LOCK
  if (isHeld) await endurance.lock.hold(random.oneOf(HOLDING_SECONDS))
  const { applied, injected, stderr } = await carryOut(run, commands, options, commandFault(fault, random))
  if (isHeld) await endurance.lock.release()
  const isFaulty = injected || (isHeld && !applied.ok)
  if (fault !== undefined && isFaulty) count(report, fault)
  if (!applied.ok) {
    if (!isFaulty)
      report.unexplained.push(`${positionOf(endurance)}: ${applied.failed.purpose}: ${stderr}\n${applied.failed.input}`)
    if (fault === 'killed' && random.once(2)) restart(endurance)
    else endurance.tracker.markFailed()
    endurance.isKnown = false
    return false
  }
  report.syncs++
  if (dump !== undefined) report.fromDump++
  else if (!endurance.isKnown) report.fromNothing++
  endurance.isKnown = true
  endurance.needsDump = false
  const found = await problemOf(endurance, result, mayHaveLeftovers && dump === undefined)
  const trail = endurance.trail.splice(0)
  if (found === undefined) return true
  report.drift.push(`${positionOf(endurance)}: ${found}`)
  if (process.env.KUBE_RULES_TRAIL)
    appendFileSync(process.env.KUBE_RULES_TRAIL, `### ${positionOf(endurance)}: ${found}\n${trail.join('\n')}\n`)
  endurance.tracker.markFailed()
  endurance.isKnown = false
  endurance.needsDump = true
  return true
}

function faultsOf({ backend, ipvs }: NodeKind): readonly string[] {
  const lock = backend === 'legacy' && ipvs !== 'whole' ? [HELD_LOCK] : []
  return [...COMMAND_FAULTS, ...COMMAND_FAULTS, ...NODE_FAULTS, ...RESTARTS, ...lock]
}

/** The number of the command is mostly low: most scripts have few. */
function commandFault(fault: string | undefined, random: Random): CommandFault | undefined {
  const kind = COMMAND_FAULTS.find((each) => each === fault)
  return kind && { kind, at: random.below(random.oneOf([1, 3, 10])) }
}

/** Faults that happen between two syncs. */
async function beforeSync(endurance: Endurance, fault: string): Promise<void> {
  const { run, options, random, report } = endurance
  if (fault === 'restart') restart(endurance)
  else if (fault === 'failed() called') endurance.tracker.markFailed()
  else if (fault === 'edited by hand') {
    if (!(await editByHand(run, options, random))) return
  } else if (fault === 'flushed by hand') await flushByHand(run, options, random)
  else if (fault === 'second writer') await writeAsAnother(endurance)
  else return
  if (fault === 'restart' || fault === 'failed() called') endurance.isKnown = false
  else endurance.needsDump = true
  count(report, fault)
}

/** Now and then as another version, as after an upgrade. */
function restart(endurance: Endurance): void {
  const { random, situation } = endurance
  const kubernetesVersion = random.once(4) ? random.oneOf(VERSIONS) : situation.kubernetesVersion
  endurance.situation = { ...situation, kubernetesVersion }
  endurance.tracker = startTracker(endurance.situation)
}

/** Somebody who knows an older cluster loads the rules for it, in some mode, as far as it goes. */
async function writeAsAnother({ run, options, random, situation }: Endurance): Promise<void> {
  const { mode, otherModes, backend } = options
  const [older] = eventsOf(1, random.below(1000)).donors
  const other = { ...situation, cluster: older ?? situation.cluster, mode: random.oneOf([mode, ...otherModes]) }
  const { result } = startTracker(other).sync()
  const runs = toCommands(reconcile(undefined, result), { backend })
  await carryOut(run, runs, options)
}

function count({ faults }: EnduranceReport, kind: string): void {
  faults[kind] = (faults[kind] ?? 0) + 1
}

function positionOf({ report, situation }: Endurance): string {
  return `event ${report.events}, sync ${report.syncs}, ${situation.mode} ${situation.kubernetesVersion}`
}

/** What is wrong with the node after a sync that reported success. */
async function problemOf(
  { run, options }: Endurance,
  result: CompileResult,
  mayHaveLeftovers: boolean,
): Promise<string | undefined> {
  const [held, fresh] = await Promise.all([dumpNode(run, options), dumpOfFreshLoad(run, result, options)])
  const [missing, extra] = [linesWithout(fresh, held.parts), linesBeside(held.parts, fresh)]
  const unexpected = mayHaveLeftovers ? extra.filter((line) => !isLeftover(line, held.parts, fresh)) : extra
  if (missing.length + unexpected.length > 0) {
    const texts = [...missing.map((line) => `missing ${line}`), ...unexpected.map((line) => `extra ${line}`)]
    return texts.slice(0, 8).join('\n')
  }
  if (extra.length > 0) return undefined
  const report = verify(result, readDump(held.text), { complete: true, backend: options.backend })
  if (report.verdict === 'noDrift') return undefined
  const drift = report.families.flatMap((family) => family.drift.flatMap((group) => group.drift))
  const found = drift.filter(
    ({ subsystem, kind, location }) =>
      (options.ipvs === 'whole' || subsystem !== 'ipvs') &&
      // Without a dump, an existing jump keeps its place, as with kube-proxy.
      !(mayHaveLeftovers && kind === 'misplaced' && /^\w+\/[A-Z]+$/.test(location)),
  )
  return found.length === 0 ? undefined : JSON.stringify(found).slice(0, 2000)
}

/**
 * Whether a line is of a chain that a new node does not have, and that only a dump reveals: one of a service port or an
 * endpoint, KUBE-MARK-MASQ, which these refer to, or an empty chain of the mode of before. In other modes than ipvs also a virtual
 * server, or a set, which shows that the servers are kube-proxy's.
 */
function isLeftover(line: string, held: NodeParts, fresh: NodeParts): boolean {
  if (/^ipvs: /.test(line)) return (fresh.ipvs ?? []).length === 0
  if (/^ipset: (?:create|add) KUBE-/.test(line)) return (fresh.ipset ?? []).length === 0
  const [, part = '', table, chain] = /^(\w+ iptables): (\S+) (?:-A |:)(KUBE-\S+)/.exec(line) ?? []
  if (chain === undefined || fresh[part]?.some((each) => each.startsWith(`${table} :${chain} `))) return false
  const isUnknown = /^KUBE-(?:(?:SVC|SVL|SEP|EXT|FW|XLB)-|MARK-MASQ$)/.test(chain)
  return isUnknown || !held[part]?.some((each) => each.startsWith(`${table} -A ${chain} `))
}

const LOCK_HOLDER = 'exec 9>/run/xtables.lock; flock 9; echo $$ > /run/lock-holder; echo held; exec sleep "$0"'

function lockOf(sandbox: Sandbox): Lock {
  return {
    hold: (seconds) => sandbox.start(['sh', '-c', LOCK_HOLDER, String(seconds)]),
    release: async () => succeeded(await sandbox.run(['sh', '-c', 'kill $(cat /run/lock-holder) 2> /dev/null || :'])),
  }
}

/** Returns a function that prints the report so far. */
export function showReport(name: string): (report: EnduranceReport) => void {
  let shown = 0
  return ({ faults, drift, unexplained, ...counts }) => {
    const texts = Object.entries({ ...counts, drift: drift.length, unexplained: unexplained.length })
    const injected = Object.entries(faults).map(([kind, count]) => `${kind} ${count}`)
    console.log(`${name}: ${texts.map((each) => each.join(' ')).join(', ')}; faults: ${injected.join(', ')}`)
    for (const text of [...drift, ...unexplained].slice(shown)) console.log(text)
    shown = drift.length + unexplained.length
  }
}
