import { appendFileSync } from 'node:fs'
import { verify } from '../../../../analyzer/src/verify/verify.js'
import { toCommands } from '../../../src/commands/to-commands.js'
import type { CompileResult } from '../../../src/compilation/compile-result.js'
import { isVersionAtLeast } from '../../../src/model/configuration/versions.js'
import { reconcile } from '../../../src/reconcile/reconcile.js'
import type { ProxyMode } from '../../../src/targets/modes.js'
import type { Tracker } from '../../../src/tracker/tracker-types.js'
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

// Takes a node through thousands of events with all kinds of faults. After each successful sync, the node must have the
// same rules as a new node that has loaded the full text.

interface EnduranceOptions extends NodeKind {
  /** The usual mode of the node. */
  readonly mode: ProxyMode
  /** Modes that the node changes to occasionally. */
  readonly otherModes: readonly ProxyMode[]
  readonly events: number
  /** The mean number of events between two syncs. */
  readonly eventsPerSync: number
  readonly seed: number
  /** Called about 20 times with the report so far. */
  readonly progress?: ((report: EnduranceReport) => void) | undefined
}

interface EnduranceReport {
  events: number
  modeChanges: number
  /** The number of successful syncs. */
  syncs: number
  /** The number of these syncs with a dump, and (`fromNothing`) with neither a dump nor a known state. */
  fromDump: number
  fromNothing: number
  /** The number of faults of each kind. */
  readonly faults: Record<string, number>
  /**
   * Descriptions of wrong rules after a successful sync, and (`unexplained`) errors of syncs that failed without a
   * fault.
   */
  readonly drift: string[]
  readonly unexplained: string[]
}

/**
 * Versions with the iptables, ipvs and nftables modes. 1.29 is excluded because nft rejects some of its sets with
 * overlapping source ranges (`overlappingSourceRanges`).
 */
const VERSIONS = drawnVersions('nftables').filter((version) => isVersionAtLeast(version, '1.30'))

const COMMAND_FAULTS: readonly CommandFault['kind'][] = ['fails before', 'fails after', 'killed']
const NODE_FAULTS = ['edited by hand', 'flushed by hand', 'second writer'] as const
const RESTARTS = ['restart', 'failed() called'] as const
const HELD_LOCK = 'held lock'
/** The time that another process holds the lock: shorter or longer than the tools wait. */
const HOLDING_SECONDS = [0.2, 60]

/** The test ends after this number of wrong states and unexplained failures. */
const ENOUGH = 5

interface Endurance {
  readonly run: CommandExecutor
  readonly options: EnduranceOptions
  readonly random: Random
  readonly report: EnduranceReport
  readonly lock: Lock
  situation: Situation
  tracker: Tracker
  /** Whether the tracker knows the rules on the node. */
  isKnown: boolean
  /** Whether the next sync needs a dump, because somebody else has changed the rules. */
  needsDump: boolean
  /** The commands since the last check of the node. */
  trail: string[]
}

/** Another process that holds the lock of the legacy tools. */
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
    // The last update starts from a dump, so that it must remove all leftovers.
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

/** Changes from the usual mode to a random one, or from another mode back to the usual one. */
function changeMode(endurance: Endurance): void {
  const { situation, options, random, report } = endurance
  const mode = situation.mode === options.mode ? random.oneOf([options.mode, ...options.otherModes]) : options.mode
  if (mode !== situation.mode) report.modeChanges++
  advance(endurance, { ...situation, mode })
}

/** Runs one sync, possibly with a fault. Returns whether the sync reported success. */
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

/** Chooses a low index more often, because most syncs have few commands. */
function commandFault(fault: string | undefined, random: Random): CommandFault | undefined {
  const kind = COMMAND_FAULTS.find((each) => each === fault)
  return kind && { kind, at: random.below(random.oneOf([1, 3, 10])) }
}

/** Causes a fault that happens between two syncs. */
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

/** Starts a new controller. In one of four cases, it has another version, as after an upgrade. */
function restart(endurance: Endurance): void {
  const { random, situation } = endurance
  const kubernetesVersion = random.once(4) ? random.oneOf(VERSIONS) : situation.kubernetesVersion
  endurance.situation = { ...situation, kubernetesVersion }
  endurance.tracker = startTracker(endurance.situation)
}

/**
 * Loads rules for another cluster, in any of the modes, as a second controller with outdated objects does. A command
 * may fail.
 */
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

/**
 * Compares the node with a new one after a successful sync. Returns a description of the differences; undefined if
 * there are none.
 */
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
      // Without a dump, an existing jump from a built-in chain keeps its position, as with kube-proxy.
      !(mayHaveLeftovers && kind === 'misplaced' && /^\w+\/[A-Z]+$/.test(location)),
  )
  return found.length === 0 ? undefined : JSON.stringify(found).slice(0, 2000)
}

/**
 * Reports whether a line may remain on the node until a sync with a dump. This applies to lines of chains that a new
 * node does not have: chains of service ports and endpoints, KUBE-MARK-MASQ, to which they jump, and empty chains of
 * the previous mode. In modes other than ipvs it also applies to virtual servers and to sets, which identify the
 * servers as kube-proxy's.
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

/** Returns a function that prints the figures of a report, and the problems since its last call. */
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
