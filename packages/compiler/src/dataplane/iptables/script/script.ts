import type { IpFamily } from '@kube-rules/types'
import { diffLists } from '../../../diff/diff-lists.js'
import { type Change, type Edit, refsBetween, type Update } from '../../../diff/patch.js'
import type { Resource } from '../../../diff/resource.js'
import { insertionsOf, removalsOf } from '../../../diff/splice.js'
import type { ScriptOptions } from '../../language.js'
import type { Phase, PhasedRun } from '../../netfilter/run.js'
import { ruleArguments } from '../print/arguments.js'
import { chainOfId } from '../resources.js'
import { restoreTool, ruleTool } from '../tools.js'
import { appended, inserted, jumpLines, rulesOf, spliceLines } from './edit-chain.js'
import {
  joinSections,
  lengthOf,
  linesSection,
  printSection,
  removedChain,
  type Section,
  writtenChain,
} from './section.js'
import { changesByTable, type JumpChange, type TableChanges } from './table-changes.js'

export interface IptablesScriptOptions extends Pick<ScriptOptions, 'family' | 'backend' | 'ensure'> {
  /** On nft, how many chains one commit creates or removes at most; a patch with more takes several runs. Default: 2500. */
  readonly chainsPerCommit?: number | undefined
}

/**
 * More chains than this in one commit cost iptables-nft more than the commits that they can be spread over: it is worse
 * than quadratic in them. About 250 service ports with ten endpoints each.
 */
const CHAINS_PER_COMMIT = 2500

/**
 * The runs of `iptables-restore --noflush` that take changes to the kernel; none for none.
 *
 * Each COMMIT is atomic, and after each one every jump has its chain and every service port that the patch does not touch
 * is served. What is added to tables other than nat comes first and what is removed from them last: a packet that nat
 * sends to an endpoint is none that filter refuses by its first destination, so in between a service port is served,
 * refused or both, but never neither.
 *
 * Chains in which little changes are edited by rule, so that the other rules keep their counters. On nft a patch with
 * very many chains takes three runs: new chains, which nothing leads to yet, in portions; the change-over; chains that
 * nothing leads to any more. A run that fails leaves the state between two commits.
 *
 * With `ensure` jumps in built-in chains may be there already: each is put in by a run of its own, after it was looked for.
 */
export function scriptIptables(
  all: readonly Change[],
  { family, backend, chainsPerCommit = CHAINS_PER_COMMIT, ensure = false }: IptablesScriptOptions,
): readonly PhasedRun[] {
  const changes = changesByTable(all)
  const tables = ensure ? changes.map((each) => ({ ...each, jumps: [] })) : changes
  const large = backend === 'nft' && countChains(tables) > chainsPerCommit
  const runs = large ? staged(tables, family, chainsPerCommit) : [single(tables, family)]
  const jumps = ensure ? changes.flatMap((each) => ensureRuns(each, family)) : []
  return [...runs.filter(({ run }) => run.input !== ''), ...jumps]
}

function ensureRuns({ table, jumps }: TableChanges, family: IpFamily): readonly PhasedRun[] {
  return jumps
    .flatMap(({ after }) => [...inserted(after), ...appended(after)])
    .map((rule) => ({
      phase: 'switch',
      run: {
        tool: ruleTool(family),
        args: ruleArguments(rule.appended ? '-A' : '-I', rule, table, family),
        input: '',
        purpose: `jump from ${rule.chain}`,
        unless: ruleArguments('-C', rule, table, family),
      },
    }))
}

function countChains(tables: readonly TableChanges[]): number {
  return tables.reduce((sum, { created, deleted }) => sum + created.length + deleted.length, 0)
}

function single(tables: readonly TableChanges[], family: IpFamily): PhasedRun {
  return restoreRun('switch', family, 'change rules', inOrder(tables, family))
}

