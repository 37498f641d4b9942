import { type Dump, isEmptyDump, parse, type TextProblem } from '@kube-rules/compiler'
import type { IpFamily } from '@kube-rules/types'
import { InputError } from '../errors.js'
import { count } from '../report/count.js'
import type { Source } from './read-sources.js'

/** Problems that are printed with their place in the text. */
const SHOWN_PROBLEMS = 5

export interface DumpOptions {
  /** That of tables that do not tell theirs. */
  readonly family?: IpFamily | undefined
  /** Whether dumps with nothing in them are those of a node that holds nothing. */
  readonly mayBeEmpty?: boolean | undefined
}

/**
 * What the dumps that were read say.
 *
 * @throws InputError where one is no dump, and where nothing is in any of them but may not be.
 */
export function loadDump(sources: readonly Source[], { family, mayBeEmpty = false }: DumpOptions = {}): Dump {
  const texts = sources.map(({ text }) => text)
  const result = parse(texts, { family })
  const names = sources.map(({ name }) => name).join(', ')
  if (!result.ok) throw new InputError(`${names}: not what the tools print`, [], problemLines(result.problems, sources))
  if (mayBeEmpty || !isEmptyDump(result.value)) return result.value
  // The tools print nothing on standard output where they may not look.
  throw new InputError(
    `${names}: nothing in it: no rules at all, or not root? expected what iptables-save, ipset save, ipvsadm -Sn or nft list ruleset print`,
  )
}

function problemLines(problems: readonly TextProblem[], sources: readonly Source[]): readonly string[] {
  const shown = problems.slice(0, SHOWN_PROBLEMS)
  const more = problems.length - shown.length
  return [
    ...shown.flatMap(({ text, line, column, message, excerpt }) => [
      `error: ${sources[text]?.name}:${line}:${column}: ${message}`,
      ...excerpt.split('\n'),
    ]),
    ...(more === 0 ? [] : [`… and ${count(more, 'more error')}`]),
  ]
}
