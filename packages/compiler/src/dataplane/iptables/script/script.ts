import type { IpFamily } from '@kube-rules/types'
import { diffLists } from '../../../patch/diff-lists.js'
import { type Change, diffReferences, type EditChange, type UpdateChange } from '../../../patch/patch.js'
import type { Resource } from '../../../patch/resource.js'
import { insertionsOf, removalsOf } from '../../../patch/splice.js'
import type { CommandPhase, PhasedCommand } from '../../netfilter/tool-command.js'
import type { IptablesBackend, SubsystemCommandOptions } from '../../tool-options.js'
import { isBuiltInChain } from '../built-in-chains.js'
import { createRuleArguments } from '../print/arguments.js'
import { parseChainId, rulesOf } from '../resources.js'
import { LOCK_WAIT_ARGUMENTS, restoreToolOf, ruleToolOf } from '../tools.js'
import { toCounterCommands } from './counters.js'
import {
  formatJumpLines,
  formatSpliceLines,
  selectAppendedJumps,
  selectInsertedJumps,
  subtractRules,
} from './edit-chain.js'
import {
  createLinesSection,
  createRemovalSection,
  createReplacementSection,
  joinSections,
  printSection,
  type RestoreSection,
  textLengthOf,
} from './section.js'
import { separateSharedAdditions } from './shared-chains.js'
import { groupChangesByTable, type JumpChange, type TableChanges, type TableJumpChanges } from './table-changes.js'

export interface IptablesCommandOptions
  extends Pick<SubsystemCommandOptions, 'family' | 'backend' | 'start' | 'isShared'> {
  /**
   * The maximum number of chains that one commit creates or removes on nft; a larger patch takes several commands.
   * Default: 2500.
   */
  readonly chainsPerCommit?: number | undefined
}

/**
 * The default maximum. The time of an iptables-nft commit is worse than quadratic in its chains, so larger commits cost
 * more than several smaller ones. It corresponds to about 250 service ports with ten endpoints each.
 */
const CHAINS_PER_COMMIT = 2500

/**
 * Returns the `iptables-restore -w 5 --noflush` commands that apply changes to the kernel; an empty list without
 * changes.
 *
 * Each COMMIT is atomic. After each one, every jump has its chain, and every service port that the patch does not
 * affect is served. Additions to tables other than nat come first, and removals from these tables come last. Once nat
 * has sent a packet to an endpoint, filter does not match its original destination any more. Between two commits, a
 * service port may therefore be served, rejected or both, but never neither.
 *
 * Chains with few changes are edited by rule, so that the other rules keep their counters. On nft, a patch with very
 * many chains is split: commands that create chains without references to them, a command that switches to them, and
 * commands that delete the chains without references. A command that fails leaves the state between two commits.
 *
 * If the node may have unknown rules, deleted chains are only flushed with the other changes. Later commands remove
 * them, and may fail, because an unknown rule may still refer to a chain. If nothing is known, each jump in a built-in
 * chain may or may not exist, so a separate command inserts or deletes it.
 *
 * Missing counters (nfacct) of new chains are created first.
 *
 * A chain that other programs also maintain (`isShared`) is not removed, nor are its rules and the jumps to it, because
 * other programs may have created them. A new rule or jump is inserted only if it is missing.
 */
export function toIptablesCommands(
  all: readonly Change[],
  { family, backend, chainsPerCommit = CHAINS_PER_COMMIT, start = 'known', isShared }: IptablesCommandOptions,
): readonly PhasedCommand[] {
  const { changes, sharedJumps, sharedRules } = separateSharedAdditions(groupChangesByTable(all), isShared)
  const tables = start === 'known' ? changes : changes.map(withoutDeletions)
  const known = start === 'unknown' ? tables.map((each) => ({ ...each, jumps: [] })) : tables
  const large = backend === 'nft' && countChains(known) > chainsPerCommit
  const commands = large ? staged(known, family, chainsPerCommit) : [single(known, family)]
  return [
    ...toCounterCommands(known),
    ...commands.filter(({ command }) => command.input !== ''),
    ...(start === 'unknown' ? changes.flatMap((each) => jumpRuns(each, family)) : []),
    ...[...sharedRules, ...sharedJumps].flatMap((each) => jumpRuns(each, family)),
    ...(start === 'known' ? [] : changes.flatMap((each) => removalRuns(each, family, backend))),
  ]
}

