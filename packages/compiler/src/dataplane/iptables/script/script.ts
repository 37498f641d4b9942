import type { IpFamily } from '@kube-rules/types'
import { diffLists } from '../../../patch/diff-lists.js'
import { type Change, diffReferences, type EditChange, type UpdateChange } from '../../../patch/patch.js'
import type { Resource } from '../../../patch/resource.js'
import { insertionsOf, removalsOf } from '../../../patch/splice.js'
import type { CommandPhase, PhasedCommand } from '../../netfilter/tool-command.js'
import type { IptablesBackend, SubsystemCommandOptions } from '../../tool-options.js'
import { isBuiltInChain } from '../built-in-chains.js'
import { createRuleArguments } from '../print/arguments.js'
import { parseChainId, rulesOfResource } from '../resources.js'
import { iptablesToolOf, LOCK_WAIT_ARGUMENTS, restoreToolOf } from '../tools.js'
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
  sectionLengthOf,
} from './section.js'
import { separateSharedChainChanges } from './shared-chains.js'
import { groupChangesByTable, type JumpChange, type TableChanges, type TableJumpChanges } from './table-changes.js'

export interface IptablesCommandOptions
  extends Pick<SubsystemCommandOptions, 'family' | 'backend' | 'start' | 'isShared'> {
  /**
   * The maximum number of chains that one commit creates or removes with the nft backend. A larger patch is split into
   * several commands. Default: 2500.
   */
  readonly chainsPerCommit?: number | undefined
}

/**
 * The default maximum, which corresponds to about 250 service ports with ten endpoints each. The time of an
 * iptables-nft commit grows more than quadratically with the number of its chains, so a larger commit takes longer than
 * several smaller commits.
 */
const CHAINS_PER_COMMIT = 2500

/**
 * Returns the `iptables-restore -w 5 --noflush` commands that apply changes to the kernel. Without changes, the list is
 * empty.
 *
 * Each COMMIT is atomic. After each COMMIT, the target chain of every jump exists, and every service port that the
 * patch does not affect is available. Additions to tables other than nat come first, and removals from these tables
 * come last. If nat rules translate a packet to an endpoint, rules in filter no longer match the original destination
 * of the packet. Therefore, between two commits, a service port may be served, rejected, or both, but always one of
 * them.
 *
 * In a chain with few changes, individual rules are edited, so that the other rules keep their counters. With the nft
 * backend, a patch with very many chains is split: commands that create unreferenced chains, a command that switches to
 * these chains, and commands that delete chains that are no longer referenced. If a command fails, the node keeps the
 * state after the last successful commit.
 *
 * If the node may have unknown rules, chains to delete are first only flushed, together with the other changes. Later
 * commands remove these chains. The removal may fail, because an unknown rule may still refer to a chain. If nothing is
 * known about the node, each jump in a built-in chain may or may not exist, so a separate command inserts or deletes
 * each jump. Like in kube-proxy (`EnsureRule`), an existing jump stays at its position.
 *
 * Missing counters (nfacct) of new chains are created first.
 *
 * If other programs also maintain a chain (`isShared`), neither the chain, nor its rules, nor the jumps to it are
 * removed, because other programs may have created them. A new rule or jump is inserted only if it is missing.
 */
export function toIptablesCommands(
  all: readonly Change[],
  { family, backend, chainsPerCommit = CHAINS_PER_COMMIT, start = 'known', isShared }: IptablesCommandOptions,
): readonly PhasedCommand[] {
  const { changes, sharedJumps, sharedRules } = separateSharedChainChanges(groupChangesByTable(all), isShared)
  const tables = start === 'known' ? changes : changes.map(withoutDeletions)
  const known = start === 'unknown' ? tables.map((each) => ({ ...each, jumps: [] })) : tables
  const large = backend === 'nft' && countChains(known) > chainsPerCommit
  const commands = large ? createStagedCommits(known, family, chainsPerCommit) : [createSingleCommit(known, family)]
  return [
    ...toCounterCommands(known),
    ...commands.filter(({ command }) => command.input !== ''),
    ...(start === 'unknown' ? changes.flatMap((each) => createJumpCommands(each, family)) : []),
    ...[...sharedRules, ...sharedJumps].flatMap((each) => createJumpCommands(each, family)),
    ...(start === 'known' ? [] : changes.flatMap((each) => createRemovalCommands(each, family, backend))),
  ]
}

