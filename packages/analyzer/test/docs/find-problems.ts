import { parseDump, verify } from '@kube-rules/analyzer'
import {
  type CompileInput,
  type CompileOptions,
  type CompileResult,
  compile,
  digestOf,
  type TrackerUpdate,
} from '@kube-rules/compiler'

/** An update that succeeded, the objects of all events so far, and the rules on the node as `readRules` returns them. */
interface Updated {
  readonly update: TrackerUpdate
  readonly input: CompileInput
  readonly options: CompileOptions
  readonly rules: string
}

/** Returns what is wrong after an update. */
export function findProblems({ update, input, options, rules }: Updated): readonly string[] {
  const dump = parseDump(rules, { complete: true })
  if (!dump.ok) return dump.problems.map(({ message }) => message)
  const { verdict } = verify(update.result, dump.value, { complete: true })
  return [
    ...(digestsOf(update.result) === digestsOf(compile(input, options)) ? [] : ['the tracker missed an event']),
    ...(verdict === 'noDrift' ? [] : ['the node has other rules than the tracker']),
  ]
}

function digestsOf({ families }: CompileResult): string {
  return families.map(({ family, state }) => `${family} ${digestOf(state)}`).join()
}