/** Replaces deletions of chains by flushes. */
function withoutDeletions(changes: TableChanges): TableChanges {
  return { ...changes, emptied: changes.deleted, deleted: [] }
}

/** Returns one command for each jump that must exist, and one for each jump that must not. */
function jumpRuns({ table, jumps }: TableJumpChanges, family: IpFamily): readonly PhasedCommand[] {
  const common = { tool: ruleToolOf(family), input: '' }
  return jumps.flatMap(({ before, after }) => [
    ...subtractRules(before, after).map(
      (rule): PhasedCommand => ({
        phase: 'switch',
        command: {
          ...common,
          args: createRuleArguments('-D', rule, table, family),
          purpose: `remove a jump from ${rule.chain}`,
          allowFailure: true,
          // The status is 2 if the destination of the jump is missing.
          nothingToDo: [1, 2],
        },
      }),
    ),
    ...[...selectInsertedJumps(after), ...selectAppendedJumps(after)].map(
      (rule): PhasedCommand => ({
        phase: 'switch',
        command: {
          ...common,
          args: createRuleArguments(rule.appended ? '-A' : '-I', rule, table, family),
          purpose: isBuiltInChain(table, rule.chain) ? `jump from ${rule.chain}` : `add a rule to ${rule.chain}`,
          skipIf: createRuleArguments('-C', rule, table, family),
        },
      }),
    ),
  ])
}

/**
 * Removes flushed chains. Each table has a separate command, so that a chain that cannot be removed affects no other
 * table.
 */
// iptables-nft exits with 4 if a rule refers to a chain; iptables-legacy only if another process holds the lock.
function removalRuns(
  { table, deleted }: TableChanges,
  family: IpFamily,
  backend: IptablesBackend,
): readonly PhasedCommand[] {
  if (deleted.length === 0) return []
  const purpose = 'remove chains without known references'
  const { phase, command } = restoreRun('withdraw', family, purpose, [
    printSection(table, joinSections(deleted.map(deletedSection))),
  ])
  return [{ phase, command: { ...command, allowFailure: true, ...(backend === 'nft' && { nothingToDo: [1, 4] }) } }]
}

function countChains(tables: readonly TableChanges[]): number {
  return tables.reduce((sum, { created, deleted }) => sum + created.length + deleted.length, 0)
}

function single(tables: readonly TableChanges[], family: IpFamily): PhasedCommand {
  return restoreRun('switch', family, 'change rules', inOrder(tables, family))
}

function staged(tables: readonly TableChanges[], family: IpFamily, size: number): readonly PhasedCommand[] {
  const change = tables.map((changes) => ({ ...changes, created: [], deleted: [] }))
  const portions = (
    list: (changes: TableChanges) => readonly Resource[],
    section: (chain: Resource) => RestoreSection,
  ) =>
    tables.flatMap((changes) =>
      portionsOf(list(changes), size).map((part) => printSection(changes.table, joinSections(part.map(section)))),
    )
  return [
    restoreRun(
      'provide',
      family,
      'create chains that are not referenced yet',
      portions(({ created }) => created, createdSection(family)),
    ),
    restoreRun('switch', family, 'switch to the new chains', inOrder(change, family)),
    restoreRun(
      'withdraw',
      family,
      'delete unreferenced chains',
      portions(({ deleted }) => deleted, deletedSection),
    ),
  ]
}

function restoreRun(
  phase: CommandPhase,
  family: IpFamily,
  purpose: string,
  sections: readonly string[],
): PhasedCommand {
  return {
    phase,
    command: {
      tool: restoreToolOf(family),
      args: [...LOCK_WAIT_ARGUMENTS, '--noflush'],
      input: sections.join(''),
      purpose,
    },
  }
}

