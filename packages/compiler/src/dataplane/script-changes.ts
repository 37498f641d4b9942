import type { Change } from '../diff/patch.js'
import type { ScriptOptions } from './language.js'
import { languageNames } from './language-of.js'
import type { LanguageName } from './languages.js'
import { liveLanguageOf } from './live-language-of.js'
import type { Phase, Run } from './netfilter/run.js'
import { changesByLanguage } from './node-resources.js'

/**
 * The runs of tools that carry out changes of resources of any languages, in an order in which rules lead only to what is
 * there: first everything that nothing leads to yet, each language after those it needs; then the rules that lead there;
 * then, the other way round, what nothing leads to any more. So one mode may also take the place of another.
 *
 * Only commits of iptables are atomic: ipset, ipvsadm and ip apply their input line by line.
 */
export function scriptChanges(changes: readonly Change[], options: ScriptOptions): readonly Run[] {
  const byLanguage = changesByLanguage(changes)
  const names = languageNames().filter((name) => byLanguage.has(name))
  const runs = names.flatMap((name): readonly OwnRun[] =>
    liveLanguageOf(name)
      .script(byLanguage.get(name) ?? [], options)
      .map((phased) => ({ name, ...phased })),
  )
  const inPhase = (phase: Phase): readonly OwnRun[] => runs.filter((each) => each.phase === phase)
  const withdrawn = [...names].reverse().flatMap((name) => inPhase('withdraw').filter((each) => each.name === name))
  return joinNeighbours([...inPhase('provide'), ...inPhase('switch'), ...withdrawn])
}

interface OwnRun {
  readonly name: LanguageName
  readonly phase: Phase
  readonly run: Run
}

/** Runs of one tool that follow one another are one run where it applies them line by line: commits stay apart. */
function joinNeighbours(runs: readonly OwnRun[]): readonly Run[] {
  const joined: OwnRun[] = []
  for (const next of runs) {
    const last = joined.at(-1)
    if (last?.name !== next.name || !liveLanguageOf(next.name).appliesByLine) joined.push(next)
    else joined[joined.length - 1] = { ...last, run: joinRuns(last.run, next.run) }
  }
  return joined.map(({ run }) => run)
}

function joinRuns(first: Run, second: Run): Run {
  return { ...first, input: first.input + second.input, purpose: `${first.purpose}, ${second.purpose}` }
}
