import { parse, verify } from '@kube-rules/analyzer'
import type { CompileResult } from '@kube-rules/compiler'

/** A line for everything that is wrong on a node; `text` is what iptables-save prints there. */
export function findings(desired: CompileResult, text: string): readonly string[] {
  const dump = parse(text)
  if (!dump.ok) return dump.problems.map(({ message, excerpt }) => `${message}\n${excerpt}`)
  return verify(desired, dump.value).families.flatMap(({ drift, unverified }) => [
    ...unverified.map(({ reason }) => reason),
    ...drift.flatMap((group) => group.drift.map(({ place, reason }) => `${group.servicePort} ${place}: ${reason}`)),
  ])
}