function portionsOf<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
}

/** Returns the commits in order: additions to the other tables, then nat, then removals from the other tables. */
function inOrder(tables: readonly TableChanges[], family: IpFamily): readonly string[] {
  const nat = tables.filter(({ table }) => table === 'nat')
  const others = tables.filter(({ table }) => table !== 'nat')
  const print = (part: (changes: TableChanges, family: IpFamily) => RestoreSection) => (changes: TableChanges) =>
    printSection(changes.table, part(changes, family))
  if (nat.every(isNothing)) return others.map(print(wholeSection))
  const around = others.map(byRule)
  return [...around.map(print(additions)), ...nat.map(print(wholeSection)), ...around.map(print(removals))]
}

function isNothing({ created, updated, edited, jumps, emptied, deleted }: TableChanges): boolean {
  return created.length + updated.length + edited.length + jumps.length + emptied.length + deleted.length === 0
}

function wholeSection(
  { created, updated, edited, jumps, emptied, deleted }: TableChanges,
  family: IpFamily,
): RestoreSection {
  return joinSections([
    ...created.map(createdSection(family)),
    ...updated.map((update) => updatedSection(update, family)),
    ...edited.map((edit) => editedSection(edit, family)),
    ...jumps.map((change) => jumpsSection(change, family)),
    ...emptied.map(emptiedSection),
    ...deleted.map(deletedSection),
  ])
}

/** Converts rewritten chains to edits, because only edits can be split into additions and removals. */
function byRule(changes: TableChanges): TableChanges {
  const edits = changes.updated.map(({ id, before, after }): EditChange => {
    const splices = diffLists(rulesOf(before), rulesOf(after))
    return { kind: 'edit', id, ...diffReferences(before.refs, after.refs), splices }
  })
  return { ...changes, updated: [], edited: [...changes.edited, ...edits] }
}

function additions(changes: TableChanges, family: IpFamily): RestoreSection {
  const edited = changes.edited.map((edit) => ({ ...edit, splices: insertionsOf(edit.splices) }))
  const jumps = changes.jumps.filter(({ after }) => after.length > 0)
  return wholeSection({ ...changes, edited, jumps, emptied: [], deleted: [] }, family)
}

function removals(changes: TableChanges, family: IpFamily): RestoreSection {
  const edited = changes.edited.map((edit) => ({ ...edit, splices: removalsOf(edit.splices) }))
  const jumps = changes.jumps.filter(({ after }) => after.length === 0)
  return wholeSection({ ...changes, created: [], edited, jumps }, family)
}

function createdSection(family: IpFamily): (chain: Resource) => RestoreSection {
  return (resource) => createReplacementSection(parseChainId(resource.id).chain, rulesOf(resource), family)
}

function emptiedSection({ id }: Resource): RestoreSection {
  return { chains: [parseChainId(id).chain], lines: [], removed: [] }
}

function deletedSection({ id }: Resource): RestoreSection {
  return createRemovalSection(parseChainId(id).chain)
}

function editedSection({ id, splices }: EditChange, family: IpFamily): RestoreSection {
  return createLinesSection(formatSpliceLines(parseChainId(id).chain, splices, family))
}

function jumpsSection({ chain, before, after }: JumpChange, family: IpFamily): RestoreSection {
  return createLinesSection(formatJumpLines(chain, before, after, family))
}

/** Rewrites a chain or edits it rule by rule, depending on the shorter text. */
function updatedSection({ id, before, after }: UpdateChange, family: IpFamily): RestoreSection {
  const { chain } = parseChainId(id)
  const rewritten = createReplacementSection(chain, rulesOf(after), family)
  const edited = createLinesSection(formatSpliceLines(chain, diffLists(rulesOf(before), rulesOf(after)), family))
  return textLengthOf(rewritten) < textLengthOf(edited) ? rewritten : edited
}