/** Replaces the deletion of each chain with a flush. */
function withoutDeletions(changes: TableChanges): TableChanges {
  return { ...changes, emptied: changes.deleted, deleted: [] }
}

/** Returns one command for each jump that must exist, and one command for each jump that must not exist. */
function createJumpCommands({ table, jumps }: TableJumpChanges, family: IpFamily): readonly PhasedCommand[] {
  const common = { tool: iptablesToolOf(family), input: '' }
  return jumps.flatMap(({ before, after }) => [
    ...subtractRules(before, after).map(
      (rule): PhasedCommand => ({
        phase: 'switch',
        command: {
          ...common,
          args: createRuleArguments('-D', rule, table, family),
          purpose: `remove a jump from ${rule.chain}`,
          allowFailure: true,
          // iptables exits with status 2 if the target chain of the jump does not exist. Then there is no jump to
          // delete.
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
 * Returns the commands that remove flushed chains. Each table has a separate command. If a chain cannot be removed, the
 * other tables are not affected.
 */
// With status 4, iptables-nft means that a rule refers to a chain. With the same status, iptables-legacy means that
// another process has the lock.
function createRemovalCommands(
  { table, deleted }: TableChanges,
  family: IpFamily,
  backend: IptablesBackend,
): readonly PhasedCommand[] {
  if (deleted.length === 0) return []
  const purpose = 'remove chains without known references'
  const { phase, command } = createRestoreCommand('withdraw', family, purpose, [
    printSection(table, joinSections(deleted.map(deletedSection))),
  ])
  return [{ phase, command: { ...command, allowFailure: true, ...(backend === 'nft' && { nothingToDo: [1, 4] }) } }]
}

function countChains(tables: readonly TableChanges[]): number {
  return tables.reduce((sum, { created, deleted }) => sum + created.length + deleted.length, 0)
}

function createSingleCommit(tables: readonly TableChanges[], family: IpFamily): PhasedCommand {
  return createRestoreCommand('switch', family, 'change rules', inOrder(tables, family))
}

function createStagedCommits(
  tables: readonly TableChanges[],
  family: IpFamily,
  size: number,
): readonly PhasedCommand[] {
  const change = tables.map((changes) => ({ ...changes, created: [], deleted: [] }))
  const portions = (
    list: (changes: TableChanges) => readonly Resource[],
    section: (chain: Resource) => RestoreSection,
  ) =>
    tables.flatMap((changes) =>
      portionsOf(list(changes), size).map((part) => printSection(changes.table, joinSections(part.map(section)))),
    )
  return [
    createRestoreCommand(
      'provide',
      family,
      'create chains that are not referenced yet',
      portions(({ created }) => created, createdSection(family)),
    ),
    createRestoreCommand('switch', family, 'switch to the new chains', inOrder(change, family)),
    createRestoreCommand(
      'withdraw',
      family,
      'delete unreferenced chains',
      portions(({ deleted }) => deleted, deletedSection),
    ),
  ]
}

function createRestoreCommand(
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

/**
 * Returns the commits in order: additions to tables other than nat, then all changes of nat, then removals from tables
 * other than nat.
 */
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

/** Converts the rewrites of whole chains to rule-by-rule edits. Only edits can be split into additions and removals. */
function byRule(changes: TableChanges): TableChanges {
  const edits = changes.updated.map(({ id, before, after }): EditChange => {
    const splices = diffLists(rulesOfResource(before), rulesOfResource(after))
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
  return (resource) => createReplacementSection(parseChainId(resource.id).chain, rulesOfResource(resource), family)
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

/** Rewrites a chain or edits the chain rule by rule, whichever is shorter as text. */
function updatedSection({ id, before, after }: UpdateChange, family: IpFamily): RestoreSection {
  const { chain } = parseChainId(id)
  const rewritten = createReplacementSection(chain, rulesOfResource(after), family)
  const edited = createLinesSection(
    formatSpliceLines(chain, diffLists(rulesOfResource(before), rulesOfResource(after)), family),
  )
  return sectionLengthOf(rewritten) < sectionLengthOf(edited) ? rewritten : edited
}