function staged(tables: readonly TableChanges[], family: IpFamily, size: number): readonly PhasedRun[] {
  const change = tables.map((changes) => ({ ...changes, created: [], deleted: [] }))
  const portions = (list: (changes: TableChanges) => readonly Resource[], section: (chain: Resource) => Section) =>
    tables.flatMap((changes) =>
      portionsOf(list(changes), size).map((part) => printSection(changes.table, joinSections(part.map(section)))),
    )
  return [
    restoreRun(
      'provide',
      family,
      'create chains that nothing leads to yet',
      portions(({ created }) => created, createdSection(family)),
    ),
    restoreRun('switch', family, 'change over', inOrder(change, family)),
    restoreRun(
      'withdraw',
      family,
      'remove chains that nothing leads to',
      portions(({ deleted }) => deleted, deletedSection),
    ),
  ]
}

function restoreRun(phase: Phase, family: IpFamily, purpose: string, sections: readonly string[]): PhasedRun {
  return { phase, run: { tool: restoreTool(family), args: ['--noflush'], input: sections.join(''), purpose } }
}

function portionsOf<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
}

/** The commits: additions to the tables around nat, then nat, then removals from them. */
function inOrder(tables: readonly TableChanges[], family: IpFamily): readonly string[] {
  const nat = tables.filter(({ table }) => table === 'nat')
  const others = tables.filter(({ table }) => table !== 'nat')
  const print = (part: (changes: TableChanges, family: IpFamily) => Section) => (changes: TableChanges) =>
    printSection(changes.table, part(changes, family))
  if (nat.every(isNothing)) return others.map(print(wholeSection))
  const around = others.map(byRule)
  return [...around.map(print(additions)), ...nat.map(print(wholeSection)), ...around.map(print(removals))]
}

function isNothing({ created, updated, edited, jumps, deleted }: TableChanges): boolean {
  return created.length + updated.length + edited.length + jumps.length + deleted.length === 0
}

function wholeSection({ created, updated, edited, jumps, deleted }: TableChanges, family: IpFamily): Section {
  return joinSections([
    ...created.map(createdSection(family)),
    ...updated.map((update) => updatedSection(update, family)),
    ...edited.map((edit) => editedSection(edit, family)),
    ...jumps.map((change) => jumpsSection(change, family)),
    ...deleted.map(deletedSection),
  ])
}

/** The same changes without updates: what is written anew cannot be split in additions and removals. */
function byRule(changes: TableChanges): TableChanges {
  const edits = changes.updated.map(({ id, before, after }): Edit => {
    const splices = diffLists(rulesOf(before), rulesOf(after))
    return { kind: 'edit', id, ...refsBetween(before.refs, after.refs), splices }
  })
  return { ...changes, updated: [], edited: [...changes.edited, ...edits] }
}

function additions(changes: TableChanges, family: IpFamily): Section {
  const edited = changes.edited.map((edit) => ({ ...edit, splices: insertionsOf(edit.splices) }))
  const jumps = changes.jumps.filter(({ after }) => after.length > 0)
  return wholeSection({ ...changes, edited, jumps, deleted: [] }, family)
}

function removals(changes: TableChanges, family: IpFamily): Section {
  const edited = changes.edited.map((edit) => ({ ...edit, splices: removalsOf(edit.splices) }))
  const jumps = changes.jumps.filter(({ after }) => after.length === 0)
  return wholeSection({ ...changes, created: [], edited, jumps }, family)
}

function createdSection(family: IpFamily): (chain: Resource) => Section {
  return (resource) => writtenChain(chainOfId(resource.id).chain, rulesOf(resource), family)
}

function deletedSection({ id }: Resource): Section {
  return removedChain(chainOfId(id).chain)
}

function editedSection({ id, splices }: Edit, family: IpFamily): Section {
  return linesSection(spliceLines(chainOfId(id).chain, splices, family))
}

function jumpsSection({ chain, before, after }: JumpChange, family: IpFamily): Section {
  return linesSection(jumpLines(chain, before, after, family))
}

/** The chain written anew or edited by rule, whichever is less text. */
function updatedSection({ id, before, after }: Update, family: IpFamily): Section {
  const { chain } = chainOfId(id)
  const rewritten = writtenChain(chain, rulesOf(after), family)
  const edited = linesSection(spliceLines(chain, diffLists(rulesOf(before), rulesOf(after)), family))
  return lengthOf(rewritten) < lengthOf(edited) ? rewritten : edited
}
