import { parseDump, verify } from '@kube-rules/analyzer'
import type { CompileResult } from '@kube-rules/compiler'

/** Returns a line for each deviation of a node; `text` is the output of iptables-save there. */
export function findings(desired: CompileResult, text: string): readonly string[] {
  const dump = parseDump(text)
  if (!dump.ok) return dump.problems.map(({ message, excerpt }) => `${message}\n${excerpt}`)
  return verify(desired, dump.value).families.flatMap(({ drift, unverified }) => [
    ...unverified.map(({ reason }) => reason),
    ...drift.flatMap((group) =>
      group.drift.map(({ location, reason }) => `${group.servicePort} ${location}: ${reason}`),
    ),
  ])
}
